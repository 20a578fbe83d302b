"""Workers in parts."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, exists, or_

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.status import load_last_settings
from tenax.stores.queries.workers import WorkerSummary, read_worker, select_workers
from tenax.stores.schema.crawl import domains, workers

ORDER: Final = SortOrder(keys={"id": workers.c.id}, number=workers.c.id)


@record
class WorkerFilter:
    run_id: int | None = None
    with_ended: bool = False  # and with lost ones


def slice_workers(
    connection: Connection, wanted: SliceRequest, only: WorkerFilter, *, signs: PresenceSigns, now: Instant
) -> ListSlice[WorkerSummary]:
    lease_s = load_last_settings(connection).worker.lease_s
    statement = select_workers()
    if only.run_id is not None:
        statement = statement.where(workers.c.run_id == only.run_id)
    if not only.with_ended:
        statement = statement.where(workers.c.ended_at.is_(None), _is_not_lost(signs, now))
    return load_slice(
        connection, statement, ORDER, wanted, lambda row: read_worker(connection, row, signs, lease_s, now)
    )


def _is_not_lost(signs: PresenceSigns, now: Instant) -> ColumnElement[bool]:
    """As workers.py judges it."""
    return or_(
        workers.c.heartbeat_at >= now - LOST_AFTER_S,
        workers.c.uuid.in_(signs.dead),
        exists().where(domains.c.claimed_by == workers.c.id),
    )
