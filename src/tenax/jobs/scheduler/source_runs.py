"""Opens the runs of executions. See launching.Launcher."""

from collections.abc import Callable

from tenax.config import Settings
from tenax.crawl.run.opening import Opener
from tenax.errors import ConfigError
from tenax.job_records import Execution, Job
from tenax.jobs.dispatch.base import Dispatch
from tenax.jobs.sources.definition import SourceDefinition, load_definition, to_settings
from tenax.record import record
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.base import Run
from tenax.stores.jobs.sources import find_source
from tenax.web.urls import parse_url


def _take_start(url: str, settings: Settings) -> str:
    """Without the parameters that do not count in this source."""
    return parse_url(url, keep=settings.scope.kept_names) or url


@record
class SourceLauncher:
    settings: Settings  # the server's
    check: Callable[[Settings], None]
    stores: Stores
    access: Access
    dispatch: Dispatch

    async def launch(self, job: Job, execution: Execution) -> Run:
        definition = await self._load(job.source_id)
        settings = to_settings(definition, self.settings)
        self.check(settings)
        starts = definition.seeds if job.url is None else (_take_start(job.url, settings),)
        opener = self._build_opener(job.source_id, settings)
        run = await opener.launch(
            execution.id, starts, roots={*definition.seeds, *starts}, recrawl=definition.recrawl
        )
        # Whoever dies before this comes back for the same run: a task is added once.
        now = self.stores.calendar.now()
        await self.access.write(
            lambda connection: self.dispatch.enlist(connection, run.id, job.priority, now)
        )
        return run

    async def _load(self, source_id: int) -> SourceDefinition:
        source = await self.access.read(lambda connection: find_source(connection, source_id))
        if source is None:
            raise ConfigError(f"There is no source {source_id} any more.")
        if not source.enabled:
            raise ConfigError(f"The source {source.name!r} is disabled.")
        return load_definition(source)

    def _build_opener(self, source_id: int, settings: Settings) -> Opener:
        stores = self.stores.of_source(source_id)
        return Opener(settings=settings, stores=stores)
