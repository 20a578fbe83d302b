"""What crawls have learned about domains by themselves, as rows."""
