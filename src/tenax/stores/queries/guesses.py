"""What crawls have learned about the lists and archives of domains."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.guesses import GuessState
from tenax.stores.schema.domains import domains
from tenax.stores.schema.guesses import archive_patterns, pagination_rules

SHOWN = 200  # rules of a domain, at most


@record
class ListRule:
    """How a list is paged."""

    domain: str
    pattern: str
    path: str
    state: GuessState
    step: int
    last_n: int
    hits: int
    misses: int
    is_linked: bool
    set_by: str | None  # None: learned
    changed_at: Instant


@record
class ArchiveRule:
    """Where archives are, or may be."""

    domain: str
    pattern: str
    state: GuessState
    hits: int
    misses: int
    set_by: str | None
    changed_at: Instant


def list_rules(connection: Connection, domain: str | None = None, limit: int = SHOWN) -> list[ListRule]:
    """Those of one domain, or of all."""
    statement = select(pagination_rules, domains.c.name).join(
        domains, domains.c.id == pagination_rules.c.domain_id
    )
    ordered = statement.where(*_of(domain)).order_by(domains.c.name, pagination_rules.c.pattern).limit(limit)
    return [_read_rule(row) for row in connection.execute(ordered)]


def list_patterns(connection: Connection, domain: str | None = None, limit: int = SHOWN) -> list[ArchiveRule]:
    """Those of one domain, or of all."""
    statement = select(archive_patterns, domains.c.name).join(
        domains, domains.c.id == archive_patterns.c.domain_id
    )
    ordered = statement.where(*_of(domain)).order_by(domains.c.name, archive_patterns.c.pattern).limit(limit)
    return [_read_pattern(row) for row in connection.execute(ordered)]


def _of(domain: str | None) -> Iterator[ColumnElement[bool]]:
    if domain is not None:
        yield domains.c.name == domain


def _read_rule(row: Row[*tuple[Any, ...]]) -> ListRule:
    return ListRule(
        domain=row.name,
        pattern=row.pattern,
        path=row.path,
        state=GuessState(row.state),
        step=row.step,
        last_n=row.last_n,
        hits=row.hits,
        misses=row.misses,
        is_linked=bool(row.is_linked),
        set_by=row.set_by,
        changed_at=row.changed_at,
    )


def _read_pattern(row: Row[*tuple[Any, ...]]) -> ArchiveRule:
    return ArchiveRule(
        domain=row.name,
        pattern=row.pattern,
        state=GuessState(row.state),
        hits=row.hits,
        misses=row.misses,
        set_by=row.set_by,
        changed_at=row.changed_at,
    )
