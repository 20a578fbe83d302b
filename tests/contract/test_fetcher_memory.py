"""How much of bodies a fetcher holds at a time."""

import asyncio
from typing import Any

from tenax.clock import SystemClock
from tenax.fetch.curl import CurlFetcher
from tenax.records.requests import Request
from tests.support.fetching import LOCAL, USER_AGENT, expect_response, on_every_loop, play
from tests.support.hostile import answer, hostile_origin

BODY = b"<p>" + b"x" * 999_997
ROOM_BYTES = 2_500_000
PATIENT = LOCAL.model_copy(update={"timeout_s": 20.0})


async def watch(fetcher: CurlFetcher, count: int, url: str) -> tuple[list[Any], int]:
    """The answers, and the most that was held meanwhile."""
    most = 0
    asked = [asyncio.ensure_future(fetcher.fetch(Request(url=url))) for _ in range(count)]
    while not all(each.done() for each in asked):
        most = max(most, fetcher.held_bytes)
        await asyncio.sleep(0)
    return [each.result() for each in asked], most


@on_every_loop
def test_bodies_beyond_the_bound_wait_for_each_other_and_all_come(loop: str) -> None:
    with hostile_origin(answer(BODY)) as origin:
        scenario = lambda fetcher: watch(fetcher, 20, origin.url)  # noqa: E731
        answers, most = play(scenario, PATIENT, loop=loop, max_held_bytes=ROOM_BYTES)
    assert [len(expect_response(each).body) for each in answers] == [len(BODY)] * 20
    assert most <= ROOM_BYTES + 2 * len(BODY)  # the one that may go on, and one that was just taken in


@on_every_loop
def test_a_paused_fetcher_takes_nothing_in_until_it_is_resumed(loop: str) -> None:
    async def scenario(fetcher: CurlFetcher) -> tuple[int, int, int]:
        fetcher.pause()
        asked = asyncio.ensure_future(fetcher.fetch(Request(url=origin.url)))
        await asyncio.sleep(0.2)
        paused = fetcher.held_bytes
        fetcher.resume()
        fetcher.resume()
        body = expect_response(await asked).body
        return paused, len(body), fetcher.held_bytes

    with hostile_origin(answer(BODY)) as origin:
        assert play(scenario, PATIENT, loop=loop) == (0, len(BODY), 0)


def test_leaving_while_bodies_wait_answers_all() -> None:
    async def run() -> list[Any]:
        fetcher = CurlFetcher(PATIENT, SystemClock(), USER_AGENT, max_held_bytes=1)
        async with fetcher:
            asked = [asyncio.ensure_future(fetcher.fetch(Request(url=origin.url))) for _ in range(5)]
            fetcher.pause()
            await asyncio.sleep(0.2)
        return await asyncio.gather(*asked)

    with hostile_origin(answer(BODY)) as origin:
        assert len(asyncio.run(run())) == 5
