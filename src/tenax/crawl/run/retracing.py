"""Follows the links of stored pages, starting from the seeds of a crawl, as if the pages were fetched again.

Where other crawls share a domain, a page that they have fetched is not fetched again. The urls that it links
to belong to this crawl if its rules and seeds admit them; whatever else is stored there does not.
"""

from collections.abc import AsyncIterator, Iterator

from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.records.urls import NewUrl
from tenax.stores.backend import Stores
from tenax.stores.contracts.runs import KnownPage
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.hot.seeds import make_seed
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

SEEDS_AT_ONCE = 1000
PAGES_AT_ONCE = 500


async def retrace(scope: Scope, seed_roots: SeedRoots, stores: Stores) -> int:
    """Returns how many urls were new. Those that no crawl has fetched are queued, even if they were set aside
    for other crawls."""
    now = stores.clock.now()
    wave = [make_seed(url) async for url in _iter_seeds(stores.seeds)]
    seen = {url.key for url in wave}
    added = 0
    while wave:
        found: list[NewUrl] = []
        for start in range(0, len(wave), PAGES_AT_ONCE):
            part = {url.key: url for url in wave[start : start + PAGES_AT_ONCE]}
            pages = await stores.runs.find_pages([(url.domain, url.key) for url in part.values()])
            await seed_roots.learn((url, domain_of(url)) for page in pages for url in page.leads_to)
            new = [url for page in pages for url in _admit(scope, page, part[page.key].depth, seen)]
            added += await stores.frontier.add_urls(new, now)
            found += new
        wave = found
    return added


def _admit(scope: Scope, page: KnownPage, depth: int, seen: set[int]) -> Iterator[NewUrl]:
    depth = depth if page.is_redirect else depth + 1
    for url in page.leads_to:
        key = url_key(url)
        if key in seen or scope.check(url, depth) is not None:
            continue
        seen.add(key)
        yield NewUrl(
            url=url,
            key=key,
            domain=domain_of(url),
            depth=depth,
            priority=plan_priority(url, depth),
            discovered_from=page.url_id,
        )


async def _iter_seeds(seeds: SeedStore) -> AsyncIterator[str]:
    after_id = 0
    while True:
        urls, after_id = await seeds.load_seeds(after_id, SEEDS_AT_ONCE)
        for url in urls:
            yield url
        if len(urls) < SEEDS_AT_ONCE:
            return
