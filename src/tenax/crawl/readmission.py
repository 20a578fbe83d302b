"""When the rules of a crawl change between runs: what they used to refuse gets another chance.

Urls outside the rules are not kept, but the links of every stored page are: they are asked again.
"""

import json
from typing import Any

from tenax.clock import Instant
from tenax.config import Settings
from tenax.crawl.surveyor import Surveyor
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.records import NewUrl, RefusalReason
from tenax.stores.base import FrontierStore, PageLinks, RunStore
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

PAGES_AT_ONCE = 500
SCOPE_REASONS = (
    RefusalReason.OUT_OF_SCOPE,
    RefusalReason.EXCLUDED,
    RefusalReason.NOT_INCLUDED,
    RefusalReason.TOO_DEEP,
    RefusalReason.URL_TOO_LONG,
    RefusalReason.PRIVATE_ADDRESS,
)


def rules_changed(earlier_json: str, settings: Settings) -> bool:
    earlier = json.loads(earlier_json)
    now = settings.model_dump(mode="json")
    return any(earlier.get(section, {}).get(name) != now[section][name] for section, name in _list_rules(now))


def _list_rules(settings: dict[str, Any]) -> list[tuple[str, str]]:
    scope = [("scope", name) for name in settings["scope"]]
    return [*scope, ("limits", "max_depth"), ("limits", "url_length"), ("fetch", "allow_private")]


async def readmit(
    scope: Scope, surveyor: Surveyor, frontier: FrontierStore, runs: RunStore, now: Instant
) -> int:
    """Ask the new rules about everything that is known; returns how many urls were added."""
    await runs.reopen_refused(SCOPE_REASONS)
    added = after_id = 0
    while pages := await runs.stored_links(after_id, PAGES_AT_ONCE):
        await surveyor.learn((url, domain_of(url)) for page in pages for url in page.links)
        urls = {url.key: url for page in pages for url in _admit(scope, page)}
        added += await frontier.add_urls(list(urls.values()), now)
        after_id = pages[-1].url_id
    return added


def _admit(scope: Scope, page: PageLinks) -> list[NewUrl]:
    depth = page.depth + 1
    return [
        NewUrl(
            url=url,
            key=url_key(url),
            domain=domain_of(url),
            depth=depth,
            priority=plan_priority(url, depth),
            discovered_from=page.url_id,
        )
        for url in page.links
        if scope.check(url, depth) is None
    ]
