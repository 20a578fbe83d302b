"""Clusters of urls that bring little, and merge rules that were learned: slices, and numbers by state."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.stores.paging import EMPTY, ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.queries.filters import find_domain_id
from tenax.stores.schema.domains import domains
from tenax.stores.schema.traps import traps

ORDER: Final = SortOrder(
    keys={"changed_at": traps.c.changed_at, "visits": traps.c.visits, "id": traps.c.id}, number=traps.c.id
)


@record
class TrapSummary:
    """A cluster, or a learned rule."""

    id: int
    domain: str
    trap: Trap
    first_seen_at: Instant
    last_seen_at: Instant
    changed_at: Instant  # its state


@record
class TrapFilter:
    domain: str | None = None
    state: TrapState | None = None  # None: all but open ones that no user has decided about


def slice_traps(connection: Connection, wanted: SliceRequest, only: TrapFilter) -> ListSlice[TrapSummary]:
    statement = _select()
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return EMPTY
        statement = statement.where(traps.c.domain_id == domain_id)
    if only.state is not None:
        statement = statement.where(traps.c.state == only.state)
    else:
        statement = statement.where((traps.c.state != TrapState.OPEN) | traps.c.decided_by.isnot(None))
    return load_slice(connection, statement, ORDER, wanted, _read)


def find_trap(connection: Connection, id: int) -> TrapSummary | None:
    row = connection.execute(_select().where(traps.c.id == id)).one_or_none()
    return None if row is None else _read(row)


def count_traps(connection: Connection) -> Mapping[str, int]:
    """How many there are in each state."""
    rows = connection.execute(select(traps.c.state, func.count()).group_by(traps.c.state))
    return {row[0]: row[1] for row in rows}


def _select() -> Select[Any]:
    return select(traps, domains.c.name.label("domain")).join(domains, domains.c.id == traps.c.domain_id)


def _read(row: Row[*tuple[Any, ...]]) -> TrapSummary:
    return TrapSummary(
        id=row.id,
        domain=row.domain,
        trap=Trap(
            shape=row.shape,
            state=TrapState(row.state),
            rule=None if row.rule is None else TrapRule(row.rule),
            visits=row.visits,
            novel=row.novel,
            recent=row.recent,
            spent=row.spent,
            led_on=row.led_on,
            decided_by=row.decided_by,
        ),
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        changed_at=row.changed_at,
    )
