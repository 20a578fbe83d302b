"""Pieces of SQL that several statements share."""

from tenax.stores.rows import STATE_COLUMNS

STATE_ASSIGNMENTS = ", ".join(f"{name.strip()} = ?" for name in STATE_COLUMNS.split(","))
