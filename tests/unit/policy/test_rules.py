"""Precedence for a domain: robots.txt and the server's requests, then its rules, then its crawl."""

import pytest

from tenax.config.settings import Settings
from tenax.policy.politeness import FROM_RESPONSE, FROM_ROBOTS, FROM_SETTING, plan_next_fetch
from tenax.policy.rules import (
    FROM_RULE,
    RuleName,
    apply_rules,
    change_rules,
    find_concurrency,
    find_delay,
    find_page_limit,
)
from tenax.records.domains import NO_RULES, DomainRules, Pace

NOW = 1_750_000_000.0


def make_settings(
    delay_s: float = 1.0, per_domain: int = 1, pages: int = 1000, longest_s: float = 60.0
) -> Settings:
    politeness = {"delay_s": delay_s, "per_domain": per_domain, "max_crawl_delay_s": longest_s}
    return Settings.model_validate({"politeness": politeness, "limits": {"pages_per_domain": pages}})


@pytest.mark.parametrize(
    ("rule_s", "setting_s", "robots_s", "response_s", "expected"),
    [
        pytest.param(None, 1.0, None, 0.0, (1.0, FROM_SETTING), id="nobody else speaks"),
        pytest.param(3.0, 1.0, None, 0.0, (3.0, FROM_RULE), id="a longer rule goes before the setting"),
        pytest.param(0.5, 1.0, None, 0.0, (0.5, FROM_RULE), id="a shorter one too"),
        pytest.param(1.0, 1.0, None, 0.0, (1.0, FROM_RULE), id="and an equal one"),
        pytest.param(3.0, 1.0, 10.0, 0.0, (10.0, FROM_ROBOTS), id="a longer Crawl-delay goes before both"),
        pytest.param(30.0, 1.0, 10.0, 0.0, (30.0, FROM_RULE), id="a shorter Crawl-delay does not"),
        pytest.param(3.0, 1.0, 999.0, 0.0, (60.0, FROM_ROBOTS), id="Crawl-delay has its cap"),
        pytest.param(90.0, 1.0, 999.0, 0.0, (90.0, FROM_RULE), id="the rule has none"),
        pytest.param(0.5, 1.0, None, 2.0, (2.0, FROM_RESPONSE), id="a slow server gets its rest"),
        pytest.param(0.0, 1.0, None, 2.0, (0.0, FROM_RULE), id="unless the rule is that there is no delay"),
        pytest.param(0.0, 1.0, 5.0, 0.0, (5.0, FROM_ROBOTS), id="robots.txt has a word even then"),
        pytest.param(1.0, 0.0, None, 2.0, (2.0, FROM_RESPONSE), id="a rule brings the rest back"),
    ],
)
def test_the_delay_in_force(
    rule_s: float | None,
    setting_s: float,
    robots_s: float | None,
    response_s: float,
    expected: tuple[float, str],
) -> None:
    pace = Pace(robots_delay_s=robots_s, last_response_s=response_s)
    found = find_delay(pace, make_settings(setting_s).politeness, DomainRules(delay_s=rule_s))
    assert (found.value, found.source) == expected


@pytest.mark.parametrize("rule_s", [0.0, 0.5, 30.0])
def test_a_backoff_that_the_server_requests_overrides_every_rule(rule_s: float) -> None:
    pace = Pace(last_start_at=NOW, last_answer_at=NOW, backoff_until=NOW + 600, backoff_level=1)
    settings = apply_rules(make_settings(), DomainRules(delay_s=rule_s))
    assert plan_next_fetch(pace, settings.politeness, 0.0) == NOW + 600


def test_without_rules_the_settings_are_the_same_object() -> None:
    settings = make_settings()
    assert apply_rules(settings, NO_RULES) is settings
    assert apply_rules(settings, DomainRules(is_active=False)) is settings


def test_rules_replace_what_they_name_and_nothing_else() -> None:
    settings = apply_rules(make_settings(delay_s=1.0, per_domain=2, pages=10), DomainRules(per_domain=5))
    assert (settings.politeness.delay_s, settings.politeness.per_domain) == (1.0, 5)
    assert settings.limits.domain_budget == 10
    assert apply_rules(settings, DomainRules(pages_per_run=3)).limits.domain_budget == 3
    assert apply_rules(settings, DomainRules(pages_per_run=0)).limits.domain_budget > 10**9


def test_limits_say_where_they_come_from() -> None:
    settings, rules = make_settings(per_domain=2, pages=10), DomainRules(per_domain=4, pages_per_run=0)
    found = [find_concurrency(settings.politeness, each) for each in (NO_RULES, rules)]
    assert [(each.value, each.source) for each in found] == [(2, FROM_SETTING), (4, FROM_RULE)]
    found = [find_page_limit(settings, each) for each in (NO_RULES, rules)]
    assert [(each.value, each.source) for each in found] == [(10, FROM_SETTING), (0, FROM_RULE)]


def test_a_change_leaves_the_other_rules_and_null_drops_one() -> None:
    rules = change_rules(DomainRules(delay_s=2.0, per_domain=3), {RuleName.DELAY: None, RuleName.PAGES: 5})
    assert rules == DomainRules(per_domain=3, pages_per_run=5)
    assert not change_rules(rules, {RuleName.ACTIVE: False}).is_active
    assert change_rules(DomainRules(is_active=False), {RuleName.ACTIVE: None}).is_active
