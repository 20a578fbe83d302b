"""The settings that runs were opened with."""

from pydantic import ValidationError
from sqlalchemy import Connection, select

from tenax.config import Settings
from tenax.stores.schema.runs import IS_OPENED, runs


def load_last_settings(connection: Connection) -> Settings:
    """Of the last run; the defaults where there is none or another version wrote it."""
    return _parse_settings(
        connection.scalar(select(runs.c.settings).where(IS_OPENED).order_by(runs.c.id.desc()).limit(1))
    )


def load_run_settings(connection: Connection, run_id: int) -> Settings:
    return _parse_settings(connection.scalar(select(runs.c.settings).where(runs.c.id == run_id)))


class SourceSettings:
    """Of the last run of each source: two sources may ask their domains at different paces."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._found: dict[int, Settings] = {}

    def find(self, source_id: int) -> Settings:
        """The defaults where it has never run."""
        if source_id not in self._found:
            statement = select(runs.c.settings).where(runs.c.source_id == source_id, IS_OPENED)
            newest = self._connection.scalar(statement.order_by(runs.c.id.desc()).limit(1))
            self._found[source_id] = _parse_settings(newest)
        return self._found[source_id]


def _parse_settings(text: str | None) -> Settings:
    try:
        return Settings.model_validate_json(text or "{}")
    except ValidationError:
        return Settings()
