"""Politeness receipts: with or without stored counts, they match the log of visits."""

import itertools
import random
import statistics
from functools import partial

import pytest
from sqlalchemy import Connection, update

from tenax.stores.access import Access
from tenax.stores.queries import receipts
from tenax.stores.queries.receipts import (
    CountLimit,
    PolitenessReceipt,
    ReceiptTally,
    count_on,
    count_receipt,
    find_counter,
    find_unlogged,
    forget_kept,
    load_kept,
    note_unlogged,
    save_kept,
)
from tenax.stores.schema.domains import domains
from tests.support.clock import START
from tests.support.visits import add_visited

pytestmark = pytest.mark.usefixtures("runner")

NAME = "shop.example"
BOUND = CountLimit(visits=100, settled_until=START + 100_000)


def make_starts(number: int, seed: int = 1) -> list[float]:
    """Unlike gaps, some of them none."""
    chance, at, starts = random.Random(seed), START, []
    for _ in range(number):
        at += chance.choice((0.0, 0.5, 1.0, 1.003, chance.expovariate(0.5)))
        starts.append(at)
    return starts


def read(connection: Connection, bound: CountLimit | None) -> ReceiptTally | None:
    found = find_counter(connection, NAME)
    assert found is not None
    return count_receipt(connection, *found, bound)


async def find_receipt(access: Access, bound: CountLimit | None = None) -> PolitenessReceipt | None:
    tally = await access.read(partial(read, bound=bound))
    return None if tally is None else tally.to_receipt()


async def count_all(access: Access, domain_id: int) -> int:
    """Returns how many steps it took."""
    steps = 0
    while (kept := await access.read(partial(count_on, domain_id=domain_id, bound=BOUND))) is not None:
        await access.write(partial(save_kept, domain_id=domain_id, kept=kept))
        steps += 1
        assert steps < 1000
    return steps


async def test_a_long_log_is_counted_in_steps_and_then_from_where_it_was(access: Access) -> None:
    starts = make_starts(1050)
    domain_id = await access.write(partial(add_visited, name=NAME, starts=starts))
    whole = await find_receipt(access)
    assert await find_receipt(access, BOUND) is None
    assert await count_all(access, domain_id) >= 10
    assert await find_receipt(access, BOUND) == whole
    assert await find_receipt(access) == whole
    later = [starts[-1] + gap for gap in (5.0, 9.0, 9.0001)]
    await access.write(partial(add_visited, name=NAME, starts=later))
    after = await find_receipt(access, BOUND)
    await access.write(partial(forget_kept, domain_id=domain_id))
    assert after == await find_receipt(access)


async def test_counts_are_exact_and_the_median_is_accurate_to_two_percent(access: Access) -> None:
    starts = make_starts(999)
    domain_id = await access.write(partial(add_visited, name=NAME, starts=starts))
    await count_all(access, domain_id)
    receipt = await find_receipt(access, BOUND)
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert receipt is not None
    assert receipt.median_gap_s is not None
    assert (receipt.requests, receipt.first_at, receipt.last_at) == (999, starts[0], starts[-1])
    assert receipt.smallest_gap_s == min(gaps)
    assert receipt.median_gap_s == pytest.approx(statistics.median(gaps), rel=0.02)
    bounds = [each.below_s for each in receipt.gaps]
    assert [each.count for each in receipt.gaps] == [
        sum(not (low is not None and gap < low) and (high is None or gap < high) for gap in gaps)
        for low, high in zip([None, *bounds[:-1]], bounds, strict=True)
    ]


async def test_a_visit_that_is_settled_late_is_noticed(access: Access) -> None:
    starts = make_starts(500)
    domain_id = await access.write(partial(add_visited, name=NAME, starts=starts))
    await count_all(access, domain_id)
    await access.write(partial(add_visited, name=NAME, starts=[starts[200] + 0.00001]))
    # Whoever has time counts anew; whoever has not says so.
    assert await find_receipt(access, BOUND) is None
    whole = await find_receipt(access)
    assert whole is not None
    assert whole.requests == 501
    await access.write(partial(forget_kept, domain_id=domain_id))
    await count_all(access, domain_id)
    assert await find_receipt(access, BOUND) == whole


async def test_a_wrong_counter_does_not_make_it_count_again_and_again(access: Access) -> None:
    domain_id = await access.write(partial(add_visited, name=NAME, starts=make_starts(500)))
    await count_all(access, domain_id)
    await access.write(lambda connection: connection.execute(update(domains).values(requests=600)) and None)
    assert await find_receipt(access, BOUND) is None
    unlogged = await access.read(partial(find_unlogged, domain_id=domain_id, counter=600))
    await access.write(partial(note_unlogged, domain_id=domain_id, unlogged=unlogged))
    found = await find_receipt(access, BOUND)
    assert (unlogged, found and found.requests) == (100, 500)


async def test_failures_are_kept_too(access: Access) -> None:
    starts = make_starts(400)
    domain_id = await access.write(partial(add_visited, name=NAME, starts=starts[::2], failed="timeout"))
    await access.write(partial(add_visited, name=NAME, starts=starts[1::2], failed="reset"))
    await count_all(access, domain_id)
    tally = await access.read(partial(read, bound=BOUND))
    assert tally is not None
    assert tally.failures == {"timeout": 200, "reset": 200}


async def test_of_two_counts_the_one_that_is_further_is_kept(access: Access) -> None:
    domain_id = await access.write(partial(add_visited, name=NAME, starts=make_starts(500)))
    first = await access.read(partial(count_on, domain_id=domain_id, bound=BOUND))
    assert first is not None
    await count_all(access, domain_id)
    furthest = await access.read(partial(load_kept, domain_id=domain_id))
    await access.write(partial(save_kept, domain_id=domain_id, kept=first))
    assert await access.read(partial(load_kept, domain_id=domain_id)) == furthest


async def test_visits_that_may_still_be_settled_are_not_kept(access: Access) -> None:
    starts = make_starts(500)
    domain_id = await access.write(partial(add_visited, name=NAME, starts=starts))
    bound = CountLimit(visits=100, settled_until=starts[249])
    while (kept := await access.read(partial(count_on, domain_id=domain_id, bound=bound))) is not None:
        await access.write(partial(save_kept, domain_id=domain_id, kept=kept))
    kept = await access.read(partial(load_kept, domain_id=domain_id))
    assert kept.until is not None
    assert kept.until <= starts[249]
    found = await find_receipt(access, bound)
    assert found is not None
    assert found.requests == 500


def test_buckets_are_two_percent_wide() -> None:
    bounds = receipts._BOUNDS
    assert all(high / low <= 1.0201 for low, high in itertools.pairwise(bounds))
    assert set(receipts.GAP_BOUNDS_S) <= set(bounds)
