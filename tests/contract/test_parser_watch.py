"""Parsers against their own past: a drop is told once, and ends when it is over."""

import asyncio
from functools import partial

import orjson
import pytest

from tenax.policy.quality.parser_health import PAST_S
from tenax.stores.access import Access
from tenax.stores.commands.parser_watch import EVERY_S, watch_parsers
from tenax.stores.queries.parsers import (
    ParserAlert,
    StatsStep,
    list_alerts,
    list_parser_domains,
    list_parser_points,
    list_parser_totals,
    list_parser_warnings,
)
from tenax.stores.webhooks.deliveries import Delivery
from tests.support.clock import FakeClock
from tests.support.parser_figures import DAY_S, HOUR_S, add_figures
from tests.support.store import StoreWorker
from tests.support.webhooks import add_hook, list_deliveries

A, B = "a.example", "b.example"


@pytest.fixture(autouse=True)
def _domains(worker: StoreWorker, runner: asyncio.Runner) -> None:
    runner.run(worker.add(f"https://{A}/", f"https://{B}/"))


class Watch:
    def __init__(self, access: Access, clock: FakeClock) -> None:
        self.access = access
        self.clock = clock

    async def count(self, domain: str, days_ago: float, pages: int, full: int, **others: str) -> None:
        at = self.clock.now() - days_ago * DAY_S
        add = partial(add_figures, domain=domain, at=at, pages=pages, full=full, **others)  # type: ignore[arg-type]
        await self.access.write(add)

    async def look(self, later_s: float = EVERY_S) -> None:
        self.clock.advance(later_s)
        now = self.clock.now()
        await watch_parsers(self.access, lambda connection: now)

    async def list_alerts(self) -> list[ParserAlert]:
        return await self.access.read(list_alerts)


@pytest.fixture
def watch(access: Access, clock: FakeClock) -> Watch:
    return Watch(access, clock)


async def drop(watch: Watch) -> None:
    await watch.count(A, 3, 300, 290)
    await watch.count(A, 0.1, 100, 20)


async def test_a_drop_is_kept_and_told_once(watch: Watch, access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await drop(watch)
    for _ in range(3):
        await watch.look()
    (alert,) = await watch.list_alerts()
    assert (alert.parser, alert.domain, alert.ended_at) == ("shop", A, None)
    (delivery,) = await list_deliveries(access, hook)
    assert_told(delivery)


def assert_told(delivery: Delivery) -> None:
    sent = orjson.loads(delivery.payload)
    assert (sent["event"], sent["data"]["parser"], sent["data"]["domain"]) == ("parser.degraded", "shop", A)
    assert (sent["data"]["measure"], sent["data"]["recent"]) == ("items", 0.2)
    assert "finds items on 20 % of its pages, after 96.7 %" in sent["data"]["sentence"]


async def test_several_servers_tell_it_once(watch: Watch, access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await drop(watch)
    now = clock.now()
    await asyncio.gather(*(watch_parsers(access, lambda connection: now) for _ in range(4)))
    assert len(await list_deliveries(access, hook)) == 1


async def test_a_drop_ends_when_the_parser_does_as_before_and_the_next_one_is_told(
    watch: Watch, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await drop(watch)
    await watch.look()
    clock.advance(DAY_S)
    await watch.count(A, 0, 100, 97)
    await watch.look()
    (ended,) = await watch.list_alerts()
    assert ended.ended_at == clock.now()
    clock.advance(2 * DAY_S)
    await watch.count(A, 0, 100, 5)
    await watch.look()
    assert [each.ended_at for each in await watch.list_alerts()] == [None, ended.ended_at]
    assert len(await list_deliveries(access, hook)) == 2


async def test_a_drop_that_lasts_becomes_the_past(watch: Watch) -> None:
    await drop(watch)
    await watch.look()
    await watch.look(PAST_S + 1)
    (alert,) = await watch.list_alerts()
    assert alert.ended_at is not None


async def test_few_pages_tell_nothing(watch: Watch) -> None:
    await watch.count(A, 3, 300, 290)
    await watch.count(A, 0.1, 49, 0)
    await watch.look()
    assert await watch.list_alerts() == []


async def test_a_drop_that_only_all_domains_show_is_told_without_one(watch: Watch) -> None:
    for domain in (A, B):
        await watch.count(domain, 3, 150, 150)
        await watch.count(domain, 0.1, 40, 4)
    await watch.look()
    (alert,) = await watch.list_alerts()
    assert (alert.parser, alert.domain, alert.drop.recent_pages) == ("shop", None, 80)


async def test_parsers_are_watched_every_few_minutes(watch: Watch) -> None:
    await watch.look()
    await drop(watch)
    await watch.look(EVERY_S - 1)
    assert await watch.list_alerts() == []


async def test_a_parser_that_does_worse_is_named_without_a_server(
    watch: Watch, access: Access, clock: FakeClock
) -> None:
    await drop(watch)
    now = clock.now()
    (warning,) = await access.read(lambda connection: list_parser_warnings(connection, now))
    assert warning.endswith("See: tenax parsers stats shop")


async def test_figures_are_summed_by_version_day_and_domain(
    watch: Watch, access: Access, clock: FakeClock
) -> None:
    clock.advance(DAY_S - clock.now() % DAY_S)
    await watch.count(A, 1, 10, 5)
    await watch.count(A, 1 - HOUR_S / DAY_S, 10, 6)
    await watch.count(B, 0, 10, 7, version="2")
    since = clock.now() - 2 * DAY_S
    totals = await access.read(lambda connection: list_parser_totals(connection, since=since))
    assert [(each.version, each.counts.pages, each.counts.items) for each in totals] == [
        ("2", 10, 7),
        ("1", 20, 11),
    ]
    points = await access.read(
        lambda connection: list_parser_points(connection, "shop", since=since, step=StatsStep.DAY)
    )
    assert [(each.at - since, each.version, each.counts.items) for each in points] == [
        (DAY_S, "1", 11),
        (2 * DAY_S, "2", 7),
    ]
    of_domains = await access.read(lambda connection: list_parser_domains(connection, "shop", since=since))
    assert [(each.domain, each.counts.items) for each in of_domains] == [(A, 11), (B, 7)]
