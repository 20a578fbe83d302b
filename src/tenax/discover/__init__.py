"""Finds what a page refers to: links, images, feeds. Pure functions.

References are returned as they are in the document. Whether one is crawlable, in scope or known is decided
elsewhere: `web.urls` normalizes, `policy` checks, the frontier remembers.
"""
