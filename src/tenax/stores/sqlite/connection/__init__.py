"""The file and its connections: transactions, errors, the clock."""
