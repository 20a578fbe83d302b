"""Visits: a request for a url of a leased domain, its answer, and the outcome that is settled."""
