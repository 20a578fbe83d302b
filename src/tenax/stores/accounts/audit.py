"""The audit log: who did what, from where, and with what outcome. Entries are written in the transaction of
the change.
"""

import json
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, delete, insert, or_, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.accounts import audit

KEPT_S = 400 * 86_400.0  # a year, and time to review it
TEXT_CHARS = 500
DETAIL_CHARS = 4000

_ORDER = SortOrder(keys={"at": audit.c.at}, number=audit.c.id)


class AuditOutcome(StrEnum):
    DONE = "done"
    ORDERED = "ordered"  # it was started; if it stays so, the server died before it knew the outcome
    FAILED = "failed"  # something broke
    REFUSED = "refused"  # by a rule, such as a wrong password or the last administrator


@record
class Actor:
    """Who performs an action: a logged-in user, a program with a token, or a user at the command line."""

    name: str
    kind: str  # anonymous, session, token, jwt or cli
    address: str | None


@record
class AuditEntry:
    id: int
    at: Instant
    actor: Actor
    action: str
    target: str | None
    detail: Mapping[str, Any]
    outcome: AuditOutcome


@record
class AuditFilter:
    """None in a field: no restriction."""

    actor: str | None = None
    action: str | None = None  # `user` means every action on users: user.add, user.remove, …
    target: str | None = None
    outcome: AuditOutcome | None = None
    since: Instant | None = None
    until: Instant | None = None


@record
class AuditAction:
    action: str  # noun.verb
    target: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)  # no secrets
    outcome: AuditOutcome = AuditOutcome.DONE


def add_entry(connection: Connection, actor: Actor, action: AuditAction, now: Instant) -> int:
    """Add an entry and return its id. To be called in the transaction of the change itself. For an action
    that takes several transactions, add an entry with the outcome ORDERED first, and call `finish_entry` with
    its id afterwards."""
    number: int = connection.execute(
        insert(audit)
        .values(
            at=now,
            actor=_tidy(actor.name),
            kind=actor.kind,
            address=actor.address and _tidy(actor.address),
            action=action.action,
            target=action.target and _tidy(action.target),
            detail=_format_detail(action.detail),
            outcome=action.outcome,
        )
        .returning(audit.c.id)
    ).scalar_one()
    return number


def finish_entry(connection: Connection, number: int, action: AuditAction) -> None:
    """Set the outcome of an entry."""
    connection.execute(
        update(audit)
        .where(audit.c.id == number)
        .values(
            target=action.target and _tidy(action.target),
            detail=_format_detail(action.detail),
            outcome=action.outcome,
        )
    )


def slice_audit(connection: Connection, wanted: SliceRequest, only: AuditFilter) -> ListSlice[AuditEntry]:
    statement = select(audit)
    exact = ((audit.c.actor, only.actor), (audit.c.target, only.target), (audit.c.outcome, only.outcome))
    for column, value in exact:
        if value is not None:
            statement = statement.where(column == value)
    if only.action is not None:
        is_group = audit.c.action.startswith(f"{only.action}.", autoescape=True)
        statement = statement.where(or_(audit.c.action == only.action, is_group))
    if only.since is not None:
        statement = statement.where(audit.c.at >= only.since)
    if only.until is not None:
        statement = statement.where(audit.c.at < only.until)
    return load_slice(connection, statement, _ORDER, wanted, _read)


def prune_audit(connection: Connection, now: Instant) -> None:
    connection.execute(delete(audit).where(audit.c.at < now - KEPT_S))


def _tidy(text: str) -> str:
    """Replace unprintable characters: clients may send some that databases reject or terminals interpret."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:TEXT_CHARS])


def _format_detail(detail: Mapping[str, Any]) -> str:
    text = _format_json(detail)
    return text if len(text) <= DETAIL_CHARS else _format_json({"cut": text[:DETAIL_CHARS]})


def _format_json(detail: Mapping[str, Any]) -> str:
    # JSON can express lone surrogates, which databases reject.
    return json.dumps(detail, ensure_ascii=False).encode("utf-8", "replace").decode()


def _read(row: Any) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        at=row.at,
        actor=Actor(name=row.actor, kind=row.kind, address=row.address),
        action=row.action,
        target=row.target,
        detail=json.loads(row.detail),
        outcome=AuditOutcome(row.outcome),
    )
