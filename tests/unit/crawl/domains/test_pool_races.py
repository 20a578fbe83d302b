from array import array

from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import Phase
from tenax.crawl.domains.pool import RELEASE_AFTER_S, Pool
from tenax.records.domains import DomainState, Lease, Pace
from tenax.records.urls import Target
from tenax.stores.contracts.batches import LoadedDomain, QueueHead

NOW = 1_750_000_000.0
SETTINGS = Settings()


def make_domain(
    *, version: int = 1, urls: int = 1, backoff_s: float = 0.0, next_due_at: float | None = None
) -> LeasedDomain:
    pace = Pace(backoff_until=NOW + backoff_s if backoff_s else None)
    lease = Lease(
        domain_id=1,
        domain="a.test",
        version=version,
        expires_at=NOW + 60,
        state=DomainState(pace=pace),
        known_urls=urls,
    )
    head = QueueHead(targets=tuple(make_target(number) for number in range(urls)), next_due_at=next_due_at)
    return LeasedDomain(LoadedDomain(lease=lease, head=head, robots=[], known=array("q")), SETTINGS, NOW, 0.0)


def make_target(number: int) -> Target:
    return Target(
        id=number,
        url=f"http://a.test/{number}",
        key=number,
        depth=1,
        priority=2,
        attempts=0,
        hops=0,
        crashes=0,
        is_seed=False,
        etag=None,
        last_modified=None,
        content_hash=None,
    )


def test_domain_that_is_leased_anew_replaces_the_one_whose_lease_expired() -> None:
    pool = Pool()
    expired, anew = make_domain(version=1), make_domain(version=2)
    pool.add(expired, NOW)
    pool.add(anew, NOW)
    assert expired.phase is Phase.LOST
    assert (pool.pop_ready(NOW), pool.pop_ready(NOW)) == (anew, None)


def test_dropping_an_expired_lease_leaves_the_new_one() -> None:
    pool = Pool()
    expired, anew = make_domain(version=1), make_domain(version=2)
    pool.add(expired, NOW)
    pool.add(anew, NOW)
    pool.lose(expired)
    assert list(pool) == [anew]


def test_domain_that_must_rest_when_it_is_leased_is_given_back() -> None:
    pool = Pool()
    resting = make_domain(backoff_s=RELEASE_AFTER_S + 1)
    pool.add(resting, NOW)
    assert (pool.take_given_back(), len(pool)) == ([resting], 0)


def test_rest_that_begins_while_a_domain_is_scheduled_is_kept() -> None:
    pool = Pool()
    domain = make_domain()
    pool.add(domain, NOW)
    domain.ready_at = NOW + 30
    assert pool.pop_ready(NOW + 29) is None
    assert pool.pop_ready(NOW + 30) is domain


def test_domain_is_scheduled_once_however_often_it_is_fed() -> None:
    pool = Pool()
    domain = make_domain(urls=0, next_due_at=NOW + 1)
    pool.add(domain, NOW)
    assert pool.start_refill() == [domain]
    pool.end_refill(domain, NOW)
    pool.end_refill(domain, NOW)
    assert (pool.pop_ready(NOW + 1), pool.pop_ready(NOW + 1)) == (domain, None)
