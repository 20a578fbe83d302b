"""How many urls were found in which way, in PostgreSQL. The caller is inside a transaction."""

from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.columns import YIELDS
from tenax.stores.hot.discovery.yields import ADD_YIELDS, YIELD_COLUMNS, YIELD_NAMES, Yields, yield_rows
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_ADD = f"""
    INSERT INTO yields ({YIELD_COLUMNS})
    SELECT {join_names(YIELD_NAMES, "v.")}
    FROM unnest({join_arrays(YIELD_NAMES, YIELDS)}) WITH ORDINALITY AS v({YIELD_COLUMNS}, place)
    ORDER BY v.place
    ON CONFLICT (domain_id) DO UPDATE SET {ADD_YIELDS}
"""


async def add_yields(connection: Connection, counts: Yields) -> None:
    if rows := yield_rows(counts):
        await connection.execute(_ADD, *to_arrays(rows))
