"""Opens the runs of executions."""

from collections.abc import Awaitable, Callable

from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import ConfigError
from tenax.jobs.dispatch.base import Dispatch
from tenax.jobs.sources.definition import SourceDefinition, load_definition, to_settings
from tenax.record import record
from tenax.records.jobs import Execution, Job
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.contracts.runs import Run
from tenax.stores.jobs.sources import find_source
from tenax.web.urls import parse_url

Launch = Callable[[Job, Execution], Awaitable[Run]]  # see Launcher.launch


@record
class Launcher:
    settings: Settings  # the server's
    check: Callable[[Settings], None]
    stores: Stores
    access: Access
    dispatch: Dispatch

    async def launch(self, job: Job, execution: Execution) -> Run:
        """Open the run of an execution, or find the one it already has.

        Repeating is safe, even from another process after the first one died at any point. The source is
        read as it is now. Raises DomainsBusy if another run is crawling the same domains; nothing was
        started, and a later attempt may succeed. Raises ConfigError if the source was removed, is disabled,
        or cannot be crawled as defined.
        """
        definition = await self._load(job.source_id)
        settings = to_settings(definition, self.settings)
        self.check(settings)
        starts = definition.seeds if job.url is None else (_normalize_start(job.url, settings),)
        opener = self._build_opener(job.source_id, settings)
        run = await opener.launch(
            execution.id, starts, roots={*definition.seeds, *starts}, recrawl=definition.recrawl
        )
        # A scheduler that dies before this line launches the same run again: a task is added only once.
        now = self.stores.calendar.now()
        await self.access.write(
            lambda connection: self.dispatch.enqueue(connection, run.id, job.priority, now)
        )
        return run

    async def _load(self, source_id: int) -> SourceDefinition:
        source = await self.access.read(lambda connection: find_source(connection, source_id))
        if source is None:
            raise ConfigError(f"Source {source_id} no longer exists.")
        if not source.enabled:
            raise ConfigError(f"The source {source.name!r} is disabled.")
        return load_definition(source)

    def _build_opener(self, source_id: int, settings: Settings) -> Opener:
        stores = self.stores.of_source(source_id)
        return Opener(settings=settings, stores=stores)


def _normalize_start(url: str, settings: Settings) -> str:
    """Drop the query parameters that the source does not keep."""
    return parse_url(url, keep=settings.scope.kept_names) or url
