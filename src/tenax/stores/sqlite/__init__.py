"""The store in one SQLite file: WAL, synchronous=FULL, one writing and one reading connection per process.

Several processes may share the file; SQLite serializes their transactions, and leases divide their work.
"""
