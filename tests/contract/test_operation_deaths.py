"""A server that dies on an errand, with feeds or messages: nothing is lost, and nothing is there twice."""

import asyncio
import time

import pytest
from sqlalchemy import Connection, update

from tenax.config.settings import Settings
from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.stores.schema.domains import domains
from tenax.stores.schema.feeds import feeds
from tenax.stores.schema.webhooks import webhook_deliveries
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import WebhookEvent, WebhookValues, add_webhook
from tests.support.feeds import add_source, make_rss, run_feeds
from tests.support.operation_process import die_at, run_operation
from tests.support.store import SharedStore
from tests.support.webhooks import SECRET, add_ended_run, run_receiver

SETTINGS = Settings.model_validate(
    {
        "fetch": {"allow_private": True, "resolve": ["*:127.0.0.1"]},
        "politeness": {"delay_s": 0.01},
    }
)


def expire_locks(connection: Connection) -> None:
    for table in (feeds, webhook_deliveries):
        connection.execute(update(table).values(lock_until=0.0))
    connection.execute(update(domains).values(last_answer_at=0.0, ready_at=0.0, avail_at=None))


@pytest.mark.parametrize("failpoint", ["feeds.taken", "feeds.answered", "feeds.added"])
def test_a_poller_that_dies_loses_no_entry_and_doubles_none(shared: SharedStore, failpoint: str) -> None:
    find_backend(shared.place).migrate(shared.place)
    with run_feeds() as origin:
        # The seed is a feed itself, so that the first request brings entries.
        origin.replies["/"] = make_rss("/one", "/two")
        now = time.time()
        asyncio.run(
            write_store(shared.place, lambda connection: add_source(connection, now, origin.url("/")))
        )
        die_at(failpoint, shared.place, SETTINGS, "feeds")
        asyncio.run(run_operation(shared.place, SETTINGS, "feeds"))
        assert origin.take_requests().count("/") == (failpoint == "feeds.added")
        asyncio.run(write_store(shared.place, expire_locks))
        asyncio.run(run_operation(shared.place, SETTINGS, "feeds"))
    found = shared.query("SELECT url FROM urls WHERE due_at IS NOT NULL")
    assert sorted(url.rpartition("/")[2] for (url,) in found) == ["one", "two"]
    assert shared.query("SELECT kind FROM feeds WHERE id = 1") == [("rss",)]


def test_a_sender_that_dies_after_sending_sends_again_with_the_same_number(shared: SharedStore) -> None:
    find_backend(shared.place).migrate(shared.place)
    with run_receiver() as receiver:

        def prepare(connection: Connection) -> None:
            now = time.time()
            values = WebhookValues(
                name="hook",
                url=receiver.url,
                events=(WebhookEvent.RUN_FINISHED,),
                source_id=None,
                enabled=True,
            )
            add_webhook(connection, values, SECRET, Vault.of(shared.place), now - 1)
            add_ended_run(connection, now)

        asyncio.run(write_store(shared.place, prepare))
        die_at("webhooks.sent", shared.place, SETTINGS, "webhooks")
        asyncio.run(run_operation(shared.place, SETTINGS, "webhooks"))
        assert len(receiver.messages) == 1
        asyncio.run(write_store(shared.place, expire_locks))
        asyncio.run(run_operation(shared.place, SETTINGS, "webhooks"))
    assert [headers["tenax-delivery"] for headers, _ in receiver.messages] == ["1", "1"]
    assert shared.query("SELECT state, attempts FROM webhook_deliveries") == [("delivered", 1)]
