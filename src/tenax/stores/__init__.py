"""The durable truth: domains, urls, pages, visits, robots, runs, workers.

Contracts stand in base.py, the schema in tables.py and migrations/. One folder per database holds the
statements in which databases differ; reading for people (reports.py) is written once for all of them.
This room decides nothing about crawling: it keeps, hands out and settles.
"""
