"""Audits of items that were kept: what was found when."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Row, Select, exists, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.queries.filters import get_source_id
from tenax.stores.queries.item_audit import Finding, FindingCode
from tenax.stores.schema.items import invalid_items, item_audits, items
from tenax.stores.schema.jobs import sources

ORDER: Final = SortOrder(keys={"id": item_audits.c.id}, number=item_audits.c.id)


@record
class FindingCount:
    findings: int
    items: int  # in all of them: one that is in two counts twice; pages for a parser


@record
class KeptAudit:
    id: int
    source_id: int | None  # None: all sources
    source: str | None  # None: all sources, or a removed one
    at: Instant
    since: Instant
    items: int
    is_complete: bool
    counts: Mapping[FindingCode, FindingCount]
    findings: Sequence[Finding]  # the first ones


def slice_audits(
    connection: Connection, wanted: SliceRequest, source: str | None = None
) -> ListSlice[KeptAudit]:
    """`source`: only those of this one. Raises UsageError if it is unknown."""
    statement = _select()
    if source is not None:
        statement = statement.where(item_audits.c.source_id == get_source_id(connection, source))
    return load_slice(connection, statement, ORDER, wanted, _read)


def find_audit(connection: Connection, audit_id: int) -> KeptAudit | None:
    row = connection.execute(_select().where(item_audits.c.id == audit_id)).one_or_none()
    return None if row is None else _read(row)


def find_last_audit(connection: Connection, source_id: int) -> Instant | None:
    """When items of this source were last audited."""
    of = item_audits.c
    statement = select(of.at).where(of.source_id == source_id).order_by(of.id.desc()).limit(1)
    at: Instant | None = connection.scalar(statement)
    return at


def list_audited(connection: Connection) -> list[int]:
    """Sources and crawls that have items, valid or not."""
    has_items = exists().where(items.c.source_id == sources.c.id)
    has_invalid = exists().where(invalid_items.c.source_id == sources.c.id)
    statement = select(sources.c.id).where(or_(has_items, has_invalid)).order_by(sources.c.id)
    return list(connection.scalars(statement))


def _select() -> Select[Any]:
    return select(item_audits, sources.c.name.label("source")).outerjoin(
        sources, sources.c.id == item_audits.c.source_id
    )


def _read(row: Row[*tuple[Any, ...]]) -> KeptAudit:
    return KeptAudit(
        id=row.id,
        source_id=None if row.source_id == NO_SOURCE else row.source_id,
        source=row.source,
        at=row.at,
        since=row.since,
        items=row.items,
        is_complete=bool(row.is_complete),
        counts={FindingCode(code): FindingCount(**count) for code, count in orjson.loads(row.counts).items()},
        findings=[_read_finding(each) for each in orjson.loads(row.findings)],
    )


def _read_finding(found: dict[str, Any]) -> Finding:
    return Finding(**found | {"code": FindingCode(found["code"]), "examples": tuple(found["examples"])})
