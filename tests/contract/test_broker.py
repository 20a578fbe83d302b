"""A real RabbitMQ as servers use it: what it confirms is durable, and no call waits forever."""

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from kombu import Connection

from tenax.config.service import DispatchSettings
from tenax.errors import ServiceError
from tenax.jobs.dispatch import celery
from tenax.jobs.dispatch.base import TaskMessage
from tenax.jobs.dispatch.celery import CeleryBroker, make_queue
from tests.support.rabbitmq import find_broker, find_own_broker


@pytest.fixture
def message() -> Iterator[TaskMessage]:
    name = f"test-{uuid.uuid4().hex[:8]}"
    yield TaskMessage(task_id=1, run_id=1, store="here", queue=name, priority=5)
    with Connection(find_broker()) as connection, connection.channel() as channel:
        make_queue(name)(channel).delete()


@pytest.fixture
def broker() -> Iterator[CeleryBroker]:
    broker = CeleryBroker(DispatchSettings(broker=find_broker()))
    yield broker
    broker.close()


def take(queue: str, *, rejects: bool = False) -> list[str]:
    """The bodies of all messages, as a worker gets them."""
    found = []
    with Connection(find_broker()) as connection, connection.channel() as channel:
        bound = make_queue(queue)(channel)
        while (message := bound.get()) is not None:
            found.append(message.body)
            assert message.properties["delivery_mode"] == 2
            message.reject() if rejects else message.ack()
    return found


def test_the_most_wanted_runs_come_first(broker: CeleryBroker, message: TaskMessage) -> None:
    for task_id, priority in ((1, 10), (2, 5), (3, 1), (4, 5)):
        broker.publish(replace(message, task_id=task_id, priority=priority))
    found = take(message.queue)
    assert [body.partition('"task_id": ')[2][0] for body in found] == ["3", "2", "4", "1"]


def test_a_rejected_message_is_a_dead_letter_that_listing_does_not_move(
    broker: CeleryBroker, message: TaskMessage
) -> None:
    broker.publish(message)
    take(message.queue, rejects=True)
    for _ in range(2):
        (letter,) = [each for each in broker.list_dead(1000) if each.queue == message.queue]
        assert (letter.task, letter.reason) == ("tenax.crawl_run", "rejected")
        assert letter.died_at is not None


def test_a_deleted_queue_is_noticed_and_declared_again(broker: CeleryBroker, message: TaskMessage) -> None:
    broker.publish(message)
    with Connection(find_broker()) as connection, connection.channel() as channel:
        make_queue(message.queue)(channel).delete()
    with pytest.raises(ServiceError, match="NO_ROUTE"):
        broker.publish(message)
    broker.publish(message)
    assert len(take(message.queue)) == 1


def test_a_broker_that_says_nothing_is_not_waited_for(
    message: TaskMessage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(celery, "ANSWER_S", 0.5)
    monkeypatch.setattr(celery, "CONNECT_S", 0.5)
    server = find_own_broker()
    broker = CeleryBroker(DispatchSettings(broker=server.url))
    broker.check()
    server.pause()
    try:
        for ask in (broker.check, lambda: broker.publish(message), lambda: broker.list_dead(1)):
            with pytest.raises(ServiceError, match="is not accepting messages"):
                ask()
        server.resume()
        broker.check()
    finally:
        server.resume()
        broker.close()


def test_a_broker_that_is_not_there_is_no_secret_and_its_password_is() -> None:
    broker = CeleryBroker(DispatchSettings(broker="amqp://user:secret@127.0.0.1:1//"))
    with pytest.raises(ServiceError) as caught:
        broker.check()
    assert "amqp://user:***@127.0.0.1:1" in str(caught.value)
    assert "secret" not in str(caught.value)
