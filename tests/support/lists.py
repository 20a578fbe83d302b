"""The lists of the API, and how to walk through one."""

from typing import Any

import httpx

API = "/api/v1"
# Every list, in every order; all have several entries in the crawl of history.py.
LISTS = (
    [f"{API}/domains?sort={sort}" for sort in ("name", "-urls", "-queued", "-score", "-last_crawled_at")]
    + [
        f"{API}/domains?sort=-queued&source=shop&since=2025-01-01",
    ]
    + [
        f"{API}/{path}"
        for path in (
            "pages",
            "pages?sort=-id",
            "pages?sort=-first_fetched_at",
            "pages?sort=-fetched_at&domain=news.example",
            "pages?sort=-changed_at&domain=news.example",
            "pages?q=example&language=en&content_type=text/",
            "pages?sort=-first_fetched_at&run=2",
            "pages?sort=-changed_at&domain=news.example&source=shop&fate=fetched",
            "pages/1/links",
            "pages/13/visits",
            "urls",
            "urls?sort=-id&fate=fetched",
            "urls?domain=shop.example",
            "urls?sort=-id&run=2",
            "urls?source=shop&since=2025-01-01&until=2030-01-01",
            "urls/14/inbound",
            "urls/14/inbound?anywhere=true",
            "frontier",
            "frontier/urls",
            "frontier/urls?domain=shop.example",
            "frontier/urls?priority=high",
            "frontier/urls?fate=queued",
            "frontier/urls?source=Shop&since=2025-01-01",
            "visits",
            "visits?source=shop&run=1",
            "visits?sort=at&domain=news.example&since=2025-01-01&run=2",
            "visits?sort=at&kind=page",
            "visits?domain=news.example",
            "changes",
            "changes?kind=changed&kind=gone",
            "changes?run=2",
            "changes?source=shop&since=2025-01-01&until=2030-01-01",
            "seeds",
            "seeds?sort=rank",
            "seeds?sort=-id&source=tranco",
            "runs",
            "runs?sort=id",
            "runs?source=shop&since=2025-01-01",
            "tasks",
            "tasks?sort=id&state=pending&queue=crawl",
            "workers?all=true",
            "workers?all=true&sort=id",
            "users",
            "tokens?everybody=true",
            "audit",
            "audit?sort=at&action=frontier",
            "sources",
            "sources?sort=-id&q=source&enabled=true",
            "sources?sort=-updated_at",
            "discovered-links",
            "discovered-links?sort=domain&hidden=true",
            "jobs",
            "jobs?sort=next_run_at",
            "jobs?sort=priority&source_id=40",
            "jobs/1/executions",
            "jobs/1/executions?sort=number",
            "webhooks",
            "webhooks?sort=-id",
            "webhooks/1/deliveries",
            "webhooks/1/deliveries?sort=id&state=delivered",
            "sites",
            "sites?sort=name&q=example",
            "duplicates",
            "sitemaps",
            "sitemaps?domain=shop.example",
            "traps",
            "traps?state=slowed",
            "items",
            "items?sort=-id&kind=product&state=present",
            "items?sort=-changed_at&since=1970-01-01",
            "items?domain=news.example&q=boat&parser=shop",
            "items?where=price>8&source=shop",
            "items/1/history",
            "items/audits",
            "items/audits?source=shop",
            "products",
            "products?sort=id&source=shop",
            "products?sort=name&domain=news.example",
            "products/stock-changes",
            "products/stock-changes?source=shop&since=2025-01-01",
            "products/1/history",
            "products/1/history?sort=-id",
            "invalid-items",
            "invalid-items?kind=product&domain=news.example",
            "errors",
            "errors?domain=news.example&category=handler",
            "errors?fingerprint=000000000000004d",
            "errors?parser=shop&since=1970-01-01",
            "errors/groups",
            "errors/groups?sort=-count&source=shop",
            "feeds",
            "feeds?sort=-entries_new&source_id=50&state=active",
        )
    ]
)


def ask(reader: httpx.Client, path: str, **parameters: str | int) -> httpx.Response:
    """Get a list, with parameters in addition to those of the path."""
    return reader.get(httpx.URL(path).copy_merge_params(parameters))


def walk(reader: httpx.Client, path: str, limit: int) -> list[dict[str, Any]]:
    """Get all parts of a list, one after another."""
    items: list[dict[str, Any]] = []
    cursor = ""
    while True:
        part = ask(reader, path, limit=limit, cursor=cursor).json()
        items += part["items"]
        if part["next"] is None:
            return items
        cursor = part["next"]
