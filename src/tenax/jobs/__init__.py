"""When to crawl what: sources, their jobs, the scheduler that starts their runs, and how runs reach workers.

It does not crawl: it opens runs in the store, and workers come and join them.
"""
