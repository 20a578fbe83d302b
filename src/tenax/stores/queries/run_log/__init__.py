"""The log of a run, read from the store in parts that can be resumed."""
