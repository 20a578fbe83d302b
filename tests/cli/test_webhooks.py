"""`tenax webhooks`."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from tenax.stores.accounts.audit import AuditFilter, slice_audit
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.stores.schema.webhooks import webhooks
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import owner_of
from tests.support.command import run_tenax
from tests.support.service_rows import fill_service_rows
from tests.support.stores import make_empty_store


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    make_empty_store(tmp_path / "crawl")
    fill_service_rows(Place(folder=tmp_path / "crawl"))
    return tmp_path / "crawl"


def test_webhooks_are_listed_without_secrets(crawl: Path) -> None:
    header, *rows = run_tenax("webhooks", "--data", crawl).out.splitlines()
    assert header.split() == ["WEBHOOK", "NAME", "STATE", "SOURCE", "EVENTS", "URL"]
    assert rows[0].split() == ["1", "hook1", "disabled", "–", "run.finished", "https://receiver.example/"]
    out = run_tenax("webhooks", "--json", "--data", crawl).out
    assert json.loads(out.splitlines()[0])["name"] == "hook1"
    assert "secret of a test" not in out


def test_a_new_secret_is_printed_and_noted(crawl: Path) -> None:
    ended = run_tenax("webhooks", "rotate-secret", "1", "--data", crawl)
    assert ended.code == 0, ended.err
    place = Place(folder=crawl)
    columns = select(webhooks.c.secret, webhooks.c.old_secret).where(webhooks.c.id == 1)
    sealed = read_store(place, lambda connection: connection.execute(columns).one())
    secret, old_secret = (Vault.of(place).open(each, owner_of(1)) for each in sealed)
    assert secret in ended.out.splitlines()
    assert old_secret == "a secret of a test"
    wanted = SliceRequest(key="at", is_descending=True, after=None, limit=1)
    only = AuditFilter(action="webhook")
    (entry,) = read_store(place, lambda connection: slice_audit(connection, wanted, only)).items
    assert (entry.action, entry.target, entry.actor.kind) == ("webhook.rotate_secret", "webhook 1", "cli")


def test_an_unknown_webhook_is_an_error(crawl: Path) -> None:
    ended = run_tenax("webhooks", "rotate-secret", "99", "--data", crawl)
    assert (ended.code, "There is no webhook 99" in ended.err) == (1, True)
