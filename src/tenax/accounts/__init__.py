"""Who may do what: users, sessions, tokens, permissions, rate limits.

It decides and never answers a request: what a door does with a decision is the door's business.
"""
