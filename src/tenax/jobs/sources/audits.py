"""Audits that are due: of sources and crawls with `audit_every_h`. Several servers may do it concurrently."""

from collections.abc import Callable
from functools import partial
from typing import Final

from tenax.clock import Instant
from tenax.errors import StoreError
from tenax.jobs.sources.definition import SourceDefinition, read_definition
from tenax.jobs.sources.item_rules import ItemRules
from tenax.record import record
from tenax.stores.access import Access
from tenax.stores.commands.item_audits import claim_audit, end_audit, is_due
from tenax.stores.connection import Connection
from tenax.stores.jobs.sources import list_sources, load_source_names
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import ItemsAudit, audit_items
from tenax.stores.queries.kept_audits import list_audited
from tenax.stores.queries.settings import SourceSettings
from tenax.telemetry import log

DAYS: Final = 7.0  # an audit compares with how items were then
HOUR_S: Final = 3_600.0

TellTime = Callable[[Connection], Instant]


@record
class DueAudit:
    source_id: int
    source: str
    every_s: float


async def audit_due_sources(access: Access, tell_time: TellTime, usual_h: float) -> None:
    """`usual_h`: the setting of the server, for sources that do not say; 0: never."""
    due = await access.read(lambda connection: list_due(connection, tell_time(connection), usual_h))
    for each in due:
        try:
            await audit_source(access, tell_time, each)
        except StoreError as error:
            # Its claim keeps it from being tried again at once; others are not held up.
            log.warning("items_not_audited", source=each.source, error=str(error))


async def audit_source(access: Access, tell_time: TellTime, due: DueAudit) -> None:
    """Items are read without a lock, for as long as there are many."""

    def claim(connection: Connection) -> int | None:
        return claim_audit(connection, due.source_id, due.every_s, tell_time(connection))

    claimed = await access.write(claim)
    if claimed is None:
        return
    audit = await access.read(partial(_audit, source=due.source, tell_time=tell_time))
    await access.write(partial(end_audit, source_id=due.source_id, claim=claimed, audit=audit))


def _audit(connection: Connection, source: str, tell_time: TellTime) -> ItemsAudit:
    now, rules = tell_time(connection), ItemRules(connection)
    return audit_items(connection, now=now, days=DAYS, only=Filter(source=source), rules=rules.find)


def list_due(connection: Connection, now: Instant, usual_h: float) -> list[DueAudit]:
    """Those that have items."""
    audited = list_audited(connection)
    if not audited:
        return []
    names = load_source_names(connection)
    intervals = _find_intervals(connection, audited, usual_h)
    return [
        DueAudit(source_id=source_id, source=names[source_id], every_s=hours * HOUR_S)
        for source_id, hours in intervals.items()
        if hours > 0 and is_due(connection, source_id, hours * HOUR_S, now)
    ]


def _find_intervals(connection: Connection, audited: list[int], usual_h: float) -> dict[int, float]:
    """In hours. Crawls by hand have the settings of their last run; a disabled source is not audited."""
    definitions = {source.id: read_definition(source) for source in list_sources(connection)}
    settings = SourceSettings(connection)
    intervals = {}
    for source_id in audited:
        if source_id not in definitions:
            intervals[source_id] = settings.find(source_id).parsers.audit_every_h
            continue
        found = definitions[source_id]
        if isinstance(found, SourceDefinition) and found.enabled:
            own_h = found.audit_every_h
            intervals[source_id] = usual_h if own_h is None else own_h
    return intervals
