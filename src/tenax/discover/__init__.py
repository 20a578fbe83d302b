"""What a page leads to: links, later sitemaps, feeds, archives and pagination. Pure.

References come back as they stand in the document. Whether one is crawlable, wanted or known is
decided above: urls normalises, policy admits, the frontier remembers.
"""
