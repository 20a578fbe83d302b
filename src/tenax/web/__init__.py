"""The formats of the web, as pure functions: URLs, robots.txt, header values, documents.

The input is untrusted, so nothing here raises because of it, does I/O, or takes more than linear time.
`policy` decides what to do with the results; `fetch` gets the bytes.
"""
