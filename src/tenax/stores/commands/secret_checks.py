"""Checks of how a store and its secrets are kept, whether it is being crawled or not."""

from collections.abc import Iterator

from sqlalchemy import Connection

from tenax.errors import SecretError
from tenax.private_files import is_open_to_others
from tenax.stores.commands.secrets import UNSCRUBBED_CURSOR, list_key_uses
from tenax.stores.cursors import find_cursor
from tenax.stores.layout import KEY_NAME
from tenax.stores.place import Place
from tenax.stores.secrets.sealing import Vault


def list_warnings(connection: Connection, place: Place) -> list[str]:
    """One sentence per problem. A command that solves it comes last, ready to be copied."""
    return [*_check_modes(place), *_check_secrets(connection, place)]


def _check_modes(place: Place) -> Iterator[str]:
    # Files in a directory that others cannot enter are out of their reach, whatever their own mode.
    key_file = place.folder / KEY_NAME
    if is_open_to_others(place.folder):
        yield f"Other users of this machine can access {place.folder}: chmod -R go= {place.folder}"
    elif is_open_to_others(key_file):
        yield f"Other users of this machine can read {key_file}: chmod go= {key_file}"


def _check_secrets(connection: Connection, place: Place) -> Iterator[str]:
    try:
        uses = list_key_uses(connection, Vault.of(place))
    except SecretError as error:
        yield str(error)
        return
    for use in uses:
        if use.secrets and not use.is_here:
            secrets = f"{use.secrets:,} secret{'' if use.secrets == 1 else 's'}"
            yield f"The key {use.key_id} of {secrets} is missing on this machine: what needs it will not run."
    if find_cursor(connection, UNSCRUBBED_CURSOR):
        yield f"Unused pages of the store may hold old secrets: tenax secrets scrub {place.option}"
