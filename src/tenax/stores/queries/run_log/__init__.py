"""The log of a run, told from the store, in parts that can be resumed."""
