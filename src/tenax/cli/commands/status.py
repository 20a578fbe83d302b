"""`tenax status`."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.breakers import format_breakers
from tenax.cli.show.found_items import list_commands, list_counts
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
from tenax.config.loading import load_settings
from tenax.config.masking import HIDDEN
from tenax.config.settings import Settings, Values
from tenax.crawl.insight.waiting import describe_foreign
from tenax.policy.quality.parser_results import describe_barren, sum_counts
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.records.urls import Fate
from tenax.runtime.redis import RedisView, look_at_redis
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.contracts.vitals import BackingService
from tenax.stores.databases.reader import (
    find_foreign,
    find_identity,
    measure_store,
    read_store,
    tell_store_time,
)
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.runs import ActiveRun, RunSummary
from tenax.stores.queries.status import QueueStatus, StoreStatus, load_status
from tenax.stores.queries.workers import BreakerSummary, WorkerSummary
from tenax.stores.schema.migrations import REVISION
from tenax.visible import clean
from tenax.wording import count_of

# A worker reports twice a second: one that has been silent for this long is gone or disconnected.
SILENT_S = 10.0
NAMED_WORKERS = 4
CRAWLS_SHOWN = 5

app = new_app()


@record
class StatusContext:
    """What is shown beside the contents of a store."""

    place: Place
    size_bytes: int
    now: Instant
    redis: RedisView | None
    foreign: ForeignTransaction | None


@app.command()
def status(
    data: DataOption = None,
    store: StoreOption = None,
    redis: Annotated[
        str | None,
        typer.Option("--redis", metavar="URL", help="Redis to check.", show_default="that of the last run"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what a crawl holds, what is queued and what to do next."""
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
    view = view_redis(settings, identity, found) if settings.redis.url else None
    if json:
        seen = as_json(asdict(view)) if view else None
        foreign_json = as_json(asdict(foreign)) if foreign else None
        shown = build_json(found, place, size_bytes, now)
        show_json({**shown, "redis": seen, "foreign_transaction": foreign_json})
    else:
        context = StatusContext(place=place, size_bytes=size_bytes, now=now, redis=view, foreign=foreign)
        show_status(found, context)


def choose_redis(given: str | None, last: Settings) -> Settings:
    """The Redis that is given, or else the one of the last run, unless it needs a password."""
    overrides: Values = {"redis": {"url": given}} if given else {}
    settings = load_settings(overrides=overrides)
    if settings.redis.url is None and HIDDEN not in (last.redis.url or ""):
        settings = settings.model_copy(update={"redis": last.redis})
    check_settings(settings)
    return settings


def view_redis(settings: Settings, store: str | None, found: StoreStatus) -> RedisView:
    return asyncio.run(look_at_redis(settings, store or "", [run.id for run in found.runs_under_way]))


def format_redis(view: RedisView, found: StoreStatus, now: Instant) -> str:
    if view.trouble is not None:
        return f"{view.trouble}; crawls continue without it"
    at_work = {worker.uuid for worker in found.workers}
    live = [report for report in view.reports if report.worker in at_work and report.at > now - SILENT_S]
    if not live:
        return "reachable"
    rate = sum(report.pages_per_s for report in live)
    return f"reachable, {count_of(len(live), 'worker')} at {rate:.1f} pages/s"


def show_status(found: StoreStatus, context: StatusContext) -> None:
    now, redis, foreign = context.now, context.redis, context.foreign
    show(
        f"{clean(str(context.place))}: {count_of(found.pages, 'page')} of {count_of(found.urls, 'url')}",
        is_bold=True,
    )
    show_facts(
        [
            ("domains", _join_counts(found.domains)),
            ("urls", _join_counts(found.fates)),
            ("traffic", f"{count_of(found.requests, 'request')}, {format_bytes(found.wire_bytes)}"),
            ("store", f"{format_bytes(context.size_bytes)}, schema {REVISION}"),
            *list_bodies(found),
            *list_shown_runs(found, now),
            *list_parsed(found),
            ("workers", format_workers(found)),
            *([("redis", format_redis(redis, found, now))] if redis else []),
            ("breakers", format_breakers(list_used(found), now)),
            *([("notice", clean(describe_foreign(foreign)))] if foreign else []),
            *list_queued(found, now),
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
    """The breakers of what the last run uses. Those of a machine are only shown while it lacks something."""
    unused = {BackingService.MACHINE, BackingService.NETWORK}
    if found.settings.redis.url is None:
        unused.add(BackingService.REDIS)
    return [each for each in found.breakers if each.count or each.service not in unused]


def _join_counts(counts: Mapping[Fate, int] | Mapping[DomainStatus, int]) -> str:
    return ", ".join(f"{format_count(count)} {name}" for name, count in counts.items()) or NOTHING


def list_shown_runs(found: StoreStatus, now: Instant) -> list[tuple[str, str]]:
    """The active runs, or else the last one."""
    if not found.runs_under_way:
        return [("last run", format_last(run, now)) for run in found.runs[:1]]
    facts = [(f"run {run.id}", format_run(run, now)) for run in found.runs_under_way]
    if more := found.runs_count - len(facts):
        facts.append(("more runs", f"{format_count(more)} active; 'tenax runs' lists them"))
    return facts


def list_bodies(found: StoreStatus) -> list[tuple[str, str]]:
    """Empty: none are stored."""
    totals = found.bodies
    if not totals.files:
        return []
    lost = f"; {count_of(totals.lost_files, 'file')} lost" if totals.lost_files else ""
    held = f"{count_of(totals.bodies, 'body', 'bodies')}, {format_bytes(totals.bytes)}"
    return [("bodies", f"{held} in {count_of(totals.files, 'file')}{lost}")]


def list_parsed(found: StoreStatus) -> list[tuple[str, str]]:
    """Empty: no parser saw a page in the last day."""
    total = sum_counts(found.parsers)
    counts = list_counts(total.items, total.invalid, total.errors)
    said = [f"{', '.join(counts)} in the last day"] if counts else []
    said += [clean(clause) for clause in describe_barren(found.parsers)]
    return [("parsers", said[0]), *(("", clause) for clause in said[1:])] if said else []


def format_last(run: RunSummary, now: Instant) -> str:
    lasted = format_duration(max(run.last_sign_at - run.started_at, 0.0))
    pages = count_of(run.pages, "page")
    source = name_source(run.source_id, run.source_name)
    postponed = f", {count_of(run.postponed, 'new url')} postponed" if run.postponed else ""
    items = f", {count_of(run.items, 'item')}" if run.items else ""
    started = f"started {format_when(run.started_at, now)}"
    return f"{source}, {run.state}, {pages}{items} in {lasted}{postponed}, {started}"


def format_run(run: ActiveRun, now: Instant) -> str:
    """Format a run with its real state: one whose workers are gone was interrupted."""
    source = f"{name_source(run.source_id, run.source_name)}, "
    rate = f" at {run.pages_per_min / 60:.1f}/s" if run.workers else ""
    started = f"started {format_when(run.started_at, now)}"
    postponed = f", {count_of(run.postponed, 'new url')} postponed" if run.postponed else ""
    items = f", {count_of(run.items, 'item')}" if run.items else ""
    return f"{source}{find_state(run)}, {count_of(run.pages, 'page')}{items}{rate}{postponed}, {started}"


def find_state(run: ActiveRun) -> str:
    if run.state is RunState.PAUSED or run.workers:
        return run.state
    return "waiting for workers" if run.source_kind is SourceKind.SOURCE else "interrupted"


def format_workers(found: StoreStatus) -> str:
    live = [worker for worker in found.workers if worker.is_alive]
    dead = len(found.workers) - len(live)
    parts = [f"{len(live)} active ({_describe_workers(live)})"] if live else ["none active"]
    if stalls := [worker.stall for worker in live if worker.stall is not None]:
        parts.append(f"{len(stalls)} stalled ({stalls[0].cause}; 'tenax doctor' says what to do)")
    if dead:
        parts.append(f"{dead} dead; the next crawl takes over their domains")
    return ", ".join(parts)


def _describe_workers(live: list[WorkerSummary]) -> str:
    if len(live) > NAMED_WORKERS:
        hosts = count_of(len({worker.host for worker in live}), "host")
        return f"on {hosts}; 'tenax workers' lists them"
    return ", ".join(f"process {worker.pid} with {count_of(worker.domains, 'domain')}" for worker in live)


def list_queued(found: StoreStatus, now: Instant) -> list[tuple[str, str]]:
    if not found.queued:
        return []
    rest = f", {format_count(found.queued_at_rest)} of them in paused domains" if found.queued_at_rest else ""
    facts = [("queued", f"{count_of(found.queued, 'url')}{rest}")]
    if found.forecast_s:
        facts.append(("forecast", f"at least {format_duration(found.forecast_s)} for what is queued now"))
    return facts


def list_crawls(found: StoreStatus) -> list[tuple[str, str]]:
    """What is queued for each crawl, if there are several."""
    if len(found.crawls) < 2:
        return []
    facts = [
        ("crawl", f"{clean(each.name)}: {count_of(each.waiting, 'url')} queued")
        for each in found.crawls[:CRAWLS_SHOWN]
    ]
    if more := len(found.crawls) - len(facts):
        facts.append(("", f"and {count_of(more, 'more crawl')}"))
    return facts


def format_refresh(found: StoreStatus, now: Instant) -> str:
    if not found.settings.refresh.enabled:
        return "off (refresh.enabled)"
    if found.refresh_due:
        return f"pages of {count_of(found.refresh_due, 'domain')} are due: 'tenax refresh' revisits them"
    if found.next_revisit_at is None:
        return "nothing to revisit yet"
    return f"nothing due before {format_when(found.next_revisit_at, now)}"


def show_queues(queues: tuple[QueueStatus, ...], now: Instant) -> None:
    show_table(
        ("LONGEST QUEUES", "URLS", "DELAY", "DURATION", "PAUSED UNTIL"),
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
        return "it is unblocked"
    return format_when(queue.rests_until, now)


def is_running(found: StoreStatus) -> bool:
    return any(worker.is_alive for worker in found.workers)


def plan_next_step(found: StoreStatus, now: Instant) -> str:
    """One sentence about what to do next."""
    if found.runs_count > 1:
        return f"{found.runs_count} runs are active: 'tenax runs' can pause, resume or cancel one."
    (run,) = found.runs_under_way or (None,)
    if is_running(found):
        if run is not None and run.source_kind is SourceKind.SOURCE:
            return "A run is active: 'tenax runs pause' pauses it, 'tenax runs cancel' ends it."
        return "A crawl is active; Ctrl-C in its terminal stops it without loss."
    if run is not None and run.state is RunState.PAUSED:
        return f"The run is paused: 'tenax runs resume {run.id}' resumes it."
    if run is not None and run.source_kind is SourceKind.SOURCE:
        return "The run is waiting for workers: start 'tenax serve' or 'tenax worker'."
    if not found.urls:
        return "The store is empty: start with 'tenax crawl URL'."
    if found.queued and found.queued == found.queued_at_rest:
        return "All queued urls are in paused domains; 'tenax domains' shows why and until when."
    if run is not None:
        return "The last run was interrupted and nothing is lost: run the same crawl command to continue."
    if len(found.crawls) > 1:
        return "Several crawls have work left: 'tenax crawl --name NAME' resumes one of them."
    if found.crawls:
        return "Run the same crawl command to continue."
    if found.queued:
        return "The queued urls belong to sources: their next runs continue with them."
    if not found.pages:
        return "No page could be fetched: 'tenax domains' and 'tenax explain URL' show why."
    return f"Everything known is done: {name_lists(found)}."


def name_lists(found: StoreStatus) -> str:
    total = sum_counts(found.parsers)
    items = total.items or sum(run.items for run in found.runs)
    if not (items or total.invalid or total.errors):
        return "'tenax export pages' exports the pages"
    commands = list_commands(items, total.invalid, total.errors)
    return "see " + ", ".join(f"'tenax {name}'" for name in commands)


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
