"""Sources, as functions of a connection. Functions that change something must be called in a transaction."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import orjson
from sqlalchemy import Connection, delete, exists, insert, or_, select, update

from tenax.clock import Instant
from tenax.errors import NoSuchSource, SourceBusy, SourceChanged, SourceExists
from tenax.record import record
from tenax.records.jobs import NO_SOURCE, Source, SourceKind
from tenax.stores.accounts.users import detect_conflict
from tenax.stores.hot.run_states import GOES_ON
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.domains import domains
from tenax.stores.schema.jobs import executions, jobs, sources
from tenax.stores.schema.runs import runs
from tenax.stores.schema.seeds import seeds
from tenax.stores.schema.urls import set_aside
from tenax.stores.secrets.sealing import SecretOwner, Vault
from tenax.wording import fold_name

_ORDER = SortOrder(
    keys={"id": sources.c.id, "name": sources.c.key, "updated_at": sources.c.updated_at}, number=sources.c.id
)


@record
class NewSource:
    name: str
    definition: str  # JSON; the values of headers are hidden in it
    enabled: bool
    # their values; None: keep them as they are
    headers: Mapping[str, str] | None = field(repr=False)


@record
class SourceFilter:
    """None in a field: no restriction."""

    enabled: bool | None = None
    text: str | None = None  # in the name


# Crawls started by users have rows in this table as well, but no definition. Only their names matter here.
_IS_SOURCE = sources.c.kind == SourceKind.SOURCE


def find_source(connection: Connection, source_id: int) -> Source | None:
    return _find(connection, sources.c.id == source_id)


def find_source_by_name(connection: Connection, name: str) -> Source | None:
    """Ignores case."""
    return _find(connection, sources.c.key == fold_name(name))


def slice_sources(connection: Connection, wanted: SliceRequest, only: SourceFilter) -> ListSlice[Source]:
    statement = select(sources).where(_IS_SOURCE)
    if only.enabled is not None:
        statement = statement.where(sources.c.enabled == int(only.enabled))
    if only.text is not None:
        statement = statement.where(sources.c.key.contains(fold_name(only.text), autoescape=True))
    return load_slice(connection, statement, _ORDER, wanted, _read)


def list_sources(connection: Connection) -> list[Source]:
    """All, by name."""
    return [
        _read(row) for row in connection.execute(select(sources).where(_IS_SOURCE).order_by(sources.c.key))
    ]


def load_source_names(connection: Connection) -> dict[int, str]:
    """Id → name, including crawls."""
    return {row.id: row.name for row in connection.execute(select(sources.c.id, sources.c.name))}


def lock_source(connection: Connection, source_id: int) -> Source:
    """Lock a source until the transaction ends. Raises NoSuchSource."""
    statement = select(sources).where(sources.c.id == source_id, _IS_SOURCE).with_for_update()
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise NoSuchSource
    return _read(row)


def lock_all_sources(connection: Connection) -> list[Source]:
    """Lock all sources, in a fixed order."""
    statement = select(sources).where(_IS_SOURCE).order_by(sources.c.id).with_for_update()
    return [_read(row) for row in connection.execute(statement)]


def add_source(connection: Connection, new: NewSource, vault: Vault, now: Instant) -> Source:
    """Raises SourceExists, SecretError, and InsertConflict if the caller should try again."""
    _refuse_taken(connection, new.name, None)
    values = {**_list_values(new), "created_at": now, "updated_at": now}
    with detect_conflict():
        added = _read(connection.execute(insert(sources).values(values).returning(sources)).one())
    if not new.headers:
        return added
    # Headers are sealed for their row, whose id is known only now.
    headers = _seal_headers(added.id, new.headers, vault)
    statement = update(sources).where(sources.c.id == added.id).values(headers=headers).returning(sources)
    return _read(connection.execute(statement).one())


def change_source(
    connection: Connection, source_id: int, new: NewSource, version: int, vault: Vault, now: Instant
) -> Source:
    """Change a source if it still has the version that the caller has seen. Raises NoSuchSource,
    SourceChanged, SourceExists, SecretError, and InsertConflict if the caller should try again."""
    _refuse_taken(connection, new.name, source_id)
    values = {**_list_values(new), "version": sources.c.version + 1, "updated_at": now}
    if new.headers is not None:
        values["headers"] = _seal_headers(source_id, new.headers, vault)
    statement = (
        update(sources)
        .where(sources.c.id == source_id, sources.c.version == version, _IS_SOURCE)
        .values(values)
        .returning(sources)
    )
    with detect_conflict():
        row = connection.execute(statement).one_or_none()
    if row is None:
        raise NoSuchSource if find_source(connection, source_id) is None else SourceChanged
    return _read(row)


def set_enabled(connection: Connection, source_id: int, enabled: bool, now: Instant) -> Source:
    """Repeating is safe and changes nothing. Raises NoSuchSource."""
    connection.execute(
        update(sources)
        .where(sources.c.id == source_id, sources.c.enabled != int(enabled), _IS_SOURCE)
        .values({"enabled": int(enabled), "version": sources.c.version + 1, "updated_at": now})
    )
    return lock_source(connection, source_id)


def remove_source(connection: Connection, source_id: int) -> Source:
    """Remove a source or crawl with its jobs, their executions and its seeds. What it has crawled stays; its
    domains belong to no source then, and urls set aside for it wait until another source finds them. Raises
    NoSuchSource, and SourceBusy while a run of it is active or about to start."""
    row = connection.execute(select(sources).where(sources.c.id == source_id).with_for_update()).one_or_none()
    if row is None:
        raise NoSuchSource
    found = _read(row)
    # Locked, so that an execution that is about to start either has started by now or never will.
    own_jobs = select(jobs.c.id).where(jobs.c.source_id == source_id)
    connection.execute(own_jobs.with_for_update()).all()
    if _is_busy(connection, source_id):
        raise SourceBusy(f"A run of {found.name} is active: cancel it or wait for it to end.")
    connection.execute(delete(executions).where(executions.c.job_id.in_(own_jobs)))
    connection.execute(delete(jobs).where(jobs.c.source_id == source_id))
    connection.execute(delete(seeds).where(seeds.c.source_id == source_id))
    connection.execute(update(domains).where(domains.c.source_id == source_id).values(source_id=NO_SOURCE))
    _leave_aside(connection, source_id)
    connection.execute(delete(sources).where(sources.c.id == source_id))
    return found


def _leave_aside(connection: Connection, source_id: int) -> None:
    """Urls set aside for the source belong to no source now: the next source that finds them gets them."""
    ownerless = set_aside.alias()
    is_known = exists().where(ownerless.c.url_id == set_aside.c.url_id, ownerless.c.source_id == NO_SOURCE)
    own = set_aside.c.source_id == source_id
    connection.execute(delete(set_aside).where(own, is_known))
    connection.execute(update(set_aside).where(own).values(source_id=NO_SOURCE))


def open_headers(source: Source, vault: Vault) -> dict[str, str]:
    """The values of the source's headers. Raises SecretError."""
    if source.sealed_headers is None:
        return {}
    found: dict[str, str] = orjson.loads(vault.open(source.sealed_headers, _owner_of(source.id)))
    return found


def _seal_headers(source_id: int, headers: Mapping[str, str], vault: Vault) -> str | None:
    return vault.seal(orjson.dumps(headers).decode(), _owner_of(source_id)) if headers else None


def _owner_of(source_id: int) -> SecretOwner:
    return SecretOwner(table=sources.name, id=source_id)


def _is_busy(connection: Connection, source_id: int) -> bool:
    has_run = exists().where(runs.c.source_id == source_id, runs.c.state.in_(GOES_ON))
    has_execution = exists().where(
        jobs.c.source_id == source_id, executions.c.job_id == jobs.c.id, executions.c.ended_at.is_(None)
    )
    return bool(connection.scalar(select(or_(has_run, has_execution))))


def _refuse_taken(connection: Connection, name: str, source_id: int | None) -> None:
    """Raise SourceExists if another source or crawl has this name."""
    statement = select(sources.c.id, sources.c.name, sources.c.kind).where(sources.c.key == fold_name(name))
    holder = connection.execute(statement).one_or_none()
    if holder is not None and holder.id != source_id:
        raise SourceExists(f"A {holder.kind} named {holder.name} already exists.")


def _list_values(new: NewSource) -> dict[str, Any]:
    return {
        "name": new.name,
        "key": fold_name(new.name),
        "definition": new.definition,
        "enabled": int(new.enabled),
    }


def _find(connection: Connection, condition: Any) -> Source | None:
    row = connection.execute(select(sources).where(condition, _IS_SOURCE)).one_or_none()
    return None if row is None else _read(row)


def _read(row: Any) -> Source:
    return Source(
        id=row.id,
        name=row.name,
        definition=row.definition,
        enabled=bool(row.enabled),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        sealed_headers=row.headers,
    )
