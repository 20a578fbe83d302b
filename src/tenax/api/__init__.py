"""The HTTP API: requests in, JSON and events out. Routes parse, authorize, call one function, and format.

It contains no SQL and no policy. The contract is in docs/api.md and in the OpenAPI document.
"""
