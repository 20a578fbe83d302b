"""Gets the bytes of one URL: looks its host up, checks the addresses, speaks HTTP within caps.

It makes one request per call and judges nothing: redirects, errors and other types than HTML are
answers. Robots rules, politeness and retries belong to the floors above. The contract stands in
base.py; no connection is made that guard.py has not seen.
"""
