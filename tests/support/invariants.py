"""Invariants that hold after a crawl whatever happened to it, checked on the store and the origin's log
together."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from tests.support.crawler import (
    UNCOMMITTED_S,
    Where,
    assert_complete,
    assert_repeats_are_recent,
    count_requests,
    query,
)
from tests.support.store import Rows
from tests.support.web import LoggedRequest, TestWeb, assert_polite


def assert_whole(
    where: Where,
    web: TestWeb,
    *,
    delay_s: float,
    losses: Sequence[float] = (),
    uncommitted_s: float = UNCOMMITTED_S,
    tolerance_s: float = 0.02,
) -> None:
    """Check a crawl that has ended: nothing is lost, nothing is stored twice, it was polite, and repeated
    requests repeat those from at most `uncommitted_s` before a loss. `losses`: when a worker died or lost its
    leases; without any, every page was requested exactly once."""
    requests = web.requests()
    assert_complete(where, web)
    assert_stored_as_asked(where, requests)
    assert_polite(requests, delay_s, tolerance_s=tolerance_s)
    assert_repeats_are_recent(requests, losses, uncommitted_s)


def assert_stored_as_asked(where: Where, requests: Sequence[LoggedRequest]) -> None:
    """Check that every answered visit is in the origin's log, and at most one per url was stored: if a worker
    had written without a lease, its visit would appear next to that of the lease holder."""
    asked = count_requests(requests)
    rows = query(
        where,
        "SELECT u.url, count(v.status), sum(CASE WHEN v.outcome = 'fetched' THEN 1 ELSE 0 END)"
        " FROM visits v JOIN urls u ON u.id = v.url_id GROUP BY u.url",
    )
    for url, visits, fetched in rows:
        parts = urlsplit(url)
        place = (parts.hostname or "", parts.path)
        assert visits <= asked[place], f"{visits} visits of {url}, which was requested {asked[place]} times"
        assert fetched <= 1, f"{url} was stored {fetched} times"


def list_held(where: Where, pids: Sequence[int]) -> Rows:
    """List the domains that these processes hold according to the store."""
    those = ", ".join(map(str, pids))
    return query(
        where,
        "SELECT d.name, w.pid FROM domains d JOIN workers w ON w.id = d.claimed_by"
        f" WHERE w.ended_at IS NULL AND w.pid IN ({those})",
    )


def list_visits(where: Where, pid: int, before: float) -> set[tuple[object, ...]]:
    """List the visits before that instant that a process has stored."""
    return set(
        query(
            where,
            "SELECT v.domain_id, v.url_id, v.at FROM visits v JOIN workers w ON w.id = v.worker_id"
            f" WHERE w.pid = {pid} AND v.at < {before}",
        )
    )
