import asyncio

import pytest

from tenax.crawl.insight import store_probe as store_probe
from tenax.crawl.insight.store_probe import StoreProbe
from tenax.errors import StoreUnreachable
from tenax.stores.contracts.overview import Overview

OVERVIEW = Overview(
    queued=1,
    domains=1,
    domains_blocked=0,
    domains_queued=1,
    politeness_s=0.0,
    slowest_domain=None,
    next_waiting=None,
)


def test_a_store_in_trouble_is_named() -> None:
    async def ask() -> Overview:
        raise StoreUnreachable("nobody there")

    view = asyncio.run(StoreProbe(ask).look())
    assert (view.overview, view.trouble) == (None, "nobody there")


def test_a_store_that_hangs_is_named_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_probe, "TIMEOUT_S", 0.01)
    asked = []

    async def look() -> None:
        answer: asyncio.Future[Overview] = asyncio.get_running_loop().create_future()

        async def ask() -> Overview:
            asked.append(1)
            return await answer

        looking = StoreProbe(ask)
        views = [await looking.look() for _ in range(3)]
        assert {view.trouble for view in views} == {"The store has not answered for 0 s."}
        answer.set_result(OVERVIEW)
        assert (await looking.look()).overview is OVERVIEW

    asyncio.run(look())
    assert asked == [1]


@pytest.mark.parametrize(("costly_s", "times"), [(0.0, 1), (9.0, 3)])
def test_what_is_costly_to_see_is_shown_again(
    costly_s: float, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_probe, "COSTLY_S", costly_s)
    monkeypatch.setattr(store_probe, "RESTS", 10**9)
    asked = []

    async def ask() -> Overview:
        asked.append(1)
        return OVERVIEW

    async def look() -> None:
        looking = StoreProbe(ask)
        assert [(await looking.look()).overview for _ in range(3)] == [OVERVIEW] * 3

    asyncio.run(look())
    assert len(asked) == times
