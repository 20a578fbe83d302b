"""What was learned about domains, in SQLite."""
