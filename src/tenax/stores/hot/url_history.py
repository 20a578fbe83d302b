"""What a store knows about a url, dated by the calendar for display."""

from tenax.clock import Instant
from tenax.record import replace
from tenax.records.domains import DomainState, RobotsRecord
from tenax.stores.contracts.lookup import DomainRow, UrlHistory, UrlRow


def date_history(history: UrlHistory, drift_s: float) -> UrlHistory:
    """`drift_s`: from the store's clock, which rests, leases and due instants are measured by, to the
    calendar."""
    if not drift_s:
        return history
    return replace(
        history,
        url=None if history.url is None else _date_url(history.url, drift_s),
        domain=None if history.domain is None else _date_domain(history.domain, drift_s),
        robots=None if history.robots is None else _date_robots(history.robots, drift_s),
    )


def _date_url(url: UrlRow, drift_s: float) -> UrlRow:
    return replace(url, due_at=_move(url.due_at, drift_s))


def _date_domain(domain: DomainRow, drift_s: float) -> DomainRow:
    return replace(
        domain,
        state=_date_state(domain.state, drift_s),
        avail_at=_move(domain.avail_at, drift_s),
        claim_expires_at=_move(domain.claim_expires_at, drift_s),
    )


def _date_state(state: DomainState, drift_s: float) -> DomainState:
    pace = replace(
        state.pace,
        last_start_at=_move(state.pace.last_start_at, drift_s),
        last_answer_at=_move(state.pace.last_answer_at, drift_s),
        backoff_until=_move(state.pace.backoff_until, drift_s),
        last_backoff_at=_move(state.pace.last_backoff_at, drift_s),
    )
    breaker = replace(state.breaker, reopen_at=_move(state.breaker.reopen_at, drift_s))
    return replace(state, pace=pace, breaker=breaker, next_crawl_after=_move(state.next_crawl_after, drift_s))


def _date_robots(robots: RobotsRecord, drift_s: float) -> RobotsRecord:
    return replace(robots, fetched_at=robots.fetched_at + drift_s, expires_at=robots.expires_at + drift_s)


def _move(instant: Instant | None, drift_s: float) -> Instant | None:
    return None if instant is None else instant + drift_s
