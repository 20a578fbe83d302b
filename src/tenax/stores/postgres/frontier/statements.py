"""Fragments of SQL that several statements share."""

from collections.abc import Iterable
from typing import Any

from tenax.policy.scoring import TIERS as ALL_TIERS
from tenax.stores.hot.column_lists import join_arrays
from tenax.stores.hot.columns import DOMAINS
from tenax.stores.hot.rows import LEFT_ALONE, StateColumns

# The index of what may be claimed begins with the tier: finding the earliest means querying each tier.
TIERS = f"unnest(ARRAY[{', '.join(map(str, ALL_TIERS))}]) AS tiers(tier)"

STATE_ASSIGNMENTS = ", ".join(f"{name} = v.{name}" for name in StateColumns._fields)


def state_arrays(first: int) -> str:
    """The arrays of a domain's state, as the parameters from this number on."""
    return join_arrays(StateColumns._fields, DOMAINS, first)


def to_arrays(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """A list per column, which is what unnest() takes. There is at least one row."""
    return [without_nul(column) for column in zip(*rows, strict=True)]


def without_nul(values: Iterable[Any]) -> list[Any]:
    """PostgreSQL's text cannot hold NUL; answers of sites may."""
    return [
        value.replace("\0", "\ufffd") if type(value) is str and "\0" in value else value for value in values
    ]


# A leased domain finds its new urls by itself, and one that must be left alone stays so.
WAKE = f"""
    avail_at = CASE
        WHEN d.claimed_by IS NOT NULL OR {{parked}} OR {LEFT_ALONE} THEN d.avail_at
        ELSE least(d.avail_at, greatest({{at}}, d.ready_at))
    END,
    status = CASE WHEN d.status = 'exhausted' THEN 'active' ELSE d.status END
"""
