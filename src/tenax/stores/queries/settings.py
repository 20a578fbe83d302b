"""The settings that runs were opened with."""

from pydantic import ValidationError
from sqlalchemy import Connection, select

from tenax.config.settings import Settings
from tenax.stores.schema.runs import IS_OPENED, runs


def load_last_settings(connection: Connection) -> Settings:
    """Settings of the last run; the defaults if there is none, or if they cannot be read by this version."""
    return _parse_settings(
        connection.scalar(select(runs.c.settings).where(IS_OPENED).order_by(runs.c.id.desc()).limit(1))
    )


def load_run_settings(connection: Connection, run_id: int) -> Settings:
    return _parse_settings(connection.scalar(select(runs.c.settings).where(runs.c.id == run_id)))


class SourceSettings:
    """Settings of the last run of each source: sources may request pages at different paces."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._found: dict[int, Settings] = {}

    def find(self, source_id: int) -> Settings:
        """The defaults if the source has never run."""
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
