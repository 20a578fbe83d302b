"""Items on their way from the store to a program."""

import socket
from datetime import UTC, datetime

from tenax.crawler.items import StoredItem, format_item, parse_item
from tenax.crawler.messages import format_message, parse_message, receive_message
from tenax.records.items import ItemChangeKind
from tenax.stores.change_log import LogPosition
from tenax.stores.queries.item_log import DeliveredItem

DELIVERED = DeliveredItem(
    position=LogPosition(7, 12),
    id=3,
    kind="product",
    key="sku-1",
    url="https://shop.example/products/1",
    data='{"name":"Lampe \\u2014 grün","price":12.5}',
    confidence=0.5,
    at=1_700_000_000.0,
    run_id=2,
    parser="product",
    parser_version="4",
    change=ItemChangeKind.CHANGED,
    fields='{"price":[13,12.5]}',
)
STORED = StoredItem(
    id=3,
    kind="product",
    key="sku-1",
    url="https://shop.example/products/1",
    data={"name": "Lampe — grün", "price": 12.5},
    change="changed",
    fields={"price": (13, 12.5)},
    at=datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
    run=2,
    parser="product",
    version="4",
    confidence=0.5,
    cursor="7-12",
)


def test_an_item_arrives_as_it_was_sent() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(format_message({"item": format_item(DELIVERED)}))
        message = receive_message(ours)
    assert message is not None
    assert parse_item(message["item"]) == STORED


def test_a_message_that_is_cut_off_is_none() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(format_message({"item": 1})[:-1])
        assert receive_message(ours) is None


def test_a_message_can_be_parsed_without_its_length() -> None:
    assert parse_message(format_message({"ended": {}})[4:]) == {"ended": {}}


def test_a_field_is_read_like_that_of_a_dict() -> None:
    assert STORED["price"] == 12.5


def test_an_item_can_be_printed() -> None:
    assert str(STORED) == "product sku-1 (changed): name='Lampe — grün', price=12.5"
