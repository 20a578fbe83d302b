"""Pieces of SQL that several statements share."""

from tenax.policy.scoring import TIERS as ALL_TIERS
from tenax.stores.hot.rows import STATE_COLUMNS

STATE_ASSIGNMENTS = ", ".join(f"{name.strip()} = ?" for name in STATE_COLUMNS.split(","))

# The index of what may be claimed begins with the tier: whoever looks for the earliest asks each.
# A CROSS JOIN keeps the order of its tables.
TIERS = f"(VALUES {', '.join(f'({tier})' for tier in ALL_TIERS)}) AS tiers"
