"""Secrets at rest: sealed with AES-256-GCM for the row they belong to, so that they cannot be read from the
file, and one that is moved to another row cannot be opened there.
"""

import base64
import os
from pathlib import Path
from typing import Final

from tenax.config.loading import KEY_FILE_VARIABLE, KEY_VARIABLE
from tenax.errors import SecretError
from tenax.record import record
from tenax.stores.layout import KEY_NAME
from tenax.stores.place import Place
from tenax.stores.secrets.keys import SealingKey, load_keys, make_own_key

_FORM: Final = "enc:v1"
_NONCE_BYTES: Final = 12


@record
class SecretOwner:
    """The row that a secret belongs to."""

    table: str
    id: int

    def __str__(self) -> str:
        return f"{self.table} {self.id}"


class Vault:
    """Seals and opens the secrets of a store. Keys are read again each time, and writers read them within
    their transaction: so a new key takes effect at once, and no row is sealed with a key that is about to be
    removed."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def of(cls, place: Place) -> "Vault":
        return cls(place.folder if place.url is None else None)

    def load_keys(self) -> list[SealingKey]:
        return load_keys(self._folder)

    def seal(self, text: str, owner: SecretOwner) -> str:
        """Raises SecretError if there is no key and none can be created."""
        return seal(text, owner, self.get_key())

    def open(self, sealed: str, owner: SecretOwner) -> str:
        """Raises SecretError."""
        key_id = read_key_id(sealed)
        key = next((each for each in self.load_keys() if each.id == key_id), None)
        if key is None:
            raise SecretError(
                f"The secret of {owner} is sealed with key {key_id}, which is missing. {self._advise()}"
            )
        return open_sealed(sealed, owner, key)

    def get_key(self) -> SealingKey:
        keys = self.load_keys()
        if not keys and self._folder is not None:
            make_own_key(self._folder)
            keys = self.load_keys()
        if not keys:
            raise SecretError(
                "There is no key to seal a secret with: create one with 'tenax secrets new-key', and give it "
                f"to every server and worker as {KEY_VARIABLE}, or in a file named by {KEY_FILE_VARIABLE}."
            )
        return keys[0]

    def _advise(self) -> str:
        """How to provide a missing key."""
        places = [f"as {KEY_VARIABLE}", f"in a file named by {KEY_FILE_VARIABLE}"]
        if self._folder is not None:
            places.append(f"in {self._folder / KEY_NAME}")
        return f"Provide that key {', '.join(places)}, or set the secret again."


def seal(text: str, owner: SecretOwner, key: SealingKey) -> str:
    # Imported late: most crawls have no secrets, and it would cost each start 16 ms.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE_BYTES)
    sealed = nonce + AESGCM(key.value).encrypt(nonce, text.encode(), str(owner).encode())
    return f"{_FORM}:{key.id}:{base64.b64encode(sealed).decode()}"


def open_sealed(sealed: str, owner: SecretOwner, key: SealingKey) -> str:
    """Raises SecretError if it was sealed for another row or with another key, or was changed since."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        packed = base64.b64decode(sealed.rpartition(":")[2], validate=True)
        opened = AESGCM(key.value).decrypt(packed[:_NONCE_BYTES], packed[_NONCE_BYTES:], str(owner).encode())
    except (InvalidTag, ValueError) as error:
        raise SecretError(
            f"The secret of {owner} cannot be opened: it was changed or sealed for another row. Set it again."
        ) from error
    return opened.decode()


def read_key_id(sealed: str) -> str:
    """Raises SecretError if the text is not a sealed secret."""
    form, _, rest = sealed.rpartition(":")[0].rpartition(":")
    if form != _FORM:
        raise SecretError("A secret in the store is not sealed: it was written by another program.")
    return rest
