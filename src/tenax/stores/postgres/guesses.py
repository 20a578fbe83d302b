"""What was learned by guessing, in PostgreSQL. See contracts/guesses.py."""

from collections.abc import Sequence
from typing import Any

from tenax.clock import Instant
from tenax.records.guesses import KnownUrl, Learned
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.columns import ARCHIVE_PATTERNS, GUESS_BUDGETS, PAGINATION_RULES
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
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_OF_DOMAINS = "WHERE domain_id = ANY($1::bigint[])"
_LIST_RULES = f"SELECT {join_names(PaginationColumns._fields)} FROM pagination_rules {_OF_DOMAINS}"
_LIST_PATTERNS = f"SELECT {join_names(ArchiveColumns._fields)} FROM archive_patterns {_OF_DOMAINS}"
_LIST_BUDGETS = f"SELECT {join_names(BudgetColumns._fields)} FROM guess_budgets {_OF_DOMAINS}"
_SAVE_RULES = save_rules_statement(f"SELECT * FROM unnest({join_arrays(RULE_NAMES, PAGINATION_RULES)})")
_SAVE_PATTERNS = save_patterns_statement(
    f"SELECT * FROM unnest({join_arrays(PATTERN_NAMES, ARCHIVE_PATTERNS)})"
)
_SAVE_BUDGETS = save_budgets_statement(f"SELECT * FROM unnest({join_arrays(BUDGET_NAMES, GUESS_BUDGETS)})")
# By the index of keys, which are hashes: as good as random.
_SAMPLE = "SELECT id, url FROM urls WHERE domain_id = $1 ORDER BY key LIMIT $2"


class PostgresGuesses:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def load(self, domain_ids: Sequence[int]) -> dict[int, Learned]:
        return await self._database.read(lambda connection: _load(connection, domain_ids))

    async def sample(self, domain_id: int, limit: int) -> list[KnownUrl]:
        return await self._database.read(lambda connection: _sample(connection, domain_id, limit))


async def _load(connection: Connection, domain_ids: Sequence[int]) -> dict[int, Learned]:
    rules = await connection.fetch(_LIST_RULES, domain_ids)
    patterns = await connection.fetch(_LIST_PATTERNS, domain_ids)
    budgets = await connection.fetch(_LIST_BUDGETS, domain_ids)
    return read_learned(map(tuple, rules), map(tuple, patterns), map(tuple, budgets))


async def _sample(connection: Connection, domain_id: int, limit: int) -> list[KnownUrl]:
    rows = await connection.fetch(_SAMPLE, domain_id, limit)
    return [KnownUrl(id=row[0], url=row[1]) for row in rows]


async def save_learned(connection: Connection, works: Sequence[DomainWork], wall: Instant) -> None:
    """The caller is inside the transaction of a batch, and holds the domains."""
    if all(work.learned is None for work in works):
        return
    await _save(connection, _SAVE_RULES, rule_rows(works, wall))
    await _save(connection, _SAVE_PATTERNS, pattern_rows(works, wall))
    await _save(connection, _SAVE_BUDGETS, budget_rows(works))


async def _save(connection: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        await connection.execute(statement, *to_arrays(rows))
