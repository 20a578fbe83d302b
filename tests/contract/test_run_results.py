"""The results of a run, as its execution sees them."""

from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.queries.run_results import measure_run
from tests.support.clock import FakeClock
from tests.support.store import StoreUnderTest, StoreWorker, make_fetched

A = "https://a.example/"
HOUR_S = 3600.0


async def count_changes(access: Access, run_id: int) -> int:
    result = await access.read(lambda connection: measure_run(connection, run_id))
    assert result is not None
    return result.changed


async def test_new_pages_count_as_changes_of_the_run_that_found_them(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched("first"))
    await worker.release(lease)
    first_run = worker.run_id
    assert await count_changes(access, first_run) == 1

    await store.runs.end_run(first_run, RunState.DONE, worker.id)
    clock.advance(HOUR_S)
    await worker.start()
    await worker.add(A + "new")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched("second"))
    assert await count_changes(access, worker.run_id) == 1
    assert await count_changes(access, first_run) == 1
