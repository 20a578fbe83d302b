"""The web's own formats, as pure functions: URLs, robots.txt, header values, documents.

Everything here reads what a stranger wrote, so nothing here raises on its input, does I/O, or takes
more than linear time. What to do with the answers is decided in policy; getting bytes is fetch's.
"""
