"""Domains over HTTP."""

import httpx


def test_domains_are_listed_with_most_urls_first(client: httpx.Client) -> None:
    found = client.get("/api/v1/domains").json()
    assert found["items"][0]["name"] == "shop.example"
    assert found["next"] is None


def test_a_list_in_parts_is_the_whole_list(client: httpx.Client) -> None:
    whole = client.get("/api/v1/domains", params={"sort": "name"}).json()["items"]
    parts, cursor = [], None
    for _ in range(len(whole)):
        part = client.get(
            "/api/v1/domains", params={"sort": "name", "limit": 1, "cursor": cursor or ""}
        ).json()
        parts += part["items"]
        cursor = part["next"]
    assert parts == whole
    assert cursor is None


def test_a_cursor_of_another_sort_order_is_refused(client: httpx.Client) -> None:
    cursor = client.get("/api/v1/domains", params={"sort": "name", "limit": 1}).json()["next"]
    answer = client.get("/api/v1/domains", params={"sort": "-urls", "cursor": cursor})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["faults"][0]["where"] == "query.cursor"


def test_one_domain_has_its_history(client: httpx.Client) -> None:
    found = client.get("/api/v1/domains/shop.example").json()
    assert found["name"] == "shop.example"
    assert found["fates"]["fetched"] == 2


def test_an_unknown_domain_is_not_found(client: httpx.Client) -> None:
    answer = client.get("/api/v1/domains/unknown.example")
    assert answer.status_code == 404
    assert "unknown.example" in answer.json()["detail"]


def test_the_receipt_counts_every_gap(client: httpx.Client) -> None:
    found = client.get("/api/v1/domains/shop.example/receipt").json()
    assert sum(gap["count"] for gap in found["gaps"]) == found["requests"] - 1


def test_a_repeated_request_gets_not_modified(client: httpx.Client) -> None:
    first = client.get("/api/v1/domains/shop.example")
    again = client.get("/api/v1/domains/shop.example", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""


def test_robots_txt_names_the_line_that_decides_about_a_path(client: httpx.Client) -> None:
    [file] = client.get("/api/v1/domains/shop.example/robots", params={"path": "/secret/a"}).json()
    assert file["verdict"] == {"is_allowed": False, "line_number": 2}
    [file] = client.get("/api/v1/domains/shop.example/robots").json()
    assert file["verdict"] is None
