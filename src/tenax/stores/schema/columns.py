"""What the tables share: the metadata, the type of ids, and storage parameters of PostgreSQL.

Instants are seconds since the epoch, in columns of type Double.
"""

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()
# SQLite uses only a column declared INTEGER as the row id, and its integers have 64 bits anyway.
Id = BigInteger().with_variant(Integer(), "sqlite")

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
