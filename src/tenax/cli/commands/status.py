"""`tenax status`."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, RedisOption, StoreOption, locate, new_app
from tenax.cli.show.breakers import format_breakers
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_bytes,
    format_count,
    format_duration,
    format_when,
    name_source,
    show,
    show_facts,
    show_json,
    show_table,
)
from tenax.clock import Instant
from tenax.config import HIDDEN, Settings, Values, load_settings
from tenax.crawl.insight.waiting import describe_foreign
from tenax.job_records import SourceKind
from tenax.records import DomainStatus, Fate, RunState
from tenax.runtime.redis import RedisView, look_at_redis
from tenax.runtime.settings import check_settings
from tenax.stores.base import ForeignTransaction
from tenax.stores.hot.vitals import BackingService
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.active_runs import ActiveRun
from tenax.stores.queries.status import QueueStatus, RunSummary, StoreStatus, load_status
from tenax.stores.queries.workers import BreakerSummary, WorkerSummary
from tenax.stores.reading import find_foreign, find_identity, measure_store, read_store, tell_store_time
from tenax.stores.schema.migrations import REVISION
from tenax.visible import clean
from tenax.wording import count_of

# A worker reports twice a second: one that was silent for so long is gone or cut off.
SILENT_S = 10.0
NAMED_WORKERS = 4
CRAWLS_SHOWN = 5

app = new_app()


@app.command()
def status(
    data: DataOption = None,
    store: StoreOption = None,
    redis: RedisOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what a crawl holds, what waits in it and what to do next."""
    place = locate(store, data)
    signs = find_signs(place.folder / WORKERS_NAME)
    found, now, size_bytes, identity, foreign = read_store(
        place,
        lambda connection: (
            load_status(connection, signs=signs, now=(now := tell_store_time(place, connection))),
            now,
            measure_store(place, connection),
            find_identity(place, connection),
            find_foreign(place, connection),
        ),
    )
    settings = choose_redis(redis, found.settings)
    view = look(settings, identity, found) if settings.redis.url else None
    if json:
        seen = as_json(asdict(view)) if view else None
        foreign_json = as_json(asdict(foreign)) if foreign else None
        shown = build_json(found, place, size_bytes, now)
        show_json({**shown, "redis": seen, "foreign_transaction": foreign_json})
    else:
        show_status(found, place, size_bytes, now, view, foreign)


def choose_redis(given: str | None, last: Settings) -> Settings:
    """The Redis that is named, or else the one of the last run, if it can be asked without a password."""
    overrides: Values = {"redis": {"url": given}} if given else {}
    settings = load_settings(overrides=overrides)
    if settings.redis.url is None and HIDDEN not in (last.redis.url or ""):
        settings = settings.model_copy(update={"redis": last.redis})
    check_settings(settings)
    return settings


def look(settings: Settings, store: str | None, found: StoreStatus) -> RedisView:
    return asyncio.run(look_at_redis(settings, store or "", [run.id for run in found.runs_under_way]))


def format_redis(view: RedisView, found: StoreStatus, now: Instant) -> str:
    if view.trouble is not None:
        return f"{view.trouble}; crawls go on without it"
    at_work = {worker.uuid for worker in found.workers}
    live = [report for report in view.reports if report.worker in at_work and report.at > now - SILENT_S]
    if not live:
        return "answers"
    rate = sum(report.pages_per_s for report in live)
    return f"answers, {count_of(len(live), 'worker')} at {rate:.1f} pages/s"


def show_status(
    found: StoreStatus,
    place: Place,
    size_bytes: int,
    now: Instant,
    redis: RedisView | None,
    foreign: ForeignTransaction | None,
) -> None:
    show(
        f"{clean(str(place))}: {count_of(found.pages, 'page')} of {count_of(found.urls, 'url')}", is_bold=True
    )
    show_facts(
        [
            ("domains", _join_counts(found.domains)),
            ("urls", _join_counts(found.fates)),
            ("traffic", f"{count_of(found.requests, 'request')}, {format_bytes(found.wire_bytes)}"),
            ("store", f"{format_bytes(size_bytes)}, schema {REVISION}"),
            *list_shown_runs(found, now),
            ("workers", format_workers(found)),
            *([("redis", format_redis(redis, found, now))] if redis else []),
            ("breakers", format_breakers(list_used(found), now)),
            *([("notice", clean(describe_foreign(foreign)))] if foreign else []),
            *list_waiting(found, now),
            *list_crawls(found),
            ("refresh", format_refresh(found, now)),
        ],
        indent="  ",
    )
    if found.queues:
        show()
        show_queues(found.queues, now)
    show()
    show(plan_next_step(found, now))


def list_used(found: StoreStatus) -> list[BreakerSummary]:
    """The breakers of what the last run uses. That of a machine is shown while it is short of something."""
    unused = (
        {BackingService.MACHINE}
        if found.settings.redis.url is not None
        else {BackingService.MACHINE, BackingService.REDIS}
    )
    return [each for each in found.breakers if each.count or each.service not in unused]


def _join_counts(counts: Mapping[Fate, int] | Mapping[DomainStatus, int]) -> str:
    return ", ".join(f"{format_count(count)} {name}" for name, count in counts.items()) or NOTHING


def list_shown_runs(found: StoreStatus, now: Instant) -> list[tuple[str, str]]:
    """All that are under way; if none is, the last one."""
    if not found.runs_under_way:
        return [("last run", format_last(run, now)) for run in found.runs[:1]]
    facts = [(f"run {run.id}", format_run(run, now)) for run in found.runs_under_way]
    if more := found.runs_count - len(facts):
        facts.append(("more runs", f"{format_count(more)} under way; 'tenax runs' lists them"))
    return facts


def format_last(run: RunSummary, now: Instant) -> str:
    lasted = format_duration(max(run.last_sign_at - run.started_at, 0.0))
    pages = count_of(run.pages, "page")
    source = name_source(run.source_id, run.source_name)
    return f"{source}, {run.state}, {pages} in {lasted}, started {format_when(run.started_at, now)}"


def format_run(run: ActiveRun, now: Instant) -> str:
    """Its state as it really is: one whose workers are gone was cut off."""
    source = f"{name_source(run.source_id, run.source_name)}, "
    rate = f" at {run.pages_per_min / 60:.1f}/s" if run.workers else ""
    started = f"started {format_when(run.started_at, now)}"
    return f"{source}{find_state(run)}, {count_of(run.pages, 'page')}{rate}, {started}"


def find_state(run: ActiveRun) -> str:
    if run.state is RunState.PAUSED or run.workers:
        return run.state
    return "waiting for workers" if run.source_kind is SourceKind.SOURCE else "cut off"


def format_workers(found: StoreStatus) -> str:
    live = [worker for worker in found.workers if worker.is_alive]
    dead = len(found.workers) - len(live)
    parts = [f"{len(live)} at work ({_describe_workers(live)})"] if live else ["none at work"]
    if dead:
        parts.append(f"{dead} died; the next crawl takes over what they held")
    return ", ".join(parts)


def _describe_workers(live: list[WorkerSummary]) -> str:
    if len(live) > NAMED_WORKERS:
        hosts = count_of(len({worker.host for worker in live}), "host")
        return f"on {hosts}; 'tenax workers' lists them"
    return ", ".join(f"process {worker.pid} with {count_of(worker.domains, 'domain')}" for worker in live)


def list_waiting(found: StoreStatus, now: Instant) -> list[tuple[str, str]]:
    if not found.queued:
        return []
    rest = (
        f", {format_count(found.queued_at_rest)} of them in domains that rest" if found.queued_at_rest else ""
    )
    facts = [("waiting", f"{count_of(found.queued, 'url')}{rest}")]
    if found.forecast_s:
        facts.append(("forecast", f"at least {format_duration(found.forecast_s)} for what is known now"))
    return facts


def list_crawls(found: StoreStatus) -> list[tuple[str, str]]:
    """Where there are several: what waits for each."""
    if len(found.crawls) < 2:
        return []
    facts = [
        ("crawl", f"{clean(each.name)}: {count_of(each.waiting, 'url')} to go")
        for each in found.crawls[:CRAWLS_SHOWN]
    ]
    if more := len(found.crawls) - len(facts):
        facts.append(("", f"and {count_of(more, 'more crawl')}"))
    return facts


def format_refresh(found: StoreStatus, now: Instant) -> str:
    if not found.settings.refresh.enabled:
        return "off (refresh.enabled)"
    if found.refresh_due:
        return f"pages of {count_of(found.refresh_due, 'domain')} are due: 'tenax refresh' visits them again"
    if found.next_revisit_at is None:
        return "nothing to visit again yet"
    return f"nothing is due before {format_when(found.next_revisit_at, now)}"


def show_queues(queues: tuple[QueueStatus, ...], now: Instant) -> None:
    show_table(
        ("LONGEST QUEUES", "URLS", "DELAY", "TAKES", "RESTS UNTIL"),
        [
            (
                clean(queue.domain),
                format_count(queue.queued),
                format_duration(queue.delay_s),
                format_duration(queue.forecast_s),
                format_rest(queue, now),
            )
            for queue in queues
        ],
        right=(1, 2, 3),
    )


def format_rest(queue: QueueStatus, now: Instant) -> str:
    if queue.is_at_rest and queue.rests_until is None:
        return "somebody unblocks it"
    return format_when(queue.rests_until, now)


def is_running(found: StoreStatus) -> bool:
    return any(worker.is_alive for worker in found.workers)


def plan_next_step(found: StoreStatus, now: Instant) -> str:
    """One sentence for whoever asks what to do now."""
    if found.runs_count > 1:
        return f"{found.runs_count} runs are under way: 'tenax runs' with pause, resume or cancel steers one."
    (run,) = found.runs_under_way or (None,)
    if is_running(found):
        if run is not None and run.source_kind is SourceKind.SOURCE:
            return "A run is under way: 'tenax runs pause' and 'tenax runs cancel' steer it."
        return "A crawl is at work here; Ctrl-C in its terminal stops it without loss."
    if run is not None and run.state is RunState.PAUSED:
        return f"The run is paused: 'tenax runs resume {run.id}' lets it go on."
    if run is not None and run.source_kind is SourceKind.SOURCE:
        return "The run waits for workers: 'tenax serve' or 'tenax worker' goes on with it."
    if not found.urls:
        return "Nothing has been added yet: start with 'tenax crawl URL'."
    if found.queued and found.queued == found.queued_at_rest:
        return "All that waits belongs to domains that rest; 'tenax domains' says why and until when."
    if run is not None:
        return "The last run was cut off and nothing is lost: run the same crawl command to go on."
    if len(found.crawls) > 1:
        return "Several crawls wait: 'tenax crawl --name NAME' goes on with one of them."
    if found.crawls:
        return "Run the same crawl command to go on."
    if found.queued:
        return "What waits belongs to sources: their next runs go on with it."
    if not found.pages:
        return "Not one page could be fetched: 'tenax domains' and 'tenax explain URL' say why."
    return "Everything known is done: 'tenax export pages' writes the pages."


def build_json(found: StoreStatus, place: Place, size_bytes: int, now: Instant) -> dict[str, Any]:
    fields = asdict(found)
    fields["settings"] = found.settings.model_dump(mode="json")
    for queue, original in zip(fields["queues"], found.queues, strict=True):
        queue["forecast_s"] = original.forecast_s
    return {
        "data": str(place),
        "schema": REVISION,
        "store_bytes": size_bytes,
        "next_step": plan_next_step(found, now),
        **as_json(fields),
    }
