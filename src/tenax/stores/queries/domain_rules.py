"""The rules that a user has set for a domain, read from its row."""

from typing import Any

from sqlalchemy import Row

from tenax.records import DomainRules
from tenax.stores.hot.rows import RuleColumns, read_rules

_COLUMNS = RuleColumns._fields


def rules_of(row: Row[*tuple[Any, ...]]) -> DomainRules:
    """Of a row with RuleColumns."""
    return read_rules(tuple(getattr(row, name) for name in _COLUMNS))
