"""How urls are found, in PostgreSQL."""
