"""Which page limit applies to a crawl."""

import pytest

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.settings import Settings
from tenax.policy.budget import lift_domain_cap

ONE = ("https://a.test/", "https://www.a.test/more")
TWO = ("https://a.test/", "https://b.test/")
WITH_LIMIT = Settings(limits=LimitSettings(max_pages=5000))


def test_the_limit_of_the_run_rules_alone_for_one_domain() -> None:
    lifted = lift_domain_cap(WITH_LIMIT, ONE).limits
    assert (lifted.max_pages, lifted.pages_per_domain) == (5000, 0)


@pytest.mark.parametrize(
    ("settings", "seeds"),
    [
        pytest.param(WITH_LIMIT, TWO, id="two domains"),
        pytest.param(WITH_LIMIT, (), id="no seeds"),
        pytest.param(Settings(), ONE, id="no limit of the run"),
        pytest.param(Settings(limits=LimitSettings(max_pages=5000, pages_per_domain=7)), ONE, id="chosen"),
        pytest.param(
            Settings(limits=LimitSettings(max_pages=5000), scope=ScopeSettings(kind=ScopeKind.ANY)),
            ONE,
            id="every domain",
        ),
    ],
)
def test_otherwise_the_cap_of_a_domain_stays(settings: Settings, seeds: tuple[str, ...]) -> None:
    assert lift_domain_cap(settings, seeds) == settings
