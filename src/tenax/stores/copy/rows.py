"""Rows to copy: which tables, how they are read, what changes in the copy, and their digest."""

import marshal
from collections.abc import Callable, Sequence

from sqlalchemy import LargeBinary, Table, Text
from xxhash import xxh3_128_intdigest

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.copy.base import Key, Row, TableShape
from tenax.stores.schema.accounts import sessions
from tenax.stores.schema.columns import ExactPrice
from tenax.stores.schema.ddl import metadata
from tenax.stores.schema.domains import domains
from tenax.stores.schema.guesses import guess_budgets
from tenax.stores.schema.receipts import receipts
from tenax.stores.schema.runs import runs, workers
from tenax.stores.schema.seeds import seeds
from tenax.stores.schema.store import copies, store_clock

BYTES_AT_ONCE = 8_000_000
_MODULUS = 2**128
# The newest version whose bytes depend only on the values. A third of the CPU of repr(), a tenth with blobs.
_MARSHAL_VERSION = 2


def _describe(table: Table) -> TableShape:
    (key,) = table.primary_key.columns
    return TableShape(
        name=str(table.name),
        key=str(key.name),
        origin="" if isinstance(key.type, Text) else 0,
        columns=tuple(str(column.name) for column in table.columns),
        blobs=tuple(str(column.name) for column in table.columns if isinstance(column.type, LargeBinary)),
        prices=tuple(
            place for place, column in enumerate(table.columns) if isinstance(column.type, ExactPrice)
        ),
    )


# All tables except those about the store rather than the crawl (the note itself, its clock, sessions), and
# those that are counted again: from the log, or from the next guess on.
_LEFT_OUT = (copies, sessions, store_clock, receipts, guess_budgets)
SHAPES = tuple(_describe(table) for table in metadata.sorted_tables if table not in _LEFT_OUT)
# Every write of a crawl changes one of these: a heartbeat, a counter, a version, a seed.
FINGERPRINT_SHAPES = tuple(_describe(table) for table in (seeds, runs, workers, domains))
SEEDS, WORKERS = _describe(seeds), _describe(workers)


def format_read(shape: TableShape, mark: str, limit: int) -> str:
    """The statement of RowStore.read; `mark` is the placeholder of the database for its parameter,
    the key."""
    columns = ", ".join(f'"{name}"' for name in shape.columns)
    table, key = f'"{shape.name}"', f'"{shape.key}"'
    if not shape.blobs:
        return f"SELECT {columns} FROM {table} WHERE {key} > {mark} ORDER BY {key} LIMIT {limit}"
    size = " + ".join(f'coalesce(length("{name}"), 0)' for name in shape.blobs)
    # Lengths first, which the database knows without reading the blobs: a row may have megabytes.
    return f"""
        WITH sized AS (
            SELECT {key} AS place, {size} AS size
            FROM {table}
            WHERE {key} > {mark}
            ORDER BY {key}
            LIMIT {limit}
        ),
        summed AS (
            SELECT place, sum(size) OVER (ORDER BY place) - size AS before
            FROM sized
        )
        SELECT {columns}
        FROM {table}
        WHERE {key} > {mark}
          AND {key} <= (SELECT max(place) FROM summed WHERE before < {BYTES_AT_ONCE})
        ORDER BY {key}
    """


def key_of(shape: TableShape, row: Row) -> Key:
    key: Key = row[shape.columns.index(shape.key)]
    return key


def free_rows(shape: TableShape, rows: Sequence[Row], at: Instant) -> Sequence[Row]:
    """The rows as they are in a copy that began at this instant: without leases and active workers."""
    change = _CHANGES.get(shape.name)
    return rows if change is None else [change(shape, row, at) for row in rows]


def _free_domain(shape: TableShape, row: Row, at: Instant) -> Row:
    values = dict(zip(shape.columns, row, strict=True))
    if values["claimed_by"] is None:
        return row
    # Its owner is dead and made its last request at an unknown time before `at`: a full delay starts then.
    values |= {
        "claimed_by": None,
        "claim_expires_at": None,
        "version": values["version"] + 1,
        "avail_at": at if values["is_active"] else None,
        "last_start_at": max(values["last_start_at"] or 0.0, at),
        "last_answer_at": max(values["last_answer_at"] or 0.0, at),
    }
    return tuple(values.values())


def _end_worker(shape: TableShape, row: Row, at: Instant) -> Row:
    values = dict(zip(shape.columns, row, strict=True))
    return row if values["ended_at"] is not None else tuple({**values, "ended_at": at}.values())


def _forget_transaction(shape: TableShape, row: Row, at: Instant) -> Row:
    # Transactions have other numbers in another database. What was read before a position still comes before
    # it: the ids are the same.
    return tuple({**dict(zip(shape.columns, row, strict=True)), "xid": 0}.values())


_CHANGES: dict[str, Callable[[TableShape, Row, Instant], Row]] = {
    "domains": _free_domain,
    "workers": _end_worker,
    "change_log": _forget_transaction,
    "log_cursors": _forget_transaction,
}


@record
class Digest:
    """The digest of a set of rows: equal for equal rows in any order."""

    rows: int = 0
    total: int = 0

    def plus(self, rows: Sequence[Row]) -> "Digest":
        total = sum(xxh3_128_intdigest(marshal.dumps(row, _MARSHAL_VERSION)) for row in rows)
        return Digest(rows=self.rows + len(rows), total=(self.total + total) % _MODULUS)

    def __str__(self) -> str:
        return f"{self.total:032x}"
