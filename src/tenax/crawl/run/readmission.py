"""Applies changed rules between runs: urls that the old rules refused get another chance, and so do urls that
were given up for a limit that is higher now, or skipped as a type that is read now.

Urls outside the rules are not kept, but the links of every stored page are: they are checked again.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from tenax.config.fetch import PDF
from tenax.config.settings import Settings
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.policy.merging import MergeRules
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.records.requests import FailureKind
from tenax.records.urls import NewUrl, RefusalReason
from tenax.stores.backend import Stores
from tenax.stores.contracts.merging import Classified, MergeCandidate, MergeStore
from tenax.stores.contracts.runs import PageLinks
from tenax.web.identity import url_key
from tenax.web.pdfs import PDF_TYPES
from tenax.web.urls import domain_of

PAGES_AT_ONCE = 500
URLS_AT_ONCE = 2000
SCOPE_REASONS = (
    RefusalReason.OUT_OF_SCOPE,
    RefusalReason.EXCLUDED,
    RefusalReason.NOT_INCLUDED,
    RefusalReason.TOO_DEEP,
    RefusalReason.URL_TOO_LONG,
    RefusalReason.PRIVATE_ADDRESS,
)

# Urls that were given up because of these limits are retried once the limits are higher.
_LIMITS = (
    ("reader", "memory_mb", FailureKind.READER_MEMORY),
    ("reader", "cpu_s", FailureKind.READER_TIME),
    ("fetch", "max_bytes", FailureKind.TOO_LARGE),
    ("fetch", "max_header_bytes", FailureKind.TOO_LARGE),
)


def list_lifted(earlier_json: str, settings: Settings) -> frozenset[FailureKind]:
    """The failures caused by limits that are higher now. A limit that the earlier run did not know was lower;
    before there was a reader, large documents were given up as unreadable."""
    earlier, now = json.loads(earlier_json), settings.model_dump(mode="json")
    lifted = {
        kind for section, name, kind in _LIMITS if earlier.get(section, {}).get(name, 0) < now[section][name]
    }
    return frozenset(lifted if "reader" in earlier else {*lifted, FailureKind.CONTENT})


def list_wanted(earlier_json: str, settings: Settings) -> frozenset[str]:
    """The content types that the earlier run did not read, by all their names."""
    earlier = json.loads(earlier_json).get("extract", {}).get("content_types", [])
    return PDF_TYPES if settings.extract.reads_pdf and PDF not in earlier else frozenset()


def rules_changed(earlier_json: str, settings: Settings) -> bool:
    earlier = json.loads(earlier_json)
    now = settings.model_dump(mode="json")
    return any(earlier.get(section, {}).get(name) != now[section][name] for section, name in _list_rules(now))


def _list_rules(settings: dict[str, Any]) -> list[tuple[str, str]]:
    scope = [("scope", name) for name in settings["scope"]]
    return [*scope, ("limits", "max_depth"), ("limits", "url_length"), ("fetch", "allow_private")]


async def readmit(scope: Scope, seed_roots: SeedRoots, stores: Stores) -> int:
    """Apply the new rules to everything that is known; returns how many urls were added."""
    await stores.runs.reopen_refused(SCOPE_REASONS)
    now = stores.clock.now()
    added = after_id = 0
    while pages := await stores.runs.stored_links(after_id, PAGES_AT_ONCE):
        await seed_roots.learn((url, domain_of(url)) for page in pages for url in page.links)
        urls = {url.key: url for page in pages for url in _admit(scope, page)}
        added += await stores.frontier.add_urls(list(urls.values()), now)
        after_id = pages[-1].url_id
    return added


async def reclassify(merging: MergeRules | None, merges: MergeStore) -> None:
    """Queue merged urls again, and give known urls the classes of the new rules and of those that were
    learned. Whether a url is merged is decided when it is taken."""
    await merges.forget_classes()
    learned: dict[str, list[str]] = defaultdict(list)
    for domain, name in await merges.list_learned():
        learned[domain].append(name)
    if merging is None and not learned:
        return
    after_id = 0
    while members := await merges.list_members(after_id, URLS_AT_ONCE):
        await merges.save_classes(_classify(merging or MergeRules(), learned, members))
        after_id = members[-1].id


def _classify(
    merging: MergeRules, learned: Mapping[str, Sequence[str]], members: Iterable[MergeCandidate]
) -> list[Classified]:
    """The members whose class changes something."""
    found = []
    find_rules = cache(lambda domain: merging.of_domain(domain, learned.get(domain, ())))
    for member in members:
        rules = find_rules(member.domain)
        if rules is not None:
            class_key = rules.find_class(member.url, member.key)
            is_led_back = member.to_url is not None and rules.is_in(member.to_url, class_key)
            if class_key != member.key or is_led_back:
                other = None if class_key == member.key else class_key
                found.append(Classified(id=member.id, class_key=other, is_led_back=is_led_back))
    return found


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
