"""Sources with their jobs: a change to one changes the other in the same transaction.

Changes are announced after the commit. A process that misses the announcement loses nothing: the store has
the change.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from tenax.clock import Instant
from tenax.coordination.base import Coordination, Notice
from tenax.errors import NoSuchSource, SecretError
from tenax.jobs.sources.changes import SourceChange, SourceChangeKind, plan_changes
from tenax.jobs.sources.definition import (
    SourceDefinition,
    format_definition,
    load_definition,
    read_definition,
)
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.jobs.sources.hidden_headers import plan_headers
from tenax.jobs.sources.job_sync import JobStep, sync_job
from tenax.jobs.sources.promotion import promote
from tenax.record import record
from tenax.records.jobs import Job, Source
from tenax.stores.access import Access
from tenax.stores.accounts.retry import write_with_retry
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs import sources
from tenax.stores.jobs.source_jobs import list_own_jobs
from tenax.stores.jobs.sources import NewSource, SourceFilter
from tenax.stores.paging import ListSlice, SliceRequest
from tenax.stores.place import Place
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")


@record
class JobSync:
    """What happened to the job of a source."""

    source: Source
    step: JobStep
    trouble: str | None = None  # why it cannot be read


class Sources:
    def __init__(self, place: Place, access: Access, coordination: Coordination) -> None:
        self._place = place
        self._access = access
        self._coordination = coordination
        self._vault = access.vault

    # --- reading -------------------------------------------------------------------------------------

    async def get(self, source_id: int) -> Source:
        """Raises NoSuchSource."""
        found = await self._access.read(partial(sources.find_source, source_id=source_id))
        if found is None:
            raise NoSuchSource
        return found

    async def find_by_name(self, name: str) -> Source | None:
        return await self._access.read(partial(sources.find_source_by_name, name=name))

    async def list(self, wanted: SliceRequest, only: SourceFilter) -> ListSlice[Source]:
        return await self._access.read(partial(sources.slice_sources, wanted=wanted, only=only))

    async def list_all(self) -> Sequence[Source]:
        """All sources, by name."""
        return await self._access.read(sources.list_sources)

    def open_headers(self, source: Source) -> Mapping[str, str]:
        """The values of its headers. Raises SecretError."""
        return sources.open_headers(source, self._vault)

    async def list_jobs(self, source_ids: Collection[int] | None = None) -> dict[int, Job]:
        """The jobs that belong to sources, by source id. None: of all sources."""
        return await self._access.read(partial(list_own_jobs, source_ids=source_ids))

    # --- changing ------------------------------------------------------------------------------------

    async def add(self, definition: SourceDefinition) -> Source:
        """Add a source and its job; both are durable when this returns. Raises SourceExists, BadDefinition
        and SecretError."""

        def work(connection: Connection, now: Instant) -> Source:
            return _add(connection, definition, self._vault, now)

        return self._announce("added", await self._write(work))

    async def change(self, source_id: int, definition: SourceDefinition, version: int) -> Source:
        """Change a source. `version`: the one the caller has seen. Raises NoSuchSource, SourceChanged,
        SourceExists, BadDefinition and SecretError."""

        def work(connection: Connection, now: Instant) -> Source:
            known = sources.lock_source(connection, source_id)
            return _change(connection, replace(known, version=version), definition, self._vault, now)

        return self._announce("changed", await self._write(work))

    async def promote_parser(self, source_id: int, parser: str) -> Source:
        """Make the candidate of a parser the parser of a source, from its next run on. Raises NoSuchSource,
        UnreadableSource, and UsageError if it has no such candidate."""

        def work(connection: Connection, now: Instant) -> Source:
            known = sources.lock_source(connection, source_id)
            definition = promote(load_definition(known), parser)
            return _change(connection, known, definition, self._vault, now)

        return self._announce("changed", await self._write(work))

    async def set_enabled(self, source_id: int, enabled: bool) -> JobSync:
        """Enable or disable a source; its job is created, resumed or paused with it. Repeating is safe.
        Raises NoSuchSource."""

        def work(connection: Connection, now: Instant) -> JobSync:
            return _sync(connection, sources.set_enabled(connection, source_id, enabled, now), now)

        synced = await self._write(work)
        self._announce("enabled" if enabled else "disabled", synced.source)
        return synced

    async def remove(self, source_id: int) -> Source:
        """Remove a source and its jobs. What it has crawled stays. Raises NoSuchSource and SourceBusy."""

        def work(connection: Connection, now: Instant) -> Source:
            return sources.remove_source(connection, source_id)

        return self._announce("removed", await self._write(work))

    async def sync(self) -> Sequence[JobSync]:
        """Make the job of every source match it, in one transaction per source, so that nothing is blocked
        for long. Repeating is safe. A source removed meanwhile is skipped, and the job of a source that
        cannot be read stays as it is."""
        synced = []
        for source in await self.list_all():
            try:
                synced.append(await self._write(partial(_sync_known, source.id)))
            except NoSuchSource:
                continue
            except UnreadableSource as error:
                synced.append(JobSync(source=source, step=JobStep.UNREADABLE, trouble=str(error)))
        for each in synced:
            if each.step not in (JobStep.UNCHANGED, JobStep.UNREADABLE):
                self._announce("synced", each.source)
        return synced

    # --- a file of sources ------------------------------------------------------------------------------

    async def plan(self, definitions: Sequence[SourceDefinition], *, prune: bool) -> Sequence[SourceChange]:
        """What `apply` would do. Raises BadDefinition."""

        def work(connection: Connection) -> Sequence[SourceChange]:
            known = sources.list_sources(connection)
            return plan_changes(known, definitions, self._open_if_readable, prune=prune)

        return await self._access.read(work)

    async def apply(self, definitions: Sequence[SourceDefinition], *, prune: bool) -> Sequence[SourceChange]:
        """Make the sources match a file, all or none. `prune`: remove sources that are not in it. Repeating
        is safe. Raises BadDefinition, SecretError, and SourceBusy if a source to be removed is being
        crawled."""

        def work(connection: Connection, now: Instant) -> Sequence[SourceChange]:
            known = sources.lock_all_sources(connection)
            changes = plan_changes(known, definitions, self._open_if_readable, prune=prune)
            return [_apply_change(connection, change, self._vault, now) for change in changes]

        done = await self._write(work)
        for change in done:
            if change.source is not None and change.kind is not SourceChangeKind.UNCHANGED:
                self._announce(change.kind, change.source)
        return done

    def _open_if_readable(self, source: Source) -> Mapping[str, str]:
        """A header that can no longer be decrypted counts as changed when it is entered again."""
        try:
            return self.open_headers(source)
        except SecretError:
            return {}

    async def _write(self, work: Callable[[Any, Instant], T]) -> T:
        return await write_with_retry(
            self._access, lambda connection: work(connection, tell_time(self._place, connection))
        )

    def _announce(self, verb: str, source: Source) -> Source:
        notice = Notice(kind=f"source.{verb}", number=source.id, name=source.name, at=source.updated_at)
        self._coordination.announce(notice)
        return source


def _add(connection: Connection, definition: SourceDefinition, vault: Vault, now: Instant) -> Source:
    headers = plan_headers(definition, None, dict)
    added = sources.add_source(connection, _format(definition, headers), vault, now)
    return _sync(connection, added, now).source


def _change(
    connection: Connection, known: Source, definition: SourceDefinition, vault: Vault, now: Instant
) -> Source:
    """`known`: locked by this transaction, with the version that the caller has seen."""
    found = read_definition(known)
    headers = plan_headers(
        definition,
        None if isinstance(found, UnreadableSource) else found,
        lambda: sources.open_headers(known, vault),
    )
    changed = sources.change_source(
        connection, known.id, _format(definition, headers), known.version, vault, now
    )
    return _sync(connection, changed, now).source


def _apply_change(connection: Connection, change: SourceChange, vault: Vault, now: Instant) -> SourceChange:
    source, definition = change.source, change.definition
    match change.kind:
        case SourceChangeKind.ADDED if definition is not None:
            return change.with_source(_add(connection, definition, vault, now))
        case SourceChangeKind.CHANGED if definition is not None and source is not None:
            return change.with_source(_change(connection, source, definition, vault, now))
        case SourceChangeKind.REMOVED if source is not None:
            return change.with_source(sources.remove_source(connection, source.id))
    return change


def _sync_known(source_id: int, connection: Connection, now: Instant) -> JobSync:
    return _sync(connection, sources.lock_source(connection, source_id), now)


def _sync(connection: Connection, source: Source, now: Instant) -> JobSync:
    """`source`: locked by this transaction."""
    return JobSync(source=source, step=sync_job(connection, source, now))


def _format(definition: SourceDefinition, headers: Mapping[str, str] | None) -> NewSource:
    return NewSource(
        name=definition.name,
        definition=format_definition(definition),
        enabled=definition.enabled,
        headers=headers,
    )
