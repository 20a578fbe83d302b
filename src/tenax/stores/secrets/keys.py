"""The keys that seal the secrets of a store. They come from the environment, from a file named there, or from
a file beside the SQLite file; they never appear in a row, a copy or a message.
"""

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from tenax.config.loading import KEY_FILE_VARIABLE, KEY_VARIABLE
from tenax.errors import SecretError
from tenax.private_files import add_file, save_file
from tenax.record import record
from tenax.stores.layout import KEY_NAME

KEY_BYTES: Final = 32  # AES-256
_ID_CHARS: Final = 8


@record
class SealingKey:
    id: str  # stored with sealed secrets; reveals nothing about the key
    value: bytes = field(repr=False)


def new_key() -> str:
    """A random key, in the form in which users store it."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def load_keys(folder: Path | None) -> list[SealingKey]:
    """The available keys: the first one seals, all of them open. `folder`: of a SQLite file; None: the store
    is in PostgreSQL, whose keys come from the environment only. Raises SecretError for an invalid key."""
    given = _parse(os.environ.get(KEY_VARIABLE, ""), f"The environment variable {KEY_VARIABLE}")
    named = os.environ.get(KEY_FILE_VARIABLE)
    if named:
        given += _parse(_read(Path(named)), f"The file {named} of {KEY_FILE_VARIABLE}")
    return given if folder is None else given + load_own_keys(folder)


def load_own_keys(folder: Path) -> list[SealingKey]:
    """The keys beside a SQLite file; empty: there is no key file."""
    path = folder / KEY_NAME
    return _parse(_read(path), f"The file {path}") if path.exists() else []


def make_own_key(folder: Path) -> None:
    """Create the first key of a SQLite file, durable when this returns. Repeating is safe, even
    concurrently."""
    add_file(folder / KEY_NAME, _format([new_key()]))


def save_own_keys(folder: Path, keys: Sequence[SealingKey]) -> None:
    save_file(folder / KEY_NAME, _format([base64.b64encode(key.value).decode() for key in keys]))


def parse_key(text: str) -> SealingKey:
    """Raises ValueError."""
    value = base64.b64decode(text, validate=True)
    if len(value) != KEY_BYTES:
        raise ValueError(f"A key has {KEY_BYTES} bytes.")
    return SealingKey(id=hashlib.sha256(b"tenax key id " + value).hexdigest()[:_ID_CHARS], value=value)


def _parse(text: str, name: str) -> list[SealingKey]:
    try:
        return [parse_key(word) for word in text.replace(",", " ").split()]
    except (ValueError, binascii.Error) as error:
        # Do not show the text: it may be a key with one character too many.
        raise SecretError(
            f"{name} contains something that is not a key: create one with 'tenax secrets new-key'."
        ) from error


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError as error:
        raise SecretError(f"Cannot read the keys in {path}: {error.strerror}.") from error


def _format(keys: Sequence[str]) -> bytes:
    return "".join(f"{key}\n" for key in keys).encode()
