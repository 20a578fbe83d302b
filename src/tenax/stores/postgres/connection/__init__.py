"""The connection to the server: reconnects, transactions, errors, the clock."""
