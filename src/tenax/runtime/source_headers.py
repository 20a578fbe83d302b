"""The headers that a source sends to its own origins. They are stored with the source, not with its runs."""

from tenax.config.settings import Settings
from tenax.errors import SecretError
from tenax.jobs.sources.definition import load_definition, with_headers
from tenax.stores.databases.reader import read_store
from tenax.stores.jobs.sources import find_source, open_headers
from tenax.stores.place import Place
from tenax.stores.secrets.sealing import Vault


def add_own_headers(place: Place, source_id: int, settings: Settings) -> Settings:
    """Raises SecretError if they cannot be opened: the pages of the source must not be requested without."""
    try:
        return _add_headers(place, source_id, settings)
    except SecretError:
        # The key was rotated a moment ago: read again, they are sealed with one that is here.
        return _add_headers(place, source_id, settings)


def _add_headers(place: Place, source_id: int, settings: Settings) -> Settings:
    source = read_store(place, lambda connection: find_source(connection, source_id))
    if source is None:
        return settings
    headers = open_headers(source, Vault.of(place))
    return with_headers(settings, load_definition(source), headers)
