"""Keeps the results of audits, and says which server audits a source. Several servers may do it concurrently.

A server claims a source, reads its items for seconds without a lock, and keeps the result together with the
end of its claim. If it dies in between, its claim ends by itself, and nothing was kept.
"""

from dataclasses import asdict
from typing import Any, Final

import orjson
from sqlalchemy import Connection, delete, insert, select, text, update

from tenax.clock import Instant
from tenax.records.jobs import NO_SOURCE
from tenax.stores.queries.filters import get_source_id
from tenax.stores.queries.item_audit import Finding, ItemsAudit
from tenax.stores.queries.kept_audits import find_last_audit
from tenax.stores.schema.items import item_audits
from tenax.stores.schema.marks import marks

CLAIM_S: Final = 3_600.0
KEPT: Final = 400  # of a source
KEPT_S: Final = 400 * 86_400.0
PRUNED_AT_ONCE: Final = 500
# A row has at most about 40 kB, whatever pages say.
FINDINGS_KEPT: Final = 20
EXAMPLES_KEPT: Final = 2
SENTENCE_CHARS: Final = 300
NAME_CHARS: Final = 100
URL_CHARS: Final = 500

_CLAIM: Final = text(
    """
    INSERT INTO marks (name, position)
    VALUES (:name, :until)
    ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE marks.position <= :now
    RETURNING position
    """
)


def keep_audit(connection: Connection, source: str | None, audit: ItemsAudit) -> None:
    """The audit of all items of a source, or of all sources. Raises UsageError if it is unknown."""
    _keep(connection, NO_SOURCE if source is None else get_source_id(connection, source), audit)


def claim_audit(connection: Connection, source_id: int, every_s: float, now: Instant) -> int | None:
    """Claim the audit of a source that is due; returns the claim. None: it is not due, or another server is
    at it."""
    values = {"name": _name(source_id), "until": int((now + CLAIM_S) * 1000), "now": int(now * 1000)}
    claim: int | None = connection.scalar(_CLAIM, values)
    # Looked at after the claim: another server may have kept its result since the caller looked.
    if claim is not None and not is_due(connection, source_id, every_s, now):
        _end_claim(connection, source_id, claim)
        return None
    return claim


def is_due(connection: Connection, source_id: int, every_s: float, now: Instant) -> bool:
    last_at = find_last_audit(connection, source_id)
    return last_at is None or last_at + every_s <= now


def end_audit(connection: Connection, source_id: int, claim: int, audit: ItemsAudit) -> bool:
    """Keep the result and end the claim. False: the claim has passed to another server, and nothing is
    kept."""
    if not _end_claim(connection, source_id, claim):
        return False
    _keep(connection, source_id, audit)
    return True


def prune_item_audits(connection: Connection, now: Instant) -> bool:
    """Delete old ones. True: there is more to do."""
    old = select(item_audits.c.id).where(item_audits.c.at < now - KEPT_S).limit(PRUNED_AT_ONCE)
    deleted = connection.execute(delete(item_audits).where(item_audits.c.id.in_(old)))
    return deleted.rowcount == PRUNED_AT_ONCE


def purge_audits(connection: Connection, before: Instant | None) -> None:
    """None: all."""
    statement = delete(item_audits)
    connection.execute(statement if before is None else statement.where(item_audits.c.at < before))


def purge_findings(connection: Connection, domain: str, before: Instant | None) -> None:
    """Remove what was kept of a domain; the numbers stay."""
    named = item_audits.c.findings.contains(orjson.dumps(domain).decode(), autoescape=True)
    statement = select(item_audits.c.id).where(named)
    if before is not None:
        statement = statement.where(item_audits.c.at < before)
    for audit_id in connection.scalars(statement.order_by(item_audits.c.id)).all():
        is_it = item_audits.c.id == audit_id
        found = orjson.loads(connection.scalar(select(item_audits.c.findings).where(is_it)) or "[]")
        left = [each for each in found if each["domain"] != domain]
        connection.execute(update(item_audits).where(is_it).values(findings=orjson.dumps(left).decode()))


def _keep(connection: Connection, source_id: int, audit: ItemsAudit) -> None:
    connection.execute(
        insert(item_audits).values(
            source_id=source_id,
            at=audit.until,
            since=audit.since,
            items=audit.items,
            is_complete=int(audit.is_complete),
            counts=orjson.dumps(_count(audit)).decode(),
            findings=orjson.dumps([_shorten(each) for each in audit.findings[:FINDINGS_KEPT]]).decode(),
        )
    )
    own = select(item_audits.c.id).where(item_audits.c.source_id == source_id)
    first_kept = connection.scalar(own.order_by(item_audits.c.id.desc()).offset(KEPT - 1).limit(1))
    if first_kept is not None:
        is_older = (item_audits.c.source_id == source_id, item_audits.c.id < first_kept)
        connection.execute(delete(item_audits).where(*is_older))


def _count(audit: ItemsAudit) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for each in audit.findings:
        count = counts.setdefault(each.code.value, {"findings": 0, "items": 0})
        count["findings"] += 1
        count["items"] += each.count
    return counts


def _shorten(finding: Finding) -> dict[str, Any]:
    """Pages choose how long names, values and addresses are."""
    short = [url for url in finding.examples if len(url) <= URL_CHARS]
    return asdict(finding) | {
        "kind": None if finding.kind is None else finding.kind[:NAME_CHARS],
        "field": None if finding.field is None else finding.field[:NAME_CHARS],
        "sentence": finding.sentence[:SENTENCE_CHARS],
        "examples": short[:EXAMPLES_KEPT],
    }


def _name(source_id: int) -> str:
    return f"item_audit.{source_id}"


def _end_claim(connection: Connection, source_id: int, claim: int) -> bool:
    """Whether it was still the caller's."""
    is_own = (marks.c.name == _name(source_id), marks.c.position == claim)
    return connection.execute(delete(marks).where(*is_own)).rowcount == 1
