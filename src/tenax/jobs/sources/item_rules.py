"""The rules of sources for their items: in their definitions, or in the settings of a crawl's last run."""

from tenax.errors import ConfigError
from tenax.items.schema import Check, build_check
from tenax.jobs.sources.definition import SourceDefinition, read_definition
from tenax.stores.connection import Connection
from tenax.stores.jobs.sources import list_sources
from tenax.stores.queries.settings import SourceSettings


class ItemRules:
    """Built for a source when they are first asked for."""

    def __init__(self, connection: Connection) -> None:
        self._settings = SourceSettings(connection)
        self._definitions = {source.id: read_definition(source) for source in list_sources(connection)}
        self._built: dict[int, dict[str, Check]] = {}

    def find(self, source_id: int) -> dict[str, Check]:
        """By kind. Rules that this version cannot read are left out."""
        if source_id not in self._built:
            self._built[source_id] = self._build(source_id)
        return self._built[source_id]

    def _build(self, source_id: int) -> dict[str, Check]:
        definition = self._definitions.get(source_id)
        if isinstance(definition, SourceDefinition):
            schemas = definition.item_rules
        else:
            schemas = self._settings.find(source_id).parsers.item_rules
        try:
            return {kind: build_check(schema) for kind, schema in schemas.items()}
        except ConfigError:
            return {}
