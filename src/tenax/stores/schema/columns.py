"""What the tables share: the metadata, the type of ids, and storage parameters of PostgreSQL.

Instants are seconds since the epoch, in columns of type Double.
"""

from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, MetaData, Numeric, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from tenax.records.products import PRICE_DIGITS, PRICE_PLACES, from_millionths, to_millionths

metadata = MetaData()
# SQLite uses only a column declared INTEGER as the row id, and its integers have 64 bits anyway.
Id = BigInteger().with_variant(Integer(), "sqlite")

# Text to sort and search by: in the order of its characters, as in SQLite, rather than that of a language.
Folded = Text().with_variant(Text(collation="C"), "postgresql")


class ExactPrice(TypeDecorator[Decimal]):
    """An exact price: NUMERIC in PostgreSQL, millionths in SQLite."""

    impl = Numeric(PRICE_DIGITS, PRICE_PLACES)
    cache_ok = True

    @property
    def python_type(self) -> type[Decimal]:
        return Decimal

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        own = BigInteger() if dialect.name == "sqlite" else Numeric(PRICE_DIGITS, PRICE_PLACES)
        return dialect.type_descriptor(own)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return to_millionths(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        return from_millionths(value) if dialect.name == "sqlite" else value


# PostgreSQL. Rows that every batch rewrites find room on their page, so no index has to be updated. By
# default, autovacuum runs after a fifth of a table has changed: with ten million urls, that is never.
DOMAIN_STORAGE = {"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.02, "autovacuum_vacuum_cost_delay": 0}

URL_STORAGE = {
    "fillfactor": 90,
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_vacuum_insert_scale_factor": 0.05,
    "autovacuum_analyze_scale_factor": 0.02,
}

COUNTER_STORAGE = {"fillfactor": 50}
