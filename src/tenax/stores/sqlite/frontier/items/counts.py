"""Errors, and how parsers did, in SQLite. The caller is inside a transaction."""

from collections.abc import Sequence

from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import join_marks, join_names
from tenax.stores.hot.items.counts import (
    ADD_STATS,
    ADD_TRIALS,
    STATS_COLUMNS,
    STATS_NAMES,
    TRIAL_COLUMNS,
    TRIAL_NAMES,
    stats_rows,
    trial_rows,
)
from tenax.stores.hot.items.errors import GROUP_NAMES, ErrorRow, group_errors, list_errors
from tenax.stores.hot.items.statements import ADD_TO_GROUP
from tenax.stores.sqlite.connection.database import Connection

_ADD_ERRORS = f"""
    INSERT INTO errors ({join_names(ErrorRow._fields)})
    VALUES ({join_marks(ErrorRow._fields)})
"""
_ADD_TO_GROUPS = f"""
    INSERT INTO error_groups ({join_names(GROUP_NAMES)}, last_error_id)
    VALUES (
        {join_marks(GROUP_NAMES)},
        (SELECT max(id) FROM errors WHERE source_id = ?1 AND fingerprint = ?2)
    )
    ON CONFLICT (source_id, fingerprint) DO UPDATE SET {ADD_TO_GROUP}
"""


def save_errors(connection: Connection, batch: Batch, works: Sequence[DomainWork], source_id: int) -> None:
    rows = list_errors(batch, works, source_id)
    if rows:
        connection.executemany(_ADD_ERRORS, rows)
        connection.executemany(_ADD_TO_GROUPS, group_errors(rows))


_ADD_STATS = f"""
    INSERT INTO parser_stats ({STATS_COLUMNS})
    VALUES ({join_marks(STATS_NAMES)})
    ON CONFLICT (hour, domain_id, parser, parser_version) DO UPDATE SET {ADD_STATS}
"""
_ADD_TRIALS = f"""
    INSERT INTO parser_trials ({TRIAL_COLUMNS})
    VALUES ({join_marks(TRIAL_NAMES)})
    ON CONFLICT (source_id, parser, version, candidate, field) DO UPDATE SET {ADD_TRIALS}
"""


def save_parser_counts(connection: Connection, works: Sequence[DomainWork], source_id: int) -> None:
    connection.executemany(_ADD_STATS, stats_rows(works))
    connection.executemany(_ADD_TRIALS, trial_rows(works, source_id))
