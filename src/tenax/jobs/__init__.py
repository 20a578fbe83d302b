"""What to crawl and when: sources, their jobs, the scheduler that starts their runs, and how runs reach
workers.

It does not crawl: it opens runs in the store, and workers join them.
"""
