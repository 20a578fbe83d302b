"""Which feed entries a source admits, and under which URLs."""

import pytest

from tenax.config.crawl import ScopeSettings
from tenax.config.settings import Settings
from tenax.discover.feeds import FeedEntry
from tenax.jobs.feeds.plan import FeedPlan
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope

SEED = "https://a.example/"


def make_plan(*keep: str) -> FeedPlan:
    scope = ScopeSettings(keep_parameters=keep)
    settings = Settings(scope=scope)
    return FeedPlan(
        version=1,
        wants_feeds=True,
        interval_s=60.0,
        seeds=(SEED,),
        scope=Scope.build(scope, settings.limits, Roots(scope.kind, (SEED,))),
        settings=settings,
        custom_headers=None,
    )


def admit(plan: FeedPlan, *urls: str) -> list[str]:
    entries = [FeedEntry(url=url, id=None, title=None, published_at=None) for url in urls]
    return [new.url for new in plan.admit(entries)]


@pytest.mark.parametrize(("keep", "url"), [((), f"{SEED}post?id=1"), (("ref",), f"{SEED}post?id=1&ref=main")])
def test_addresses_have_the_parameters_that_the_source_counts(keep: tuple[str, ...], url: str) -> None:
    assert admit(make_plan(*keep), f"{SEED}post?id=1&ref=main&utm_source=feed") == [url]


def test_entries_of_other_sites_are_left_out() -> None:
    assert admit(make_plan(), "https://b.example/post") == []
