"""All settings together, and which of them belong to a run and which to a machine."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from tenax.config.bodies import BodySettings
from tenax.config.crawl import (
    BreakerSettings,
    DomainSettings,
    LimitSettings,
    PolitenessSettings,
    RetrySettings,
    RobotsSettings,
    ScopeSettings,
    SimilaritySettings,
    SitemapSettings,
    TrapSettings,
    ValidationSettings,
)
from tenax.config.fetch import ArticleUse, ExtractSettings, FetchSettings, ReaderSettings
from tenax.config.guesses import ArchiveSettings, PaginationSettings
from tenax.config.network import NetworkSettings
from tenax.config.parsers import ParserSettings
from tenax.config.refresh import RefreshSettings
from tenax.config.service import DispatchSettings, JobSettings, ServerSettings, TracingSettings
from tenax.config.worker import RedisSettings, StoreSettings, WatchdogSettings, WorkerSettings


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreSettings = StoreSettings()
    scope: ScopeSettings = ScopeSettings()
    limits: LimitSettings = LimitSettings()
    traps: TrapSettings = TrapSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    robots: RobotsSettings = RobotsSettings()
    sitemaps: SitemapSettings = SitemapSettings()
    fetch: FetchSettings = FetchSettings()
    network: NetworkSettings = NetworkSettings()
    extract: ExtractSettings = ExtractSettings()
    reader: ReaderSettings = ReaderSettings()
    parsers: ParserSettings = ParserSettings()
    bodies: BodySettings = BodySettings()
    validation: ValidationSettings = ValidationSettings()
    retry: RetrySettings = RetrySettings()
    breaker: BreakerSettings = BreakerSettings()
    refresh: RefreshSettings = RefreshSettings()
    archives: ArchiveSettings = ArchiveSettings()
    pagination: PaginationSettings = PaginationSettings()
    similarity: SimilaritySettings = SimilaritySettings()
    domains: DomainSettings = DomainSettings()
    worker: WorkerSettings = WorkerSettings()
    watchdog: WatchdogSettings = WatchdogSettings()
    redis: RedisSettings = RedisSettings()
    server: ServerSettings = ServerSettings()

    jobs: JobSettings = JobSettings()
    dispatch: DispatchSettings = DispatchSettings()
    tracing: TracingSettings = TracingSettings()

    @property
    def uses_parsers(self) -> bool:
        """Whether a run with these settings makes items of pages."""
        return self.parsers.is_used or self.extract.article is not ArticleUse.NEVER


Values = dict[str, dict[str, Any]]  # section → setting → value

# Settings of the machine that a worker runs on. All others belong to the run and apply to all its workers.
MACHINE_SETTINGS = {
    "store": frozenset(StoreSettings.model_fields),
    "worker": frozenset(WorkerSettings.model_fields) - {"lease_s"},
    "watchdog": frozenset(WatchdogSettings.model_fields),
    "redis": frozenset(RedisSettings.model_fields),
    "server": frozenset(ServerSettings.model_fields),
    "jobs": frozenset(JobSettings.model_fields),
    "dispatch": frozenset(DispatchSettings.model_fields),
    "tracing": frozenset(TracingSettings.model_fields),
    # Headers, like all secrets, are not stored with the run.
    "fetch": frozenset({"dns_timeout_s", "dns_servers", "headers", "header_origins"}),
    "network": frozenset(NetworkSettings.model_fields) - {"enabled"},
    "parsers": frozenset({"files", "memory_mb", "processes"}),
}

# Settings that reveal where the parts of a service are and how it connects to others: for its operators only.
_SERVICE_SETTINGS = {**MACHINE_SETTINGS, "fetch": MACHINE_SETTINGS["fetch"] | {"resolve"}}


def split_settings(shown: Values) -> tuple[Values, Values]:
    """Split settings, perhaps of another version, into those shown to users of a service and the rest."""
    of_run: Values = {}
    of_service: Values = {}
    for section, values in shown.items():
        kept = _SERVICE_SETTINGS.get(section, frozenset())
        # An unknown section may hold anything.
        is_known = section in Settings.model_fields
        for name, value in values.items():
            part = of_run if is_known and name not in kept else of_service
            part.setdefault(section, {})[name] = value
    return of_run, of_service


def join_settings(stored: Settings, own: Settings, given: Values) -> Settings:
    """Combine the settings that a run was started with and the machine settings of the process that continues
    it. `given`: settings from its command line, which override those of the run."""
    joined = {}
    for section in Settings.model_fields:
        names = MACHINE_SETTINGS.get(section, frozenset()) | given.get(section, {}).keys()
        values = {name: getattr(getattr(own, section), name) for name in names}
        joined[section] = getattr(stored, section).model_copy(update=values)
    return Settings(**joined)
