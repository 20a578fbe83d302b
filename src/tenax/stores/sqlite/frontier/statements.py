"""Fragments of SQL that several statements share."""

from tenax.policy.scoring import TIERS as ALL_TIERS
from tenax.stores.hot.rows import LEFT_ALONE, StateColumns

STATE_ASSIGNMENTS = ", ".join(f"{name} = ?" for name in StateColumns._fields)

# The index of what may be claimed begins with the tier: finding the earliest means querying each tier. A
# CROSS JOIN keeps the order of its tables.
TIERS = f"(VALUES {', '.join(f'({tier})' for tier in ALL_TIERS)}) AS tiers"


# A leased domain finds its new urls by itself, and one that must be left alone stays so.
WAKE = f"""
    avail_at = CASE
        WHEN claimed_by IS NOT NULL OR {{parked}} OR {LEFT_ALONE} THEN avail_at
        ELSE min(coalesce(avail_at, 9e99), max(?2, coalesce(ready_at, 0)))
    END,
    status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END
"""
