"""Who may do what: users, sessions, tokens, permissions, rate limits, and the audit log of all of it.

It judges names, passwords, cookies and headers as plain text and never answers a request: acting on its
decisions is up to the API and the command line. Its data is in `stores` (users, sessions, tokens, audit) and,
where it may be lost, in `coordination` (gate).
"""
