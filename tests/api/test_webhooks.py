"""Webhooks over HTTP."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tests.support.api import run_api
from tests.support.copying import KINDS, empty_store
from tests.support.webhooks import Receiver, run_receiver

API = "/api/v1"
HOOK = {"name": "chat", "url": "https://receiver.example/hook?b=1&a=2#x", "events": ["run.finished"]}
LONGEST_WAIT_S = 60.0


@pytest.fixture(params=KINDS)
def admin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx.Client]:
    with (
        empty_store(request.param, tmp_path / "crawl") as store,
        run_api(store.place) as server,
        server.client(Role.ADMIN) as client,
    ):
        yield client


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with run_receiver() as receiver:
        yield receiver


def add(client: httpx.Client, **others: Any) -> dict[str, Any]:
    answer = client.post(f"{API}/webhooks", json={**HOOK, **others})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_the_secret_is_shown_once(admin: httpx.Client) -> None:
    made = add(admin)
    assert len(made["secret"]) >= 40
    assert made["url"] == "https://receiver.example/hook?b=1&a=2"
    listed = admin.get(f"{API}/webhooks")
    assert [hook["id"] for hook in listed.json()["items"]] == [made["id"]]
    changed = admin.put(f"{API}/webhooks/{made['id']}", json={**HOOK, "enabled": False})
    assert (changed.status_code, changed.json()["enabled"]) == (200, False)
    audit = admin.get(f"{API}/audit")
    for answer in (listed, changed, audit):
        assert made["secret"] not in answer.text


def test_a_new_secret_is_shown_once_and_noted(admin: httpx.Client) -> None:
    made = add(admin)
    assert made["old_secret_until"] is None
    rotated = admin.post(f"{API}/webhooks/{made['id']}/rotate-secret")
    assert rotated.status_code == 200
    secret = rotated.json()["secret"]
    assert len(secret) >= 40
    assert secret != made["secret"]
    listed = admin.get(f"{API}/webhooks")
    until = listed.json()["items"][0]["old_secret_until"]
    assert until == rotated.json()["old_secret_until"] > made["created_at"]
    audit = admin.get(f"{API}/audit", params={"action": "webhook.rotate_secret"})
    assert [entry["target"] for entry in audit.json()["items"]] == [f"webhook {made['id']}"]
    for answer in (listed, audit):
        assert secret not in answer.text
        assert made["secret"] not in answer.text
    assert admin.post(f"{API}/webhooks/99/rotate-secret").status_code == 404


BAD_URLS = [
    "ftp://receiver.example/",
    "https://user:password@receiver.example/",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://169.254.169.254/latest/",
    "http://localhost/",
    "http://localhost./",
    "http://LOCALHOST:8060/",
    "http://foo.localhost./",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://[::ffff:127.0.0.1]/",
    "http://0x7f.1/",
    "http://router.home.arpa/",
    "http://metadata.internal/",
    "no url",
]


def test_addresses_that_lead_nowhere_good_are_refused(admin: httpx.Client) -> None:
    for url in BAD_URLS:
        answer = admin.post(f"{API}/webhooks", json={**HOOK, "url": url})
        assert (answer.status_code, answer.json()["faults"][0]["where"]) == (422, "body.url"), url
    assert admin.get(f"{API}/webhooks").json()["items"] == []


def test_requests_that_make_no_sense_are_refused(admin: httpx.Client) -> None:
    orders: list[dict[str, Any]] = [
        {"events": []},
        {"events": ["webhook.test"]},
        {"source_id": 0},
        {"secret": "mine"},
    ]
    for wrong in orders:
        assert admin.post(f"{API}/webhooks", json={**HOOK, **wrong}).status_code == 422, wrong


def test_a_webhook_that_is_unknown_or_disabled_is_not_tried(admin: httpx.Client) -> None:
    made = add(admin, enabled=False)
    assert admin.post(f"{API}/webhooks/{made['id']}/test").status_code == 409
    assert admin.delete(f"{API}/webhooks/{made['id']}").status_code == 204
    for method, path in (("DELETE", ""), ("POST", "/test")):
        assert admin.request(method, f"{API}/webhooks/{made['id']}{path}").status_code == 404
    assert admin.put(f"{API}/webhooks/{made['id']}", json=HOOK).status_code == 404
    assert admin.post(f"{API}/webhook-deliveries/99/retry").status_code == 404


def test_only_administrators_see_webhooks(admin: httpx.Client) -> None:
    headers = {"Authorization": f"Bearer {Role.USER}"}
    assert admin.get(f"{API}/webhooks", headers=headers).status_code == 403


def wait_for(client: httpx.Client, path: str, state: str) -> dict[str, Any]:
    until = time.monotonic() + LONGEST_WAIT_S
    while time.monotonic() < until:
        found: list[dict[str, Any]] = client.get(path, params={"state": state}).json()["items"]
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(client.get(path).text)


def test_a_server_sends_a_test_message_and_sends_it_again(tmp_path: Path, receiver: Receiver) -> None:
    fetch = {"allow_private": True, "resolve": ["*:127.0.0.1"]}
    with (
        empty_store("sqlite", tmp_path / "crawl") as store,
        run_api(store.place, fetch=fetch) as server,
        server.client(Role.ADMIN) as client,
    ):
        made = add(client, url=receiver.url)
        ordered = client.post(f"{API}/webhooks/{made['id']}/test")
        assert (ordered.status_code, ordered.json()["state"]) == (201, "pending")
        path = f"{API}/webhooks/{made['id']}/deliveries"
        delivery = wait_for(client, path, "delivered")
        again = client.post(f"{API}/webhook-deliveries/{delivery['id']}/retry")
        assert again.json()["state"] == "pending"
        wait_for(client, path, "delivered")
    assert receiver.events[0] == ("webhook.test", {"webhook": "chat"})
    assert len(receiver.messages) == 2


def test_a_fault_names_values_and_no_python(admin: httpx.Client) -> None:
    answer = admin.post(f"{API}/webhooks", json={**HOOK, "events": ["nope"]})
    assert answer.status_code == 422
    (fault,) = answer.json()["faults"]
    assert (
        fault["message"]
        == "Input should be 'run.finished', 'source.changed', 'domain.blocked', 'item.changed',"
        " 'product.price_changed', 'product.price_dropped', 'product.new_low',"
        " 'product.availability_changed' or 'parser.degraded'."
    )
