"""Users, sessions, API tokens and the audit log, as functions of a connection."""
