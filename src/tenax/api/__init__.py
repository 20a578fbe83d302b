"""The service's door: HTTP in, JSON and events out. Routes parse, authorise, call one function, format.

It holds no SQL and no policy. Contracts: docs/api.md, generated from the OpenAPI document.
"""
