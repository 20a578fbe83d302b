"""Exports: rows in constant memory, as JSON lines, CSV or Parquet."""
