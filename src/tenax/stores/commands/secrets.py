"""All secrets of a store: which keys they are sealed with, and key rotation."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Column, Connection, Table, select, update

from tenax.record import record
from tenax.stores.cursors import hold_cursor, move_cursor
from tenax.stores.place import Place
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.webhooks import webhooks
from tenax.stores.secrets.keys import load_own_keys, new_key, parse_key, save_own_keys
from tenax.stores.secrets.sealing import SecretOwner, Vault, read_key_id

# Every column that holds a secret must be listed here.
SEALED: Final[tuple[Column[Any], ...]] = (sources.c.headers, webhooks.c.secret, webhooks.c.old_secret)
# Not zero while unused pages of the store may still hold secrets as they were before.
UNSCRUBBED_CURSOR: Final = "secrets.unscrubbed"


@record
class KeyUse:
    key_id: str
    secrets: int
    is_here: bool  # the key is available on this machine


def list_key_uses(connection: Connection, vault: Vault) -> list[KeyUse]:
    """All available keys, starting with the one that seals, then the missing ones. Raises SecretError."""
    uses = Counter(read_key_id(sealed) for _, _, sealed in _iter_secrets(connection))
    here = list(dict.fromkeys(key.id for key in vault.load_keys()))
    missing = sorted(uses.keys() - set(here))
    return [KeyUse(key_id=id, secrets=uses[id], is_here=id in here) for id in (*here, *missing)]


def reseal_secrets(connection: Connection, vault: Vault) -> int:
    """Seal all secrets with the current key; returns how many had another one. Raises SecretError, and then
    the caller must not commit."""
    secrets = list(_iter_secrets(connection, is_locking=True))
    current = vault.get_key().id if secrets else None
    others = [each for each in secrets if read_key_id(each[2]) != current]
    for column, owner, sealed in others:
        table = _table_of(column)
        resealed = vault.seal(vault.open(sealed, owner), owner)
        connection.execute(update(table).where(table.c.id == owner.id).values({column.name: resealed}))
    if others:
        hold_cursor(connection, UNSCRUBBED_CURSOR)
        move_cursor(connection, UNSCRUBBED_CURSOR, 1)
    return len(others)


def begin_rotation(place: Place) -> None:
    """If the keys are stored beside the SQLite file, add a new one, which seals from now on, before the
    others. A rotation that is killed after this can be started again: all keys are kept until everything is
    sealed with the newest."""
    if _has_own_key(place):
        save_own_keys(place.folder, [parse_key(new_key()), *load_own_keys(place.folder)])


def end_rotation(place: Place) -> None:
    """Remove all keys but the first. To be called when everything is sealed with it."""
    if _has_own_key(place):
        save_own_keys(place.folder, load_own_keys(place.folder)[:1])


def _has_own_key(place: Place) -> bool:
    """Whether the key that seals is stored beside the SQLite file; keys in the environment are changed by
    users."""
    if place.url is not None:
        return False
    own = load_own_keys(place.folder)
    return bool(own) and Vault.of(place).load_keys()[0] == own[0]


def _iter_secrets(
    connection: Connection, *, is_locking: bool = False
) -> Iterator[tuple[Column[Any], SecretOwner, str]]:
    for column in SEALED:
        table = _table_of(column)
        statement = select(table.c.id, column).where(column.isnot(None)).order_by(table.c.id)
        for id, sealed in connection.execute(statement.with_for_update() if is_locking else statement).all():
            yield column, SecretOwner(table=table.name, id=id), sealed


def _table_of(column: Column[Any]) -> Table:
    assert isinstance(column.table, Table)
    return column.table
