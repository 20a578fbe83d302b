"""Who may do what: users, sessions, tokens, permissions, rate limits, and what is noted of it all.

It judges names, passwords, cookies and headers as plain text, and never answers a request: what a door does
with a decision is the door's business. What it keeps stands in `stores` (users, sessions, tokens, audit) and,
as far as it may be lost, in `coordination` (gate).
"""
