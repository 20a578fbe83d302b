"""What was learned by guessing, in SQLite. See contracts/guesses.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.guesses import KnownUrl, Learned
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_marks, join_names
from tenax.stores.hot.learned.guesses import (
    BUDGET_NAMES,
    PATTERN_NAMES,
    RULE_NAMES,
    ArchiveColumns,
    BudgetColumns,
    PaginationColumns,
    budget_rows,
    pattern_rows,
    read_learned,
    rule_rows,
    save_budgets_statement,
    save_patterns_statement,
    save_rules_statement,
)
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase

_LIST_RULES = f"SELECT {join_names(PaginationColumns._fields)} FROM pagination_rules WHERE domain_id = ?"
_LIST_PATTERNS = f"SELECT {join_names(ArchiveColumns._fields)} FROM archive_patterns WHERE domain_id = ?"
_FIND_BUDGET = f"SELECT {join_names(BudgetColumns._fields)} FROM guess_budgets WHERE domain_id = ?"
_SAVE_RULES = save_rules_statement(f"VALUES ({join_marks(RULE_NAMES)})")
_SAVE_PATTERNS = save_patterns_statement(f"VALUES ({join_marks(PATTERN_NAMES)})")
_SAVE_BUDGETS = save_budgets_statement(f"VALUES ({join_marks(BUDGET_NAMES)})")
# By the index of keys, which are hashes: as good as random.
_SAMPLE = "SELECT id, url FROM urls WHERE domain_id = ? ORDER BY key LIMIT ?"


class SqliteGuesses:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def load(self, domain_ids: Sequence[int]) -> dict[int, Learned]:
        return await self._database.read(lambda connection: _load(connection, domain_ids))

    async def sample(self, domain_id: int, limit: int) -> list[KnownUrl]:
        return await self._database.read(lambda connection: _sample(connection, domain_id, limit))


def _load(connection: Connection, domain_ids: Sequence[int]) -> dict[int, Learned]:
    def find(statement: str) -> list[tuple[object, ...]]:
        return [row for each in domain_ids for row in connection.execute(statement, (each,))]

    return read_learned(find(_LIST_RULES), find(_LIST_PATTERNS), find(_FIND_BUDGET))


def _sample(connection: Connection, domain_id: int, limit: int) -> list[KnownUrl]:
    rows = connection.execute(_SAMPLE, (domain_id, limit))
    return [KnownUrl(id=url_id, url=url) for url_id, url in rows]


def save_learned(connection: Connection, works: Sequence[DomainWork], wall: Instant) -> None:
    """The caller is inside the transaction of a batch, and holds the domains."""
    if all(work.learned is None for work in works):
        return
    connection.executemany(_SAVE_RULES, rule_rows(works, wall))
    connection.executemany(_SAVE_PATTERNS, pattern_rows(works, wall))
    connection.executemany(_SAVE_BUDGETS, budget_rows(works))
