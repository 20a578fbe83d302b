"""Pieces of SQL that several statements share."""

from tenax.policy.scoring import TIERS as ALL_TIERS
from tenax.stores.hot.rows import StateColumns

STATE_ASSIGNMENTS = ", ".join(f"{name} = ?" for name in StateColumns._fields)

# The index of what may be claimed begins with the tier: whoever looks for the earliest asks each.
# A CROSS JOIN keeps the order of its tables.
TIERS = f"(VALUES {', '.join(f'({tier})' for tier in ALL_TIERS)}) AS tiers"
