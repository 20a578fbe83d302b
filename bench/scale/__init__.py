"""Measures the cost of a crawl on PostgreSQL: of one worker and of many, and of the server itself."""
