"""What a run leaves: urls of its domains that still wait, by what blocks them, and urls that wait for it on
domains of others. One pass over the domains of its source; no urls are counted."""

from typing import Any, Final

import orjson

from tenax.stores.contracts.leftovers import Leftover

# Tolerance for the end of a rest that was computed twice.
_SLACK_S: Final = 1.0

# What the urls of a domain wait for. A rest that a site asked for counts only while it is what decides: urls
# that are retried even later wait for their retry.
_HINDRANCE = f"""
    CASE
        WHEN claimed_by IS NOT NULL AND claim_expires_at > ?2 THEN 'held'
        WHEN is_active = 0 THEN 'inactive'
        WHEN status IN ('blocked', 'unreachable')
            AND coalesce(next_crawl_after, 9e99) > ?2
            THEN 'resting'
        WHEN avail_at IS NULL THEN 'capped'
        WHEN avail_at <= ?2 THEN 'due'
        WHEN coalesce(backoff_until, 0) > avail_at - {_SLACK_S}
            OR coalesce(breaker_reopen_at, 0) > avail_at - {_SLACK_S}
            THEN 'resting'
        ELSE 'later'
    END
"""
_KINDS = ("due", "held", "later", "resting", "capped", "inactive")
_SUMS = ", ".join(
    f"CAST(coalesce(sum(queued) FILTER (WHERE hindrance = '{kind}'), 0) AS BIGINT)" for kind in _KINDS
)
# The parameters are the source and now.
COUNT_LEFTOVER = f"""
    SELECT
        {_SUMS},
        min(avail_at) FILTER (WHERE hindrance = 'later'),
        (SELECT count(*) FROM set_aside WHERE source_id = ?1)
    FROM (
        SELECT queued, avail_at, {_HINDRANCE} AS hindrance
        FROM domains
        WHERE source_id = ?1 AND queued > 0
    ) AS waiting
"""


def read_leftover(row: Any) -> Leftover:
    """From COUNT_LEFTOVER."""
    *counts, next_at, aside = row
    return Leftover(**dict(zip(_KINDS, counts, strict=True)), next_at=next_at, aside=aside)


def format_leftover(left: Leftover) -> str:
    """As it is stored with the run."""
    return orjson.dumps(
        {
            "due": left.due,
            "held": left.held,
            "later": left.later,
            "resting": left.resting,
            "capped": left.capped,
            "inactive": left.inactive,
            "next_at": left.next_at,
            "aside": left.aside,
        }
    ).decode()


def parse_leftover(text: str | None) -> Leftover | None:
    """None: the run continues, or was cancelled while no worker was active in it."""
    return None if text is None else Leftover(**orjson.loads(text))
