"""The run that visited a url last, and the selected headers of its response."""

from alembic import op
from sqlalchemy import Column, Integer, Text, text

revision = "0031"
down_revision = "0030"

# Of two visits to a url, the one of the later run is the later one.
FILL = text(
    """
    UPDATE urls
    SET run_id = last.run_id
    FROM (
        SELECT url_id, max(run_id) AS run_id
        FROM visits
        WHERE url_id IS NOT NULL
        GROUP BY url_id
    ) AS last
    WHERE last.url_id = urls.id
    """
)


def upgrade() -> None:
    op.add_column("urls", Column("run_id", Integer))
    op.add_column("urls", Column("response_headers", Text))
    op.get_bind().execute(FILL)
