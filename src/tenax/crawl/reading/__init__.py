"""From the bytes of an answer to a page with links and images: in the worker, or in a separate reader process
for documents that are large or have crashed a worker.
"""
