"""The durable state: domains, urls, pages, visits, robots, runs, workers.

Contracts are in contracts/ and backend.py, tables and migrations in schema/. sqlite/ and postgres/ have the
same shape and hold the statements in which the databases differ; hot/ is what both share on the path of a
crawl, and databases/ chooses one of them. queries/ only reads and commands/ changes what a user asks for,
both written once for all databases. This package decides nothing about crawling: it stores, hands out and
settles.
"""
