"""What was learned by guessing, as rows: the same for every database. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tenax.clock import Instant
from tenax.records.guesses import ArchivePattern, GuessBudget, GuessState, Learned, PaginationRule
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_names, join_replaced, leave_out
from tenax.stores.hot.columns import ARCHIVE_PATTERNS, GUESS_BUDGETS, PAGINATION_RULES

RULE_NAMES: Final = leave_out(PAGINATION_RULES, "id", "set_by")
PATTERN_NAMES: Final = leave_out(ARCHIVE_PATTERNS, "id", "set_by")
BUDGET_NAMES: Final = tuple(GUESS_BUDGETS)

# What a user has set stays, whatever a worker that has not seen it yet has learned.
_STATE = "state = CASE WHEN {table}.set_by IS NULL THEN excluded.state ELSE {table}.state END"
_KEPT = ("domain_id", "pattern", "path", "state")


def _write_upsert(table: str, names: Sequence[str], values: str) -> str:
    replaced = join_replaced([name for name in names if name not in _KEPT])
    return f"""
        INSERT INTO {table} ({join_names(names)})
        {values}
        ON CONFLICT (domain_id, pattern) DO UPDATE SET {_STATE.format(table=table)}, {replaced}
    """


def save_rules_statement(values: str) -> str:
    return _write_upsert("pagination_rules", RULE_NAMES, values)


def save_patterns_statement(values: str) -> str:
    return _write_upsert("archive_patterns", PATTERN_NAMES, values)


def save_budgets_statement(values: str) -> str:
    return f"""
        INSERT INTO guess_budgets ({join_names(BUDGET_NAMES)})
        {values}
        ON CONFLICT (domain_id) DO UPDATE SET {join_replaced(BUDGET_NAMES[1:])}
    """


class PaginationColumns(NamedTuple):
    domain_id: int
    path: str
    pattern: str
    state: str
    step: int
    last_n: int
    hits: int
    misses: int
    is_linked: int
    set_by: str | None


class ArchiveColumns(NamedTuple):
    domain_id: int
    pattern: str
    state: str
    hits: int
    misses: int
    set_by: str | None


class BudgetColumns(NamedTuple):
    domain_id: int
    since: Instant
    pages: int
    archives: int
    searched_at: Instant | None


def rule_rows(works: Sequence[DomainWork], wall: Instant) -> list[tuple[Any, ...]]:
    return [
        (
            work.lease.domain_id,
            rule.path,
            rule.pattern,
            rule.state.value,
            rule.step,
            rule.last_n,
            rule.hits,
            rule.misses,
            int(rule.is_linked),
            wall,
        )
        for work in works
        if work.learned is not None
        for rule in work.learned.rules
    ]


def pattern_rows(works: Sequence[DomainWork], wall: Instant) -> list[tuple[Any, ...]]:
    return [
        (work.lease.domain_id, each.pattern, each.state.value, each.hits, each.misses, wall)
        for work in works
        if work.learned is not None
        for each in work.learned.patterns
    ]


def budget_rows(works: Sequence[DomainWork]) -> list[tuple[Any, ...]]:
    return [
        (work.lease.domain_id, budget.since, budget.pages, budget.archives, budget.searched_at)
        for work in works
        if work.learned is not None and (budget := work.learned.budget) is not None
    ]


def read_learned(
    rules: Iterable[Sequence[Any]], patterns: Iterable[Sequence[Any]], budgets: Iterable[Sequence[Any]]
) -> dict[int, Learned]:
    """By domain, from rows with the columns above."""
    found_rules: dict[int, list[PaginationRule]] = {}
    found_patterns: dict[int, list[ArchivePattern]] = {}
    found_budgets: dict[int, GuessBudget] = {}
    for row in rules:
        found_rules.setdefault(row[0], []).append(read_rule(PaginationColumns._make(row)))
    for row in patterns:
        found_patterns.setdefault(row[0], []).append(read_pattern(ArchiveColumns._make(row)))
    for row in budgets:
        found_budgets[row[0]] = _read_budget(BudgetColumns._make(row))
    return {
        domain_id: Learned(
            rules=tuple(found_rules.get(domain_id, ())),
            patterns=tuple(found_patterns.get(domain_id, ())),
            budget=found_budgets.get(domain_id),
        )
        for domain_id in {*found_rules, *found_patterns, *found_budgets}
    }


def read_rule(row: PaginationColumns) -> PaginationRule:
    return PaginationRule(
        path=row.path,
        pattern=row.pattern,
        state=GuessState(row.state),
        step=row.step,
        last_n=row.last_n,
        hits=row.hits,
        misses=row.misses,
        is_linked=bool(row.is_linked),
        set_by=row.set_by,
    )


def read_pattern(row: ArchiveColumns) -> ArchivePattern:
    return ArchivePattern(
        pattern=row.pattern, state=GuessState(row.state), hits=row.hits, misses=row.misses, set_by=row.set_by
    )


def _read_budget(row: BudgetColumns) -> GuessBudget:
    return GuessBudget(since=row.since, pages=row.pages, archives=row.archives, searched_at=row.searched_at)
