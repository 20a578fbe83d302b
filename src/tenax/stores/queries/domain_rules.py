"""The rules that a user has set for a domain, read from its row."""

from typing import Any

from sqlalchemy import Row

from tenax.records.domains import DomainRules
from tenax.stores.hot.rows import RULE_COLUMNS, read_rules

_COLUMNS = tuple(name.strip() for name in RULE_COLUMNS.split(","))


def rules_of(row: Row[*tuple[Any, ...]]) -> DomainRules:
    """Of a row with RULE_COLUMNS."""
    return read_rules(tuple(getattr(row, name) for name in _COLUMNS))
