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


EVENTS = ("--event", "product.price_dropped", "--event", "product.new_low")


def test_a_webhook_is_added_and_removed(tmp_path: Path) -> None:
    make_empty_store(tmp_path)
    url = "https://example.com/hooks/deals"
    ended = run_tenax("webhooks", "add", "deals", url, *EVENTS, "--min-drop", "0.1", "--data", tmp_path)
    assert (ended.code, ended.err) == (0, "")
    (hook,) = [
        json.loads(line) for line in run_tenax("webhooks", "--json", "--data", tmp_path).out.splitlines()
    ]
    assert (hook["name"], hook["url"], hook["min_drop"], hook["source_id"]) == ("deals", url, 0.1, None)
    assert (hook["enabled"], hook["events"]) == (True, ["product.new_low", "product.price_dropped"])
    place = Place(folder=tmp_path)
    sealed = read_store(place, lambda connection: connection.scalar(select(webhooks.c.secret))) or ""
    assert Vault.of(place).open(sealed, owner_of(hook["id"])) == ended.out.splitlines()[1]

    removed = run_tenax("webhooks", "remove", str(hook["id"]), "--data", tmp_path)
    assert (removed.code, removed.out) == (0, f"Removed the webhook {hook['id']} from {tmp_path}.\n")
    again = run_tenax("webhooks", "remove", str(hook["id"]), "--data", tmp_path)
    assert (again.code, f"There is no webhook {hook['id']}" in again.err) == (1, True)
    wanted = SliceRequest(key="at", is_descending=False, after=None, limit=5)
    entries = read_store(place, lambda connection: slice_audit(connection, wanted, AuditFilter())).items
    assert [entry.action for entry in entries] == ["webhook.add", "webhook.remove"]


def test_a_webhook_of_a_private_address_is_added_on_request(tmp_path: Path) -> None:
    make_empty_store(tmp_path)
    arguments = ("webhooks", "add", "own", "http://127.0.0.1:9/", *EVENTS, "--data", tmp_path)
    refused = run_tenax(*arguments)
    assert (refused.code, "is not a public address: --allow-private" in refused.err) == (2, True)
    assert run_tenax(*arguments, "--allow-private").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("deals", "ftp://example.com/", *EVENTS), "is no address of a webhook"),
        (("deals", "https://me:pw@example.com/", *EVENTS), "is no address of a webhook"),
        (
            ("deals", "https://example.com/", "--event", "product.sold"),
            "There is no event product.sold; there are: ",
        ),
        (("deals", "https://example.com/", *EVENTS, "--min-drop", "2"), "at most 1"),
        (("deals", "https://example.com/", *EVENTS, "--source", "x"), "There is no source x in "),
        (("deals", "https://example.com/"), "Missing option '--event'"),
        ((" ", "https://example.com/", *EVENTS), "name must have"),
    ],
)
def test_a_webhook_that_cannot_be_is_refused(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    make_empty_store(tmp_path)
    ended = run_tenax("webhooks", "add", *arguments, "--data", tmp_path)
    assert ended.code in (1, 2)
    assert sentence in ended.err
    assert "Traceback" not in ended.err
    assert run_tenax("webhooks", "--json", "--data", tmp_path).out == ""
