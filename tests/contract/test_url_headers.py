"""Response headers that are kept with a url."""

import json

from tenax.record import replace
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Failed, Gone, Outcome, Refused, Unchanged
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched, make_visit

A = "https://a.example/"


async def visit(worker: StoreWorker, outcome: Outcome, headers: dict[str, str] | None) -> None:
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    await worker.settle_visits(
        lease, [replace(make_visit(target, outcome, at=worker.clock.now()), headers=headers)]
    )
    await worker.release(lease)


def load(store: StoreUnderTest) -> dict[str, str] | None:
    ((text,),) = store.query("SELECT response_headers FROM urls")
    return None if text is None else json.loads(text)


def make_due(store: StoreUnderTest) -> None:
    store.query("UPDATE urls SET due_at = 1 RETURNING id")
    store.query("UPDATE domains SET avail_at = 1, queued = 1 RETURNING id")


async def test_headers_are_kept_with_every_kind_of_response(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A)
    late = worker.clock.now()
    failed = Failed(kind=FailureKind.HTTP_STATUS, detail="500", status=500, retry_at=late)
    await visit(worker, failed, {"server": "nginx"})
    assert load(store) == {"server": "nginx"}
    await visit(worker, make_fetched(), {"server": "apache", "x-cache": 'HIT "\\u0000'})
    assert load(store) == {"server": "apache", "x-cache": 'HIT "\\u0000'}


async def test_headers_and_status_are_of_the_same_response(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A)
    late = worker.clock.now()
    failed = Failed(kind=FailureKind.HTTP_STATUS, detail="500", status=500, retry_at=late)
    await visit(worker, failed, {"server": "nginx"})
    silent = Failed(kind=FailureKind.TIMEOUT, detail="silent", status=None, retry_at=late)
    await visit(worker, silent, None)
    assert load(store) == {"server": "nginx"}
    await visit(worker, failed, {})
    assert load(store) is None


async def test_a_page_that_asks_not_to_be_kept_leaves_no_headers(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A)
    await visit(worker, Refused(reason=RefusalReason.NOINDEX, detail="x"), {"server": "nginx"})
    assert load(store) is None


async def test_a_page_that_stays_as_it_is_keeps_its_headers(
    store: StoreUnderTest, worker: StoreWorker
) -> None:
    await worker.add(A)
    await visit(worker, make_fetched(), {"server": "nginx"})
    for outcome in (Unchanged(), Gone(status=404)):
        make_due(store)
        await visit(worker, outcome, {"server": "other"})
        assert load(store) == {"server": "nginx"}
