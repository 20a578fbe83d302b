"""Bodies of answers in append-only segments. See base.py for the contract."""
