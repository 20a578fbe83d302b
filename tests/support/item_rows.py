"""Items, their changes and errors of parsers, as rows: for tests of lists, whatever made them."""

from typing import Any

import orjson
from sqlalchemy import Connection, insert, select

from tenax.records.items import ErrorCategory, ItemChangeKind
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.schema.domains import domains
from tenax.stores.schema.error_log import error_groups, errors
from tenax.stores.schema.items import (
    follow_ups,
    invalid_items,
    item_changes,
    items,
    observations,
    parser_stats,
)
from tenax.stores.schema.urls import urls

PARSER = {"parser": "shop", "parser_version": "2"}
STACK = "Traceback (most recent call last):\n  File \"shop.py\", line 7, in product\nKeyError: 'price'\n"
INSTANTS = {"at", "first_seen_at", "last_seen_at", "changed_at", "gone_at", "first_at", "last_at"}
BROKEN, REFUSED = 77, -5  # fingerprints


class ItemRows:
    """Inserts rows about known urls of a run."""

    def __init__(self, connection: Connection, source_id: int, run_id: int, start: float = 0.0) -> None:
        """All instants are counted from `start`."""
        self.connection = connection
        self.start = start
        self.of_run = {"source_id": source_id, "run_id": run_id}

    def find(self, url: str) -> dict[str, int]:
        row = self.connection.execute(select(urls.c.id, urls.c.domain_id).where(urls.c.url == url)).one()
        return {"url_id": row.id, "domain_id": row.domain_id}

    def add_item(self, url: str, key: str, data: dict[str, Any], **values: Any) -> int:
        at = values.pop("at", 1000.0)
        row = {
            **self.of_run,
            **self.find(url),
            **PARSER,
            "kind": "product",
            "key": key,
            "data": _dump(data),
            "content_hash": hash(key),
            "first_seen_at": at,
            "last_seen_at": at,
            "changed_at": at,
            "changes": 1,
        } | values
        return self._add(items, row)

    def show(self, url: str, item_id: int, at: float = 1000.0, data: dict[str, Any] | None = None) -> None:
        row = {**self.find(url), **PARSER, "item_id": item_id, "at": at, "content_hash": 1}
        self._add(observations, row | {"data": None if data is None else _dump(data)})

    def change(
        self, url: str, item_id: int, kind: ItemChangeKind, fields: dict[str, Any] | None, at: float = 1000.0
    ) -> int:
        """In the history of the item and in the change log."""
        row = {**PARSER, "item_id": item_id, "at": at, "kind": kind, "run_id": self.of_run["run_id"]}
        row |= {"url_id": self.find(url)["url_id"], "fields": None if fields is None else _dump(fields)}
        change_id = self._add(item_changes, row)
        add_to_log(self.connection, LogTopic.ITEM, self.of_run["source_id"], change_id, self.start + at)
        return change_id

    def add_invalid(self, url: str, key: str, data: dict[str, Any], faults: list[str]) -> int:
        row = {**self.of_run, **self.find(url), **PARSER, "kind": "product", "key": key, "at": 1000.0}
        return self._add(invalid_items, row | {"data": _dump(data), "faults": _dump(faults)})

    def follow(self, url: str, from_url: str) -> None:
        row = {**self.find(url), "source_id": self.of_run["source_id"], "parser": "reviews", "at": 1000.0}
        self._add(follow_ups, row | {"data": '{"page":2}', "from_url_id": self.find(from_url)["url_id"]})

    def count_pages(self, url: str, pages: int, failed: int, hour: int) -> None:
        row = {**PARSER, "hour": hour, "domain_id": self.find(url)["domain_id"], "pages": pages}
        rest = dict.fromkeys(("items", "invalid", "empty", "rated"), 0) | {"confidence_sum": 0.0}
        self._add(parser_stats, row | rest | {"errors": failed})

    def fail(self, url: str, at: float, **values: Any) -> int:
        """An error, and its group."""
        row = {
            **self.of_run,
            **self.find(url),
            **PARSER,
            "at": at,
            "category": ErrorCategory.HANDLER,
            "type": "KeyError",
            "message": "'price'",
            "stack": STACK,
            "fingerprint": BROKEN,
        } | values
        error_id = self._add(errors, row)
        self._count(row, error_id)
        return error_id

    def _count(self, row: dict[str, Any], error_id: int) -> None:
        names = ("source_id", "fingerprint", "category", "type", "message", "parser")
        known = (error_groups.c.source_id == row["source_id"]) & (
            error_groups.c.fingerprint == row["fingerprint"]
        )
        group = self.connection.execute(select(error_groups).where(known)).one_or_none()
        newest = {"last_at": row["at"], "last_error_id": error_id}
        if group is None:
            group_row = {name: row[name] for name in names} | {"count": 1, "first_at": row["at"]}
            self._add(error_groups, group_row | newest)
        else:
            newest["last_at"] += self.start
            changed = error_groups.update().where(known).values(count=group._mapping["count"] + 1, **newest)
            self.connection.execute(changed)

    def _add(self, table: Any, row: dict[str, Any]) -> int:
        wanted = {name: value for name, value in row.items() if name in table.c}
        for name in wanted.keys() & INSTANTS:
            wanted[name] = None if wanted[name] is None else self.start + wanted[name]
        return int(self.connection.execute(insert(table).values(wanted).returning(table.c.id)).scalar_one())


def find_source(connection: Connection, domain: str) -> int:
    return int(connection.execute(select(domains.c.source_id).where(domains.c.name == domain)).scalar_one())


def add_shop(rows: ItemRows, boat_url: str, car_url: str) -> tuple[int, int]:
    """A boat that two urls show, whose price changed, and a car that is gone; an invalid item, two errors of
    a parser and one of the network. Returns the ids of both items."""
    boat = rows.add_item(
        boat_url,
        "boat",
        {"name": "Boat", "price": 12.5, "sku": "10", "sold": False},
        confidence=0.9,
        field_confidence='{"price":0.8}',
        changed_at=2000.0,
        changes=2,
    )
    rows.show(boat_url, boat, at=2000.0)
    rows.show(car_url, boat, at=1000.0, data={"name": "Boat", "price": 10})
    rows.change(boat_url, boat, ItemChangeKind.NEW, {"price": [None, 10]})
    rows.change(boat_url, boat, ItemChangeKind.CHANGED, {"price": [10, 12.5]}, at=2000.0)
    car = rows.add_item(car_url, "car", {"name": "Car", "price": 9}, gone_at=1500.0, changed_at=1500.0)
    rows.change(car_url, car, ItemChangeKind.NEW, {"price": [None, 9]})
    rows.change(car_url, car, ItemChangeKind.GONE, None, at=1500.0)
    rows.add_invalid(car_url, "bike", {"name": "Bike", "price": "free"}, ["price: is not a number."])
    rows.fail(car_url, 1000.0)
    rows.fail(boat_url, 1100.0)
    rows.fail(
        boat_url,
        1200.0,
        category=ErrorCategory.NETWORK,
        type="timeout",
        message="No answer within 30 s.",
        stack=None,
        parser=None,
        parser_version=None,
        fingerprint=REFUSED,
    )
    rows.follow(boat_url, car_url)
    return boat, car


def _dump(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
