"""The store itself: whether it is a copy of another one, and what its clock is made of."""

from sqlalchemy import Column, Double, Integer, Table, Text, text

from tenax.stores.schema.columns import metadata

copies = Table(
    "copies",
    metadata,
    # One row, with id 1, in a store that was or is being copied from another one; see stores/copy/base.py.
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("reached", Text, nullable=False),  # JSON: table → key of the last row copied
)

store_clock = Table(
    "store_clock",
    metadata,
    # What the store's clock is computed from; see clock.py.
    Column(
        "name", Text, primary_key=True
    ),  # `database`, or the boot id of a machine: its uptime starts there
    Column("offset_s", Double, nullable=False),  # from the server's calendar, or that machine's uptime
    Column("since", Double, nullable=False),  # since when it is known to be steady
    Column("seen_at", Double, nullable=False),  # its time when it was last read
    Column("revision", Integer, nullable=False, server_default=text("0")),  # of the database's offset
)
