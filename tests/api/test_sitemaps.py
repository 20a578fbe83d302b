"""Sitemaps over HTTP, and how the urls of a domain were found."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, insert

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tenax.stores.schema.domains import domains
from tenax.stores.schema.sitemaps import sitemaps, yields
from tenax.stores.schema.urls import urls
from tests.support.api import run_api
from tests.support.copying import KINDS, empty_store

API = "/api/v1"


def fill(connection: Connection) -> None:
    connection.execute(
        insert(domains).values(
            id=1, name="a.example", site="a.example", status="active", first_seen_at=0.0,
            pages_discovered=10, pages_crawled=6,
        )
    )  # fmt: skip
    known = {"domain_id": 1, "depth": 0, "priority": 3, "discovered_at": 0.0, "is_sitemap": 1, "found_by": 2}
    for number, fate in ((1, "read"), (2, "gone")):
        url = f"https://a.example/{number}.xml"
        connection.execute(
            insert(urls).values(**known, id=number, key=number, url=url, fate=fate, status=200 + number)
        )
        note = {"url_id": number, "domain_id": 1, "origin": "robots", "hosts": "b.example", "entries": number}
        connection.execute(insert(sitemaps).values(note))
    connection.execute(insert(yields).values(domain_id=1, sitemap_urls=5, sitemap_pages=2, seed_urls=1))


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx.Client]:
    with empty_store(request.param, tmp_path / "crawl") as store:
        asyncio.run(write_store(store.place, fill))
        with run_api(store.place) as server, server.client(Role.USER) as client:
            yield client


def test_sitemaps_are_listed(client: httpx.Client) -> None:
    first, second = client.get(f"{API}/sitemaps").json()["items"]
    assert (first["url"], first["fate"], first["hosts"]) == ("https://a.example/1.xml", "read", ["b.example"])
    assert (second["error"], second["kind"]) == ("the server answered 202", None)


def test_sitemaps_are_listed_by_domain_and_in_parts(client: httpx.Client) -> None:
    assert client.get(f"{API}/sitemaps", params={"domain": "b.example"}).json()["items"] == []
    part = client.get(f"{API}/sitemaps", params={"sort": "-entries", "limit": 1}).json()
    rest = client.get(f"{API}/sitemaps", params={"sort": "-entries", "cursor": part["next"]}).json()
    assert [each["id"] for each in (*part["items"], *rest["items"])] == [2, 1]


def test_a_domain_says_how_its_urls_were_found(client: httpx.Client) -> None:
    found = client.get(f"{API}/domains/a.example").json()["found_by"]
    assert {each["way"]: (each["urls"], each["pages"]) for each in found} == {
        "link": (4, 4), "seed": (1, 0), "sitemap": (3, 2), "feed": (0, 0), "archive": (0, 0),
        "pagination": (0, 0), "probe": (0, 0),
    }  # fmt: skip


def test_a_url_says_how_it_was_found(client: httpx.Client) -> None:
    url = client.get(f"{API}/urls", params={"domain": "a.example"}).json()["items"][0]
    assert (url["found_by"], url["is_sitemap"]) == ("sitemap", True)
