"""How urls are found, in SQLite."""
