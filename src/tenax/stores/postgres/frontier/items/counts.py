"""Errors, and how parsers did, in PostgreSQL. The caller is inside a transaction."""

from collections.abc import Sequence

from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.items.columns import ERROR_GROUPS, ERRORS, PARSER_STATS, PARSER_TRIALS
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
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_ADD_ERRORS = f"""
    INSERT INTO errors ({join_names(ErrorRow._fields)})
    SELECT * FROM unnest({join_arrays(ErrorRow._fields, ERRORS)})
"""
_GROUP = join_names(GROUP_NAMES)
# In the order of the unique index, like all upserts: the workers of a run add to the same groups.
_ADD_TO_GROUPS = f"""
    INSERT INTO error_groups ({join_names(GROUP_NAMES)}, last_error_id)
    SELECT
        {join_names(GROUP_NAMES, "v.")},
        (SELECT max(e.id) FROM errors e WHERE e.source_id = v.source_id AND e.fingerprint = v.fingerprint)
    FROM unnest({join_arrays(GROUP_NAMES, ERROR_GROUPS)}) WITH ORDINALITY AS v({_GROUP}, place)
    ORDER BY v.place
    ON CONFLICT (source_id, fingerprint) DO UPDATE SET {ADD_TO_GROUP}
"""


async def save_errors(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], source_id: int
) -> None:
    if rows := list_errors(batch, works, source_id):
        await connection.execute(_ADD_ERRORS, *to_arrays(rows))
        await connection.execute(_ADD_TO_GROUPS, *to_arrays(group_errors(rows)))


_ADD_STATS = f"""
    INSERT INTO parser_stats ({STATS_COLUMNS})
    SELECT {join_names(STATS_NAMES, "v.")}
    FROM unnest({join_arrays(STATS_NAMES, PARSER_STATS)}) WITH ORDINALITY AS v({STATS_COLUMNS}, place)
    ORDER BY v.place
    ON CONFLICT (hour, domain_id, parser, parser_version) DO UPDATE SET {ADD_STATS}
"""
_ADD_TRIALS = f"""
    INSERT INTO parser_trials ({TRIAL_COLUMNS})
    SELECT {join_names(TRIAL_NAMES, "v.")}
    FROM unnest({join_arrays(TRIAL_NAMES, PARSER_TRIALS)}) WITH ORDINALITY AS v({TRIAL_COLUMNS}, place)
    ORDER BY v.place
    ON CONFLICT (source_id, parser, version, candidate, field) DO UPDATE SET {ADD_TRIALS}
"""


async def save_parser_counts(connection: Connection, works: Sequence[DomainWork], source_id: int) -> None:
    if rows := stats_rows(works):
        await connection.execute(_ADD_STATS, *to_arrays(rows))
    if rows := trial_rows(works, source_id):
        await connection.execute(_ADD_TRIALS, *to_arrays(rows))
