"""The results of a run, for the execution that it belongs to. Reads only; counts no visits one by one."""

from typing import Any, Final

import orjson
from sqlalchemy import Connection, and_, func, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.runs import RunState
from tenax.records.urls import Fate
from tenax.stores.schema.domains import domains
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.pages import changes, pages
from tenax.stores.schema.runs import runs, workers
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, list_addresses

_MOST_HOPS: Final = 5


@record
class RunResult:
    state: RunState
    started_at: Instant
    is_cancelled: bool
    pages: int
    changed: int
    failed: int  # visits
    cpu_ms: int
    peak_rss_bytes: int
    failure: str | None  # why nothing was fetched; None: something was, or nothing went wrong


@record
class StartPage:
    content_hash: str
    fetched_at: Instant


def measure_run(connection: Connection, run_id: int) -> RunResult | None:
    """None: the run no longer exists."""
    run = connection.execute(select(runs).where(runs.c.id == run_id)).one_or_none()
    if run is None:
        return None
    of_run = workers.c.run_id == run_id
    cpu_ms, peak = connection.execute(
        select(func.sum(workers.c.cpu_ms), func.max(workers.c.peak_rss_bytes)).where(of_run)
    ).one()
    has_nothing = run.visits == run.failed and not run.pages
    return RunResult(
        state=RunState(run.state),
        started_at=run.started_at,
        is_cancelled=run.cancelled_at is not None,
        pages=run.pages,
        changed=_count_changes(connection, run),
        failed=run.failed,
        cpu_ms=int(cpu_ms or 0),
        peak_rss_bytes=peak or 0,
        failure=_find_failure(connection, run) if has_nothing else None,
    )


def find_start_page(connection: Connection, source_id: int, url: str | None) -> StartPage | None:
    """The start page of a job: its url or the first seed of its source, with redirects followed. None: it was
    never fetched."""
    address = url or _find_seed(connection, source_id)
    for _ in range(_MOST_HOPS):
        row = _find_url(connection, address) if address else None
        if row is None:
            return None
        if row.fate != Fate.REDIRECTED:
            return _read_start_page(row)
        address = row.to_url
    return None


def _read_start_page(row: Any) -> StartPage | None:
    if row.content_hash is None or row.fetched_at is None:
        return None
    return StartPage(content_hash=f"{row.content_hash & (1 << 64) - 1:016x}", fetched_at=row.fetched_at)


def _count_changes(connection: Connection, run: Any) -> int:
    # By time as well, as that column has an index.
    of_run = (changes.c.at >= run.started_at, changes.c.run_id == run.id)
    return (connection.scalar(select(func.count()).where(*of_run)) or 0) + _count_new_pages(connection, run)


def _count_new_pages(connection: Connection, run: Any) -> int:
    """New pages have no row in `changes`. They are counted by their first visit, in the domains of the run's
    source: a domain belongs to one source at a time."""
    is_new = pages.c.first_fetched_at >= run.started_at
    if run.ended_at is not None:
        is_new = and_(is_new, pages.c.first_fetched_at <= run.ended_at)
    statement = select(func.count()).select_from(pages.join(domains, domains.c.id == pages.c.domain_id))
    return connection.scalar(statement.where(is_new, domains.c.source_id == run.source_id)) or 0


def _find_failure(connection: Connection, run: Any) -> str | None:
    """Why a run has no pages; None: nothing went wrong."""
    # A robots.txt request that got any response is not a failure.
    is_failure = and_(
        visits.c.error_kind.isnot(None), or_(visits.c.outcome != "robots", visits.c.status.is_(None))
    )
    of_run = (visits.c.id > run.first_visit_id, visits.c.run_id == run.id)
    statement = (
        select(visits.c.error_kind, visits.c.error_detail, domains.c.name)
        .join(domains, domains.c.id == visits.c.domain_id)
        .where(*of_run, is_failure)
        .order_by(visits.c.id.desc())
        .limit(1)
    )
    row = connection.execute(statement).one_or_none()
    if row is not None:
        last = f"{row.name}: {row.error_kind}, {row.error_detail}"
        return f"No page could be fetched; the last failure was at {last}."
    return "No page could be fetched." if run.failed else None


def _find_seed(connection: Connection, source_id: int) -> str | None:
    text = connection.scalar(select(sources.c.definition).where(sources.c.id == source_id))
    seeds = orjson.loads(text).get("seeds") if text else None
    return seeds[0] if seeds else None


def _find_url(connection: Connection, url: str) -> Any:
    statement = select(urls.c.fate, urls.c.content_hash, urls.c.fetched_at, urls.c.to_url).join(
        domains, domains.c.id == urls.c.domain_id
    )
    for address in list_addresses(url):
        is_it = (domains.c.name == domain_of(address), urls.c.key == url_key(address))
        if (row := connection.execute(statement.where(*is_it)).one_or_none()) is not None:
            return row
    return None
