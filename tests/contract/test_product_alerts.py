"""Webhooks are told of prices, drops, new lows and stock: once, whatever else they are told."""

import asyncio
from collections import Counter
from functools import partial
from typing import Any

import orjson
import pytest

from tenax.stores.access import Access
from tenax.stores.commands.item_events import collect_item_events, find_item_events
from tenax.stores.connection import Connection
from tenax.stores.webhooks.webhooks import PRODUCT_EVENTS, Webhook, WebhookEvent
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows
from tests.support.product_rows import LAMP, ProductRows
from tests.support.store import StoreWorker
from tests.support.webhooks import add_hook, list_deliveries, run_receiver, run_sender

URL = "https://a.example/lamp"
RECEIVER = "https://receiver.example/"
CHANGED, DROPPED = WebhookEvent.PRODUCT_PRICE_CHANGED, WebhookEvent.PRODUCT_PRICE_DROPPED
LOW, STOCK = WebhookEvent.PRODUCT_NEW_LOW, WebhookEvent.PRODUCT_AVAILABILITY_CHANGED


class Lamp:
    """A product that changes whenever a test wants it."""

    def __init__(self, access: Access, clock: FakeClock, worker: StoreWorker) -> None:
        self.access, self.clock, self.worker = access, clock, worker
        self.data: dict[str, Any] = LAMP
        self.id = 0

    async def offer(self, **values: Any) -> None:
        """Values that are None are left out."""
        await self.access.write(partial(self._change, new=self._build(values)))
        self.clock.advance(1)

    async def lose(self) -> None:
        await self.access.write(partial(self._change, new=None))

    def _build(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in (self.data | values).items() if value is not None}

    def _change(self, connection: Connection, new: dict[str, Any] | None) -> None:
        rows, at = ProductRows(ItemRows(connection, 0, self.worker.run_id)), self.clock.now()
        if not self.id:
            self.id = rows.add(URL, "lamp", (at, new))
        else:
            rows.change(URL, self.id, at, self.data, new)
        self.data = self.data if new is None else new

    async def collect(self) -> int:
        return len(await self.access.write(partial(collect_item_events, now=self.clock.now())))


@pytest.fixture
def lamp(access: Access, clock: FakeClock, worker: StoreWorker, runner: asyncio.Runner) -> Lamp:
    runner.run(worker.add(URL))
    return Lamp(access, clock, worker)


async def hear(access: Access, clock: FakeClock, *events: WebhookEvent, **values: Any) -> Webhook:
    return await add_hook(access, clock, RECEIVER, events=events or tuple(PRODUCT_EVENTS), **values)


async def read_told(access: Access, hook: Webhook) -> list[tuple[str, Any]]:
    """The event and the change, for each change in each message, in order of their time."""
    told = [
        (delivery.event, change)
        for delivery in await list_deliveries(access, hook)
        for change in orjson.loads(delivery.payload)["data"]["changes"]
    ]
    return sorted(told, key=lambda each: (each[1]["at"], each[0]))


async def list_events(access: Access, hook: Webhook) -> list[str]:
    return [event for event, _ in await read_told(access, hook)]


async def test_a_drop_is_told_with_both_prices(lamp: Lamp, access: Access, clock: FakeClock) -> None:
    hook = await hear(access, clock, DROPPED)
    await lamp.offer()
    await lamp.offer(price=15)
    assert [await lamp.collect() for _ in range(3)] == [1, 0, 0]
    ((event, change),) = await read_told(access, hook)
    assert event == "product.price_dropped"
    assert (change["name"], change["url"], change["key"]) == (LAMP["name"], URL, "lamp")
    assert (change["old_price"], change["price"], change["drop"]) == (20, 15, 0.25)
    assert (change["currency"], change["lowest_before"], change["item_id"]) == ("EUR", 20, lamp.id)


@pytest.mark.parametrize(
    ("steps", "events"),
    [
        ([{}], []),  # new
        ([{}, {"price": 21}], [CHANGED]),
        ([{}, {"price": 19}], [LOW, CHANGED, DROPPED]),
        ([{}, {"price": 30}, {"price": 25}], [CHANGED, CHANGED, DROPPED]),
        ([{}, {"price": None}, {"price": 20}], []),
        ([{}, {"price": None}, {"price": 10}], [LOW, CHANGED, DROPPED]),
        ([{}, {"price": 15, "currency": "USD"}], [CHANGED]),
        ([{}, {"price": 15, "currency": None}], [LOW, CHANGED, DROPPED]),
        ([{}, {"availability": "out_of_stock"}], [STOCK]),
        ([{}, {"availability": None}, {"availability": "in_stock"}], []),
        ([{}, {"availability": None}, {"availability": "limited"}], [STOCK]),
        ([{"price": None}, {"price": 20}], []),
        ([{}, {"name": "Other", "list_price": 30}], []),
    ],
)
async def test_what_is_told(
    steps: list[dict[str, Any]], events: list[str], lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    hook = await hear(access, clock)
    for values in steps:
        await lamp.offer(**values)
    await lamp.collect()
    assert await list_events(access, hook) == events


async def test_a_product_that_is_gone_is_no_alert_and_one_that_is_back_cheaper_is(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    hook = await hear(access, clock)
    await lamp.offer()
    await lamp.lose()
    await lamp.collect()
    assert await list_events(access, hook) == []
    await lamp.offer(price=10)
    await lamp.collect()
    assert await list_events(access, hook) == [LOW, CHANGED, DROPPED]


async def test_a_webhook_is_told_of_drops_that_are_large_enough(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    picky = await hear(access, clock, DROPPED, min_drop=0.1)
    any_drop = await hear(access, clock, DROPPED, CHANGED)
    await lamp.offer()
    await lamp.offer(price=18.01)  # by less than a tenth
    await lamp.offer(price=16.2)
    await lamp.offer(price=14.58)  # by a tenth
    await lamp.collect()
    assert [change["price"] for _, change in await read_told(access, picky)] == [16.2, 14.58]
    assert Counter(await list_events(access, any_drop)) == {DROPPED: 3, CHANGED: 3}


async def test_what_several_servers_collect_is_told_once(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    hook = await hear(access, clock, LOW, WebhookEvent.ITEM_CHANGED)
    await lamp.offer()
    await lamp.offer(price=10)
    await asyncio.gather(*(lamp.collect() for _ in range(4)))
    assert await list_events(access, hook) == ["item.changed", "item.changed", "product.new_low"]


async def test_changes_before_a_webhook_wants_them_are_not_told(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    await lamp.offer()
    await lamp.offer(price=10)
    hook = await hear(access, clock, CHANGED)
    await lamp.offer(price=11)
    assert await lamp.collect() == 1
    assert [change["price"] for _, change in await read_told(access, hook)] == [11]


async def test_nothing_is_read_for_webhooks_that_want_other_events(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    await hear(access, clock, WebhookEvent.RUN_FINISHED)
    await lamp.offer()
    assert await access.read(find_item_events) is None


async def test_a_message_has_so_many_changes_and_no_more(
    lamp: Lamp, access: Access, clock: FakeClock
) -> None:
    hook = await hear(access, clock, CHANGED)
    for price in range(1, 122):
        await lamp.offer(price=price)
    assert await lamp.collect() == 2
    sizes = [
        len(orjson.loads(each.payload)["data"]["changes"]) for each in await list_deliveries(access, hook)
    ]
    assert sizes == [100, 20]


async def test_alerts_are_delivered_and_counted(lamp: Lamp, access: Access, clock: FakeClock) -> None:
    with run_receiver() as receiver:
        await add_hook(access, clock, receiver.url, events=[LOW])
        await lamp.offer()
        await lamp.offer(price=10)
        async with run_sender(access, clock) as sender:
            assert await sender.collect() == 1
            assert await sender.send() == 1
            assert sender.told == {LOW: 1}
    ((event, data),) = receiver.events
    assert (event, [change["price"] for change in data["changes"]]) == (LOW, [10])
