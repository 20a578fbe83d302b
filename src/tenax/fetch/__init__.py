"""Fetches one URL: looks up its host, checks the addresses and makes the HTTP request within limits.

It makes one request per call and does not interpret the result: redirects, errors and types other than HTML
are responses. Robots rules, politeness and retries belong to the layers above. The contract is in base.py.
guard.py checks every connection before it is made.
"""
