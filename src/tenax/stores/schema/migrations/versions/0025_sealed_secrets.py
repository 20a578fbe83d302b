"""Sealed secrets: the values of sources' headers, in a column of their own, and the secrets of webhooks."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic import context, op
from sqlalchemy import Column, Text, text

from tenax.stores.secrets.sealing import SecretOwner, Vault

revision = "0025"
down_revision = "0024"

HIDDEN = "***"


def upgrade() -> None:
    op.add_column("sources", Column("headers", Text))
    folder: Path | None = context.config.attributes.get("folder")
    vault, connection = Vault(folder), op.get_bind()
    if _seal_headers(connection, vault) + _seal_webhooks(connection, vault):
        # Unused pages of the file still hold them: the migrating process scrubs these, or a user does.
        connection.execute(text("INSERT INTO marks (name, position) VALUES ('secrets.unscrubbed', 1)"))


def _seal_headers(connection: Any, vault: Vault) -> int:
    number = 0
    for id, definition, headers in list(_find_headers(connection)):
        sealed = vault.seal(json.dumps(headers), SecretOwner(table="sources", id=id))
        shown = json.dumps({**definition, "headers": dict.fromkeys(headers, HIDDEN)})
        connection.execute(
            text("UPDATE sources SET definition = :definition, headers = :headers WHERE id = :id"),
            {"id": id, "definition": shown, "headers": sealed},
        )
        number += 1
    return number


def _find_headers(connection: Any) -> Iterator[tuple[int, dict[str, Any], dict[str, str]]]:
    for id, stored in connection.execute(text("SELECT id, definition FROM sources ORDER BY id")):
        try:
            definition = json.loads(stored)
        except ValueError:
            continue  # it cannot be read, so its headers are never sent
        headers = definition.get("headers") if isinstance(definition, dict) else None
        if headers and isinstance(headers, dict):
            yield id, definition, headers


def _seal_webhooks(connection: Any, vault: Vault) -> int:
    rows = connection.execute(text("SELECT id, secret, old_secret FROM webhooks ORDER BY id")).all()
    for id, secret, old_secret in rows:
        owner = SecretOwner(table="webhooks", id=id)
        sealed = {
            "secret": vault.seal(secret, owner),
            "old_secret": None if old_secret is None else vault.seal(old_secret, owner),
        }
        connection.execute(
            text("UPDATE webhooks SET secret = :secret, old_secret = :old_secret WHERE id = :id"),
            {"id": id, **sealed},
        )
    return len(rows)
