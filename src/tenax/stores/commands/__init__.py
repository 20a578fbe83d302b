"""Changes that users make while workers may be running: each one transaction, or a series of small ones."""
