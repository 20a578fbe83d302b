"""What a run leaves: urls of its domains that still wait, by what holds them back, and those that wait for it
on domains of others. One pass over the domains of its source; no url is counted.
"""

from typing import Any, Final

import orjson

from tenax.clock import Instant
from tenax.values import record

# An instant of rest that was computed twice.
_SLACK_S: Final = 1.0

# Of a domain: what its urls wait for. The rest that a site asked for counts only while it is what decides:
# urls that are to be tried again even later wait for that.
_HINDRANCE = (
    "CASE WHEN claimed_by IS NOT NULL AND claim_expires_at > ?2 THEN 'held'"
    " WHEN status IN ('blocked', 'unreachable') AND coalesce(next_crawl_after, 9e99) > ?2 THEN 'resting'"
    " WHEN avail_at IS NULL THEN 'capped'"
    " WHEN avail_at <= ?2 THEN 'due'"
    f" WHEN coalesce(backoff_until, 0) > avail_at - {_SLACK_S}"
    f"   OR coalesce(breaker_reopen_at, 0) > avail_at - {_SLACK_S} THEN 'resting'"
    " ELSE 'later' END"
)
_KINDS = ("due", "held", "later", "resting", "capped")
_SUMS = ", ".join(
    f"CAST(coalesce(sum(queued) FILTER (WHERE hindrance = '{kind}'), 0) AS BIGINT)" for kind in _KINDS
)
# The parameters are the source and now.
COUNT_LEFTOVER = (
    f"SELECT {_SUMS}, min(avail_at) FILTER (WHERE hindrance = 'later'),"
    "  (SELECT count(*) FROM set_aside WHERE source_id = ?1) FROM"
    f" (SELECT queued, avail_at, {_HINDRANCE} AS hindrance FROM domains"
    "   WHERE source_id = ?1 AND queued > 0) AS waiting"
)


@record(frozen=True, slots=True, kw_only=True)
class Leftover:
    due: int = 0  # nothing holds them back
    held: int = 0  # workers have their domains in hand
    later: int = 0  # they have failed and are tried again later than a run waits
    resting: int = 0  # their site: it is blocked or unreachable, or at rest by its own word
    capped: int = 0  # limits.pages_per_domain: their domains have had their pages of this run
    next_at: Instant | None = None  # when the first of those that are tried later is wanted
    aside: int = 0  # their domains serve another crawl, or a source, at the moment

    @property
    def urls(self) -> int:
        return self.due + self.held + self.later + self.resting + self.capped + self.aside

    @property
    def is_unfinished(self) -> bool:
        """Something is left that no site holds back."""
        return self.urls > self.resting


def read_leftover(row: Any) -> Leftover:
    """From COUNT_LEFTOVER."""
    due, held, later, resting, capped, next_at, aside = row
    return Leftover(
        due=due, held=held, later=later, resting=resting, capped=capped, next_at=next_at, aside=aside
    )


def format_leftover(left: Leftover) -> str:
    """For the row of the run that has left it."""
    return orjson.dumps(
        {
            "due": left.due,
            "held": left.held,
            "later": left.later,
            "resting": left.resting,
            "capped": left.capped,
            "next_at": left.next_at,
            "aside": left.aside,
        }
    ).decode()


def parse_leftover(text: str | None) -> Leftover | None:
    """None: the run goes on, or was cancelled while nobody was at it."""
    return None if text is None else Leftover(**orjson.loads(text))
