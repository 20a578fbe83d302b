"""What was learned about domains, in PostgreSQL."""
