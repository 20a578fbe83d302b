"""Sources with their jobs: whatever changes one changes the other in the same transaction.

What has changed is announced after the commit. Who does not hear of it loses nothing: the store knows.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from tenax.clock import Instant
from tenax.coordination.base import Coordination, Notice
from tenax.errors import NoSuchSource, SecretError
from tenax.job_records import Job, Source
from tenax.jobs.sources.changes import SourceChange, SourceChangeKind, plan_changes
from tenax.jobs.sources.definition import SourceDefinition, format_definition, read_definition
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.jobs.sources.hidden_headers import plan_headers
from tenax.jobs.sources.own_jobs import JobStep, sync_job
from tenax.record import record
from tenax.stores.access import Access
from tenax.stores.accounts.retry import write_again
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
    """What became of the job of a source."""

    source: Source
    step: JobStep
    trouble: str | None = None  # why it cannot be read


class Sources:
    def __init__(self, place: Place, access: Access, coordination: Coordination) -> None:
        self._place = place
        self._access = access
        self._coordination = coordination
        self._vault = access.vault

    # --- looking -------------------------------------------------------------------------------------

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
        """By name."""
        return await self._access.read(sources.list_sources)

    def open_headers(self, source: Source) -> Mapping[str, str]:
        """What its headers say. Raises SecretError."""
        return sources.open_headers(source, self._vault)

    async def list_jobs(self, source_ids: Collection[int] | None = None) -> dict[int, Job]:
        """Those that sources have by themselves, by the source's id. None: of all sources."""
        return await self._access.read(partial(list_own_jobs, source_ids=source_ids))

    # --- changing ------------------------------------------------------------------------------------

    async def add(self, definition: SourceDefinition) -> Source:
        """Durable, and its job is made, when this returns. Raises SourceExists, BadDefinition and
        SecretError."""

        def work(connection: Connection, now: Instant) -> Source:
            return _add(connection, definition, self._vault, now)

        return self._announce("added", await self._write(work))

    async def change(self, source_id: int, definition: SourceDefinition, version: int) -> Source:
        """`version`: the one that was seen. Raises NoSuchSource, SourceChanged, SourceExists, BadDefinition
        and SecretError."""

        def work(connection: Connection, now: Instant) -> Source:
            known = sources.lock_source(connection, source_id)
            return _change(connection, replace(known, version=version), definition, self._vault, now)

        return self._announce("changed", await self._write(work))

    async def set_enabled(self, source_id: int, enabled: bool) -> JobSync:
        """Its job is made, resumed or paused with it. Repeating is safe. Raises NoSuchSource."""

        def work(connection: Connection, now: Instant) -> JobSync:
            return _sync(connection, sources.set_enabled(connection, source_id, enabled, now), now)

        synced = await self._write(work)
        self._announce("enabled" if enabled else "disabled", synced.source)
        return synced

    async def remove(self, source_id: int) -> Source:
        """With its jobs. What it has crawled stays. Raises NoSuchSource and SourceBusy."""

        def work(connection: Connection, now: Instant) -> Source:
            return sources.remove_source(connection, source_id)

        return self._announce("removed", await self._write(work))

    async def sync(self) -> Sequence[JobSync]:
        """Make the job of every source what the source says it is: a transaction per source, so that nobody
        waits long for it. Repeating is safe; a source that is removed meanwhile is passed over, and the job
        of one that cannot be read stays as it is."""
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

    # --- a file of them ------------------------------------------------------------------------------

    async def plan(self, definitions: Sequence[SourceDefinition], *, prune: bool) -> Sequence[SourceChange]:
        """What `apply` would do. Raises BadDefinition."""

        def work(connection: Connection) -> Sequence[SourceChange]:
            known = sources.list_sources(connection)
            return plan_changes(known, definitions, self._open_if_possible, prune=prune)

        return await self._access.read(work)

    async def apply(self, definitions: Sequence[SourceDefinition], *, prune: bool) -> Sequence[SourceChange]:
        """Make the sources what a file says, all or none. `prune`: those that are not in it are removed.
        Repeating is safe. Raises BadDefinition, SecretError, and SourceBusy if one that is to be removed
        is."""

        def work(connection: Connection, now: Instant) -> Sequence[SourceChange]:
            known = sources.lock_all_sources(connection)
            changes = plan_changes(known, definitions, self._open_if_possible, prune=prune)
            return [_carry_out(connection, change, self._vault, now) for change in changes]

        done = await self._write(work)
        for change in done:
            if change.source is not None and change.kind is not SourceChangeKind.UNCHANGED:
                self._announce(change.kind, change.source)
        return done

    def _open_if_possible(self, source: Source) -> Mapping[str, str]:
        """A header that nobody can open any more is another one when it is said again."""
        try:
            return self.open_headers(source)
        except SecretError:
            return {}

    async def _write(self, work: Callable[[Any, Instant], T]) -> T:
        return await write_again(
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
    """`known`: locked by this transaction, with the version that was seen."""
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


def _carry_out(connection: Connection, change: SourceChange, vault: Vault, now: Instant) -> SourceChange:
    source, definition = change.source, change.definition
    match change.kind:
        case SourceChangeKind.ADDED if definition is not None:
            return change.about(_add(connection, definition, vault, now))
        case SourceChangeKind.CHANGED if definition is not None and source is not None:
            return change.about(_change(connection, source, definition, vault, now))
        case SourceChangeKind.REMOVED if source is not None:
            return change.about(sources.remove_source(connection, source.id))
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
