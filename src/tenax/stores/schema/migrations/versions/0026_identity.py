"""Urls keep the address that was found first. Their keys come from an identity that respects the order of
repeated parameters and ignores session ids.
"""

import time

from alembic import op
from sqlalchemy import text

from tenax.errors import StoreError
from tenax.stores.schema.rekeying import rekey

revision = "0026"
down_revision = "0025"

# Workers of older versions would continue to add urls with keys of the old kind.
LIVE = text("SELECT count(*) FROM workers WHERE ended_at IS NULL AND heartbeat_at > :since")
SILENT_S = 60.0


def upgrade() -> None:
    connection = op.get_bind()
    live = connection.scalar(LIVE, {"since": time.time() - SILENT_S})
    if live:
        raise StoreError(
            f"{live} {'worker' if live == 1 else 'workers'} of an older Tenax may still use this store. "
            "Stop them, or wait a minute if they were killed, and run the command again."
        )
    rekey(connection)
