"""Rules that a user sets for a domain. The statements are the same for every database.

A worker that holds the domain keeps its lease: it notices the change within a second or two and loses nothing
that it is working on. A domain that no worker holds becomes available earlier if the change allows it. The
next worker plans by the new rules, so no gap gets shorter than they allow.
"""

from typing import Any

from sqlalchemy import Connection, Row, select, update

from tenax.clock import Instant
from tenax.policy.domain_states import RESTING
from tenax.policy.rules import RuleChanges, change_rules
from tenax.record import record
from tenax.records.domains import DomainRules
from tenax.stores.queries.domains import rules_of
from tenax.stores.schema.domains import domains


@record
class RulesSet:
    before: DomainRules
    now: DomainRules


def set_rules(
    connection: Connection,
    name: str,
    changes: RuleChanges,
    by: str,
    times: tuple[Instant, Instant],
) -> RulesSet | None:
    """None: the domain is unknown. `by`: who sets the rules; `times`: now, by the store's clock and by the
    calendar. Repeating is safe."""
    found = select(domains).where(domains.c.name == name).with_for_update()
    row = connection.execute(found).one_or_none()
    if row is None:
        return None
    now, wall = times
    before = rules_of(row)
    after = change_rules(before, changes)
    if after != before:
        values = {
            "rule_delay_s": after.delay_s,
            "rule_per_domain": after.per_domain,
            "rule_pages": after.pages_per_run,
            "is_active": int(after.is_active),
            "rules_by": by,
            "rules_at": wall,
            **_plan_wake(row, before, after, now),
        }
        connection.execute(update(domains).where(domains.c.id == row.id).values(values))
    return RulesSet(before=before, now=after)


def _plan_wake(
    row: Row[*tuple[Any, ...]], before: DomainRules, after: DomainRules, now: Instant
) -> dict[str, Any]:
    """Plan when the domain may be claimed."""
    if row.claimed_by is not None:
        return {}  # the worker that holds it releases it by the new rules
    is_blocked = row.status in RESTING and row.next_crawl_after is None
    if not after.is_active or not row.queued or is_blocked:
        return {"avail_at": None}
    if after.delay_s != before.delay_s:
        # Its last owner planned with another delay. The next one plans again from the last request.
        ready_at = max(now, *_list_rests(row))
        return {"ready_at": ready_at, "avail_at": ready_at}
    if row.avail_at is None:
        # It was inactive, or its page limit for this run was used up; if it still is, it is parked again.
        return {"avail_at": max(now, row.ready_at or 0.0, *_list_rests(row))}
    return {}


def _list_rests(row: Row[*tuple[Any, ...]]) -> tuple[Instant, ...]:
    rests = row.next_crawl_after if row.status in RESTING else None
    # While one of its feeds is requested, it counts as answered at the deadline of that request.
    return tuple(at or 0.0 for at in (row.backoff_until, row.breaker_reopen_at, row.last_answer_at, rests))
