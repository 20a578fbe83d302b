"""Webhooks: each event is sent, signed, until it is delivered."""

import asyncio
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import Connection, insert, update

from tenax.config.settings import Settings
from tenax.errors import StoreError
from tenax.jobs.webhooks import sender as webhooks
from tenax.jobs.webhooks.sender import SHORTAGE_PAUSE_S, TRIES
from tenax.records.items import ItemChangeKind
from tenax.records.jobs import ExecutionState
from tenax.stores.access import Access
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.commands.item_events import collect_item_events, find_item_events
from tenax.stores.jobs.executions import end_execution
from tenax.stores.schema.jobs import executions, jobs
from tenax.stores.schema.runs import runs
from tenax.stores.webhooks.deliveries import (
    KEPT_S,
    LOCK_S,
    PER_WEBHOOK,
    DeliveryState,
    claim_messages,
    prune_deliveries,
    retry_delivery,
)
from tenax.stores.webhooks.events import NewDelivery, add_delivery, collect_events, find_events
from tenax.stores.webhooks.webhooks import (
    GRACE_S,
    Webhook,
    WebhookEvent,
    WebhookValues,
    change_webhook,
    remove_webhook,
    rotate_secret,
)
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows
from tests.support.store import StoreUnderTest, StoreWorker
from tests.support.webhooks import (
    SECRET,
    Receiver,
    add_ended_run,
    add_hook,
    list_deliveries,
    run_receiver,
    run_sender,
)

GUIDE = Path(__file__).parents[2] / "docs" / "webhooks.md"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with run_receiver() as receiver:
        yield receiver


async def end_run(access: Access, clock: FakeClock, source_id: int = 0) -> int:
    return await access.write(partial(add_ended_run, at=clock.now(), source_id=source_id))


async def collect_now(access: Access, clock: FakeClock) -> int:
    now = clock.now()
    return len(await access.write(lambda connection: collect_events(connection, now)))


# --- collecting --------------------------------------------------------------------------------------


async def test_a_finished_run_is_sent_once(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await end_run(access, clock)
    assert [await collect_now(access, clock) for _ in range(3)] == [1, 0, 0]
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.event, delivery.subject, delivery.state) == ("run.finished", "run 1", "pending")


async def test_what_several_servers_collect_is_sent_once(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    for _ in range(5):
        await end_run(access, clock)
    assert sum(await asyncio.gather(*(collect_now(access, clock) for _ in range(6)))) == 5
    assert len(await list_deliveries(access, hook)) == 5


async def test_an_event_that_is_logged_late_is_sent_however_late(access: Access, clock: FakeClock) -> None:
    await add_hook(access, clock, "https://receiver.example/")
    ended_at = clock.now()
    clock.advance(5000)
    await end_run(access, clock)
    assert await collect_now(access, clock) == 1
    await access.write(partial(add_ended_run, at=ended_at))
    assert await collect_now(access, clock) == 1


async def test_a_run_that_went_on_after_its_end_is_sent_once(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    run_id = await end_run(access, clock)

    async def change(ended_at: float | None) -> None:
        def work(connection: Connection) -> None:
            connection.execute(update(runs).where(runs.c.id == run_id).values(ended_at=ended_at))
            if ended_at is not None:
                add_to_log(connection, LogTopic.RUN, 0, run_id, ended_at)

        await access.write(work)

    await change(None)
    assert await collect_now(access, clock) == 0
    await change(clock.now())
    assert await collect_now(access, clock) == 1
    await change(clock.now() + 1)
    assert await collect_now(access, clock) == 0
    assert len(await list_deliveries(access, hook)) == 1


async def test_the_cursor_follows_a_log_that_is_full_of_items(
    access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.stores.webhooks.events.FAR", 5)
    await add_hook(access, clock, "https://receiver.example/", events=[WebhookEvent.RUN_FINISHED])
    await end_run(access, clock)

    def log_items(connection: Connection) -> None:
        for number in range(10):
            add_to_log(connection, LogTopic.ITEM, 0, number, clock.now())

    await access.write(log_items)
    found = await access.read(find_events)
    assert found is not None
    assert (len(found.deliveries), found.is_far, found.position.id) == (1, True, 11)
    assert await collect_now(access, clock) == 1
    found = await access.read(find_events)
    assert found is not None
    assert (found.deliveries, found.is_far) == ([], False)


async def test_events_before_a_webhook_was_added_or_while_it_was_disabled_are_not_sent(
    access: Access, clock: FakeClock
) -> None:
    await end_run(access, clock)
    clock.advance(10)
    hook = await add_hook(access, clock, "https://receiver.example/")
    assert await collect_now(access, clock) == 0

    async def switch(enabled: bool) -> None:
        values = WebhookValues(
            name="hook", url=hook.url, events=tuple(WebhookEvent), source_id=None, enabled=enabled
        )
        await access.write(lambda connection: change_webhook(connection, hook.id, values, clock.now()))

    await switch(False)
    clock.advance(10)
    await end_run(access, clock)
    clock.advance(10)
    await switch(True)
    assert await collect_now(access, clock) == 0
    await end_run(access, clock)
    assert await collect_now(access, clock) == 1


async def test_a_webhook_is_notified_of_its_own_source_only(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/", source_id=2)
    for source_id in (0, 1, 2):
        await end_run(access, clock, source_id)
    await collect_now(access, clock)
    assert [each.subject for each in await list_deliveries(access, hook)] == ["run 3"]


async def test_a_change_of_a_source_is_sent(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    now = clock.now()

    def work(connection: Connection) -> None:
        job = {
            "source_id": 4,
            "state": "scheduled",
            "schedule_enabled": 1,
            "created_at": now,
            "updated_at": now,
        }
        connection.execute(insert(jobs).values(job))
        for number, changed in ((1, 0), (2, 5)):
            connection.execute(
                insert(executions).values(
                    job_id=1,
                    number=number,
                    scheduled_at=now + number,
                    trigger="schedule",
                    state="running",
                    started_at=now,
                )
            )
            end_execution(connection, number, ExecutionState.COMPLETED, now, items_changed=changed)

    await access.write(work)
    await collect_now(access, clock)
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.event, delivery.subject) == ("source.changed", "execution 2")
    assert '"items_changed":5' in delivery.payload


async def test_a_blocked_domain_is_sent(
    store: StoreUnderTest, access: Access, clock: FakeClock, worker: StoreWorker
) -> None:
    await worker.add("https://a.example/")
    await store.domains.block("a.example", "long ago")
    await store.domains.unblock("a.example", "a test")
    clock.advance(1)
    hook = await add_hook(access, clock, "https://receiver.example/")
    await store.domains.block("a.example", "a test")
    assert [await collect_now(access, clock) for _ in range(2)] == [1, 0]
    (delivery,) = await list_deliveries(access, hook)
    assert delivery.event == "domain.blocked"
    assert '"domain":"a.example"' in delivery.payload


async def test_many_events_are_sent_in_parts(
    access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.stores.webhooks.events.AT_ONCE", 3)
    await add_hook(access, clock, "https://receiver.example/")
    for _ in range(8):
        await end_run(access, clock)
    assert [await collect_now(access, clock) for _ in range(4)] == [3, 3, 2, 0]


# --- sending -----------------------------------------------------------------------------------------


def load_example(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, bytes], bool]:
    """How the guide checks a signature."""
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(example, "docs/webhooks.md", "exec"), names)  # noqa: S102
    monkeypatch.setattr(names["time"], "time", clock.now)
    is_genuine: Callable[[str, str, bytes], bool] = names["is_genuine"]
    return is_genuine


async def test_a_message_is_signed_as_documented(
    access: Access, clock: FakeClock, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_genuine = load_example(clock, monkeypatch)
    await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    async with run_sender(access, clock) as sender:
        assert (await sender.collect(), await sender.send(), await sender.send()) == (1, 1, 0)
    ((headers, body),) = receiver.messages
    assert headers[""] == "POST /hook?token=1&utm_x=2 HTTP/1.1"
    assert (headers["tenax-event"], headers["tenax-delivery"]) == ("run.finished", "1")
    assert headers["content-type"] == "application/json"
    assert is_genuine(SECRET, headers["tenax-signature"], body)
    assert not is_genuine("another", headers["tenax-signature"], body)
    assert not is_genuine(SECRET, headers["tenax-signature"], body + b" ")
    clock.advance(301)
    assert not is_genuine(SECRET, headers["tenax-signature"], body)


async def test_for_a_day_messages_are_also_signed_with_the_previous_secret(
    access: Access, clock: FakeClock, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_genuine = load_example(clock, monkeypatch)
    hook = await add_hook(access, clock, receiver.url)

    async def rotate(secret: str) -> None:
        now = clock.now()
        await access.write(lambda connection: rotate_secret(connection, hook.id, secret, access.vault, now))

    async def find_good() -> set[str]:
        """Secrets that the next message is genuine by."""
        await end_run(access, clock)
        async with run_sender(access, clock) as sender:
            assert (await sender.collect(), await sender.send()) == (1, 1)
        headers, body = receiver.messages[-1]
        signature = headers["tenax-signature"]
        return {each for each in (SECRET, "second", "third") if is_genuine(each, signature, body)}

    await rotate("second")
    assert await find_good() == {SECRET, "second"}
    clock.advance(1000)
    await rotate("third")
    assert await find_good() == {"second", "third"}
    clock.advance(GRACE_S)
    assert await find_good() == {"third"}


async def test_a_secret_of_no_webhook_is_not_changed(access: Access, clock: FakeClock) -> None:
    now = clock.now()
    rotated = await access.write(lambda connection: rotate_secret(connection, 7, "new", access.vault, now))
    assert rotated is None


async def test_a_delivery_that_has_arrived_says_so(
    access: Access, clock: FakeClock, receiver: Receiver
) -> None:
    hook = await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    async with run_sender(access, clock) as sender:
        await sender.collect()
        await sender.send()
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.state, delivery.attempts, delivery.last_status) == ("delivered", 1, 204)
    assert delivery.delivered_at == clock.now()


async def test_a_receiver_that_fails_is_tried_again_and_given_up(
    access: Access, clock: FakeClock, receiver: Receiver
) -> None:
    receiver.status = 500
    hook = await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    pauses = []
    async with run_sender(access, clock) as sender:
        await sender.collect()
        for _ in range(TRIES):
            assert await sender.send() == 1
            (delivery,) = await list_deliveries(access, hook)
            if delivery.next_try_at is not None:
                pauses.append(delivery.next_try_at - clock.now())
                clock.advance(pauses[-1] - 1)
                assert await sender.send() == 0
                clock.advance(1)
        assert pauses == [30, 60, 120, 240, 480, 960, 1920]
        assert (delivery.state, delivery.attempts) == (DeliveryState.FAILED, TRIES)
        assert delivery.last_error == "the receiver answered 500"
        receiver.status = 200
        await access.write(lambda connection: retry_delivery(connection, delivery.id, clock.now()))
        await sender.send()
    (delivery,) = await list_deliveries(access, hook)
    assert delivery.state is DeliveryState.DELIVERED
    assert {headers["tenax-delivery"] for headers, _ in receiver.messages} == {"1"}


async def test_a_local_failure_is_not_an_attempt(
    access: Access, clock: FakeClock, receiver: Receiver
) -> None:
    hook = await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    nameless = Settings.model_validate({"fetch": {"allow_private": True, "dns_servers": ["127.0.0.1:1"]}})
    async with run_sender(access, clock, nameless) as sender:
        await sender.collect()
        for _ in range(2):
            await sender.send()
            clock.advance(SHORTAGE_PAUSE_S)
            await asyncio.sleep(1.1)  # so long a failed look-up is remembered
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.state, delivery.attempts) == (DeliveryState.PENDING, 0)
    assert delivery.last_error == "this machine cannot reach any of its DNS servers"
    async with run_sender(access, clock) as sender:
        await sender.send()
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.state, delivery.attempts) == (DeliveryState.DELIVERED, 1)


async def test_a_fault_with_one_message_does_not_affect_others(
    access: Access, clock: FakeClock, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = webhooks.build_request

    def build(message: Any, *others: Any) -> Any:
        if message.delivery.subject == "run 1":
            raise ValueError("a bug")
        return real(message, *others)

    monkeypatch.setattr(webhooks, "build_request", build)
    hook = await add_hook(access, clock, receiver.url)
    for _ in range(2):
        await end_run(access, clock)
    async with run_sender(access, clock) as sender:
        await sender.collect()
        await sender.send()
    found = {each.subject: each for each in await list_deliveries(access, hook)}
    assert found["run 2"].state is DeliveryState.DELIVERED
    assert (found["run 1"].attempts, found["run 1"].last_error) == (1, "internal error: ValueError")


async def test_a_redirect_is_not_followed(access: Access, clock: FakeClock, receiver: Receiver) -> None:
    receiver.status, receiver.headers = 307, "Location: http://127.0.0.1:1/inside\r\n"
    hook = await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    async with run_sender(access, clock) as sender:
        await sender.collect()
        await sender.send()
    (delivery,) = await list_deliveries(access, hook)
    assert (delivery.state, delivery.last_status) == ("pending", 307)
    assert "redirects are not followed" in (delivery.last_error or "")


async def test_a_receiver_that_is_slow_or_down_is_waited_for_no_longer_than_allowed(
    access: Access, clock: FakeClock, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "DEADLINE_S", 0.3)
    receiver.status = 0
    hooks = [
        await add_hook(access, clock, receiver.url),
        await add_hook(access, clock, "http://receiver.test:1/"),
    ]
    await end_run(access, clock)
    async with run_sender(access, clock) as sender:
        await sender.collect()
        assert await sender.send() == 2
    for hook in hooks:
        (delivery,) = await list_deliveries(access, hook)
        assert (delivery.state, delivery.last_status) == ("pending", None)
        assert delivery.last_error


async def test_private_addresses_are_refused_unless_they_are_allowed(
    access: Access, clock: FakeClock, receiver: Receiver
) -> None:
    guarded = Settings.model_validate({"fetch": {"resolve": ["*:127.0.0.1"]}})
    hook = await add_hook(access, clock, receiver.url)
    await end_run(access, clock)
    async with run_sender(access, clock, guarded) as sender:
        await sender.collect()
        await sender.send()
    assert receiver.messages == []
    (delivery,) = await list_deliveries(access, hook)
    assert "loopback" in (delivery.last_error or "")


async def test_one_receiver_that_is_down_does_not_keep_others_waiting(
    access: Access, clock: FakeClock
) -> None:
    down = await add_hook(access, clock, "https://down.example/", events=(WebhookEvent.RUN_FINISHED,))
    for _ in range(20):
        await end_run(access, clock)
    await collect_now(access, clock)
    clock.advance(1)
    fine = await add_hook(access, clock, "https://fine.example/")
    await end_run(access, clock)
    await collect_now(access, clock)
    now = clock.now()
    taken = await access.write(lambda connection: claim_messages(connection, "me", 10, now))
    assert [each.delivery.webhook_id for each in taken].count(down.id) == PER_WEBHOOK
    assert [each.delivery.webhook_id for each in taken].count(fine.id) == 1


async def test_a_message_is_claimed_by_one_server_until_its_lock_expires(
    access: Access, clock: FakeClock
) -> None:
    await add_hook(access, clock, "https://receiver.example/")
    await end_run(access, clock)
    await collect_now(access, clock)

    async def take(token: str) -> int:
        now = clock.now()
        return len(await access.write(lambda connection: claim_messages(connection, token, 10, now)))

    assert sum(await asyncio.gather(*(take(f"server {n}") for n in range(6)))) == 1
    clock.advance(LOCK_S)
    assert await take("another") == 1


async def test_two_servers_send_a_message_once(access: Access, clock: FakeClock, receiver: Receiver) -> None:
    await add_hook(access, clock, receiver.url)
    for _ in range(6):
        await end_run(access, clock)
    async with run_sender(access, clock) as one, run_sender(access, clock) as other:
        await asyncio.gather(one.collect(), other.collect())
        for _ in range(4):
            await asyncio.gather(one.send(), other.send())
    assert sorted(data["run_id"] for _, data in receiver.events) == [1, 2, 3, 4, 5, 6]


async def test_a_webhook_that_is_removed_leaves_nothing_behind(access: Access, clock: FakeClock) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await end_run(access, clock)
    await collect_now(access, clock)
    assert await access.write(lambda connection: remove_webhook(connection, hook.id))
    assert not await access.write(lambda connection: remove_webhook(connection, hook.id))
    assert await list_deliveries(access, hook) == []


async def test_old_deliveries_are_pruned_and_those_that_wait_are_not(
    access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    for subject in ("done", "waits"):
        new = NewDelivery(webhook_id=hook.id, event=WebhookEvent.TEST, subject=subject, payload="{}")
        await access.write(partial(add_delivery, new=new, now=clock.now()))
    await access.write(
        lambda connection: connection.exec_driver_sql(
            "UPDATE webhook_deliveries SET next_try_at = NULL WHERE subject = 'done'"
        )
    )
    clock.advance(KEPT_S + 1)
    now = clock.now()
    assert not await access.write(lambda connection: prune_deliveries(connection, now))
    assert [each.subject for each in await list_deliveries(access, hook)] == ["waits"]


async def test_a_failed_collection_sends_nothing_and_skips_nothing(
    store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await end_run(access, clock)
    with store.broken("INSERT", "webhook_deliveries"), pytest.raises(StoreError):
        await collect_now(access, clock)
    clock.advance(3600)
    assert await collect_now(access, clock) == 1
    assert len(await list_deliveries(access, hook)) == 1


# --- items -------------------------------------------------------------------------------------------


class ChangedItems:
    """An item that changes whenever a test wants it, in the log of changes."""

    def __init__(self, access: Access, clock: FakeClock, worker: StoreWorker) -> None:
        self.access, self.clock, self.worker = access, clock, worker
        self.item_id = 0

    async def change(self, number: int = 1, fields: dict[str, Any] | None = None) -> None:
        def insert_changes(connection: Connection) -> None:
            rows = ItemRows(connection, 0, self.worker.run_id)
            self.item_id = self.item_id or rows.add_item(ITEM_URL, "boat", {"price": 1})
            for price in range(number):
                changed = fields or {"price": [price, price + 1]}
                rows.change(ITEM_URL, self.item_id, ItemChangeKind.CHANGED, changed, at=self.clock.now())

        await self.access.write(insert_changes)

    async def collect(self) -> int:
        now = self.clock.now()
        return len(await self.access.write(partial(collect_item_events, now=now)))


ITEM_URL = "https://a.example/boat"


@pytest.fixture
def changed_items(
    access: Access, clock: FakeClock, worker: StoreWorker, runner: asyncio.Runner
) -> ChangedItems:
    runner.run(worker.add(ITEM_URL))
    return ChangedItems(access, clock, worker)


async def load_changes(access: Access, hook: Webhook) -> list[list[Any]]:
    """The changes in each message."""
    found = await list_deliveries(access, hook)
    assert {delivery.event for delivery in found} <= {"item.changed"}
    return [orjson.loads(delivery.payload)["data"]["changes"] for delivery in found]


async def test_changes_of_items_are_sent_once_with_their_fields(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await changed_items.change(2)
    assert [await changed_items.collect() for _ in range(3)] == [1, 0, 0]
    ((first, second),) = await load_changes(access, hook)
    assert (first["kind"], first["key"], first["change"], first["url"]) == (
        "product",
        "boat",
        "changed",
        ITEM_URL,
    )
    assert [first["fields"], second["fields"]] == [{"price": [0, 1]}, {"price": [1, 2]}]


async def test_what_several_servers_collect_of_items_is_sent_once(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await changed_items.change(3)
    await asyncio.gather(*(changed_items.collect() for _ in range(4)))
    assert [len(changes) for changes in await load_changes(access, hook)] == [3]


async def test_a_message_has_so_many_changes_and_no_more(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await changed_items.change(250)
    assert await changed_items.collect() == 3
    assert [len(changes) for changes in await load_changes(access, hook)] == [100, 100, 50]


async def test_fields_that_are_too_large_for_a_message_are_left_out(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    await changed_items.change(fields={"text": ["a" * 20_000, "b"]})
    await changed_items.collect()
    ((change,),) = await load_changes(access, hook)
    assert (change["fields"], change["fields_cut"]) == (None, True)


async def test_changes_before_a_webhook_wants_them_are_not_sent(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    await changed_items.change()
    hook = await add_hook(access, clock, "https://receiver.example/")
    await changed_items.change()
    assert await changed_items.collect() == 1
    assert [len(changes) for changes in await load_changes(access, hook)] == [1]


async def test_a_webhook_of_another_source_gets_no_items(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    await add_hook(access, clock, "https://receiver.example/", source_id=7)
    await changed_items.change()
    assert await changed_items.collect() == 0


async def test_items_are_not_searched_for_if_nobody_wants_them(
    changed_items: ChangedItems, access: Access, clock: FakeClock
) -> None:
    hook = await add_hook(access, clock, "https://receiver.example/")
    values = WebhookValues(
        name="hook", url=hook.url, events=[WebhookEvent.RUN_FINISHED], source_id=None, enabled=True
    )
    await access.write(lambda connection: change_webhook(connection, hook.id, values, clock.now()))
    await changed_items.change()
    assert await access.read(find_item_events) is None
