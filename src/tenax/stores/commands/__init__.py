"""Changes that users make while workers may be running, each in one transaction or a series of small ones."""
