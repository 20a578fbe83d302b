"""Who may: users, their sessions and tokens, what roles and scopes allow, limits, and what is noted of it all.

It judges names, passwords, cookies and headers as plain text; HTTP belongs to `api`. What it keeps stands in
`stores` (users, sessions, tokens, audit) and, as far as it may be lost, in `coordination` (gate).
"""
