"""Clusters of urls as rows: the same for every database."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_names

MOST_LOADED: Final = 150  # clusters of a domain


class TrapColumns(NamedTuple):
    """A cluster, in `traps`."""

    shape: str
    state: str
    rule: str | None
    visits: int
    novel: int
    recent: int
    spent: int
    led_on: int
    decided_by: str | None


TRAP_COLUMNS: Final = join_names(TrapColumns._fields)
# Of a domain with more clusters, those that hold urls back come first, then the latest. The parameters are
# the domain and the limit.
LIST_TRAPS: Final = f"""
    SELECT {TRAP_COLUMNS}
    FROM traps
    WHERE domain_id = ?
    ORDER BY CASE WHEN state = 'open' THEN 1 ELSE 0 END, last_seen_at DESC
    LIMIT ?
"""
# Decisions of users about the domains of a worker, who is the parameter.
LIST_DECIDED: Final = f"""
    SELECT d.id, d.version, {join_names(TrapColumns._fields, "t.")}
    FROM domains d
    JOIN traps t ON t.domain_id = d.id
    WHERE d.claimed_by = ? AND t.decided_by IS NOT NULL
"""
FORGET_TRAPS: Final = "DELETE FROM traps WHERE domain_id = ? AND decided_by IS NULL"
# What an upsert of a worker changes. What a user has decided stays.
MERGE_TRAP: Final = """
    visits = excluded.visits,
    novel = excluded.novel,
    recent = excluded.recent,
    last_seen_at = excluded.last_seen_at,
    spent = CASE WHEN t.decided_by IS NULL THEN excluded.spent ELSE t.spent END,
    led_on = excluded.led_on,
    rule = CASE WHEN t.decided_by IS NULL THEN excluded.rule ELSE t.rule END,
    changed_at = CASE
        WHEN t.decided_by IS NULL AND t.state <> excluded.state THEN excluded.changed_at
        ELSE t.changed_at
    END,
    state = CASE WHEN t.decided_by IS NULL THEN excluded.state ELSE t.state END
"""


def read_trap(row: Sequence[Any]) -> Trap:
    found = TrapColumns._make(row)
    return Trap(
        shape=found.shape,
        state=TrapState(found.state),
        rule=None if found.rule is None else TrapRule(found.rule),
        visits=found.visits,
        novel=found.novel,
        recent=found.recent,
        spent=found.spent,
        led_on=found.led_on,
        decided_by=found.decided_by,
    )


def trap_rows(works: Iterable[DomainWork], wall: float) -> list[tuple[Any, ...]]:
    """(domain, shape, state, rule, visits, novel, recent, spent, led on, first seen, last seen, changed)"""
    return [
        (
            work.lease.domain_id,
            trap.shape,
            trap.state.value,
            None if trap.rule is None else trap.rule.value,
            trap.visits,
            trap.novel,
            trap.recent,
            trap.spent,
            trap.led_on,
            wall,
            wall,
            wall,
        )
        for work in works
        for trap in work.traps
    ]


NEW_TRAP_NAMES: Final = (
    "domain_id",
    "shape",
    "state",
    "rule",
    "visits",
    "novel",
    "recent",
    "spent",
    "led_on",
    "first_seen_at",
    "last_seen_at",
    "changed_at",
)


def list_slowed(works: Iterable[DomainWork]) -> list[int]:
    return [url_id for work in works for url_id in work.slowed]
