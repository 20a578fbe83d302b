"""Merge rules: which urls a crawl treats as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.config.crawl import LimitSettings, MergeRule, ScopeSettings
from tenax.errors import ConfigError
from tenax.policy.merging import DomainMergeRules, MergeRules, RuleOrigin, parse_under
from tenax.policy.patterns import MAX_INSTRUCTIONS, PatternBudget
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.web.identity import identity_of, url_key
from tenax.web.urls import parse_url
from tests.fuzz.web.test_urls import BASE, hrefs

SORT = MergeRule(name="sorting", ignore_parameters=("sort", "View"))
SLASH = MergeRule(ignore_trailing_slash=True)
FIRST_PAGE = MergeRule(ignore_matching=("^page=[01]$",))
HOST = "https://a.example"


def rules_of(*rules: MergeRule, domain: str = "a.example") -> DomainMergeRules:
    found = MergeRules.build(rules, PatternBudget()).of_domain(domain)
    assert found is not None
    return found


ALL = rules_of(SORT, SLASH, FIRST_PAGE, MergeRule(under="/a/", ignore_parameters=("x",)))
_PARTS = st.sampled_from(["sort=1", "view=2", "SORT", "page=1", "page=2", "x=%C3%A4", "b=1", "b=2", "", "a"])
_PATHS = st.sampled_from(["/", "/a", "/a/", "/a//", "/a/b", "/%61/", "//", "/a/b/"])
made = st.builds(
    lambda path, parts: parse_url(f"{HOST}{path}?{'&'.join(parts)}"), _PATHS, st.lists(_PARTS, max_size=5)
)


@given(made)
def test_what_is_merged_is_merged_for_good(url: str) -> None:
    merged = ALL.merge(url)
    assert identity_of(ALL.merge(merged)) == identity_of(merged)
    assert ALL.find_class(merged, url_key(merged)) == ALL.find_class(url, url_key(url))


@given(made)
def test_spellings_of_one_identity_are_in_one_class(url: str) -> None:
    normal = identity_of(url)
    assert ALL.find_class(normal, url_key(normal)) == ALL.find_class(url, url_key(url))


@given(hrefs)
def test_a_rule_that_has_nothing_to_say_leaves_the_key_alone(href: str) -> None:
    url = parse_url(href, BASE)
    if url is not None:
        rules = rules_of(MergeRule(ignore_parameters=("nobody-has-this",)))
        assert rules.find_class(url, url_key(url)) == url_key(url)
        assert rules.merge(url) is url


def test_without_rules_there_is_no_merging() -> None:
    scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeSettings().kind))
    assert scope.merging is None


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("/list?sort=a", "/list"),
        ("/list?b=1&SORT=a&view", "/list?b=1"),
        ("/list?resort=a", None),
        ("/list/", "/list"),
        ("/list//", "/list"),
        ("/", None),
        ("/?sort=1", "/"),
        ("/list?page=1", "/list"),
        ("/list?page=10", None),
        ("/list?s%6Frt=1", "/list"),
        ("/list/?sort=1&q=2", "/list?q=2"),
    ],
)
def test_what_does_not_count_is_left_out_of_the_form(url: str, form: str | None) -> None:
    rules = rules_of(SORT, SLASH, FIRST_PAGE)
    assert rules.merge(HOST + url) == HOST + (form or url)


@pytest.mark.parametrize(
    ("under", "covered", "not_covered"),
    [
        ("a.example/list", ["/list", "/list/", "/list/2"], ["/listing", "/", "/a/list"]),
        ("https://www.a.example/list/", ["/list/", "/list/2"], ["/list"]),
        ("/list", ["/list"], ["/other"]),
        ("a.example", ["/", "/list"], []),
    ],
)
def test_a_rule_holds_where_it_says(under: str, covered: list[str], not_covered: list[str]) -> None:
    rules = rules_of(MergeRule(under=under, ignore_parameters=("sort",)))
    for path in covered:
        assert rules.merge(f"{HOST}{path}?sort=1") == HOST + path
    for path in not_covered:
        assert rules.merge(f"{HOST}{path}?sort=1") == f"{HOST}{path}?sort=1"


def test_a_rule_of_another_domain_costs_this_one_nothing() -> None:
    merging = MergeRules.build([MergeRule(under="b.example", ignore_trailing_slash=True)], PatternBudget())
    assert merging.of_domain("a.example") is None
    assert merging.of_domain("b.example") is not None


def test_rules_are_named_by_what_makes_two_urls_one() -> None:
    rules = rules_of(SORT, SLASH)
    assert [rule.origin for rule in rules.rules] == [RuleOrigin.ORDER, RuleOrigin.ORDER]
    assert rules.name_rules(f"{HOST}/a?sort=1", f"{HOST}/a?sort=2") == "sorting"
    assert rules.name_rules(f"{HOST}/a/?sort=1", f"{HOST}/a?sort=1") == "ignore the trailing slash"
    assert rules.name_rules(f"{HOST}/a/", f"{HOST}/a?sort=1") == "sorting, ignore the trailing slash"
    named = rules_of(MergeRule(under="/x", ignore_parameters=("p",), ignore_matching=("^q",)))
    assert named.rules[0].name == "ignore p, ^q under /x"


@pytest.mark.parametrize("under", ["", "  ", "ftp://a.example/", "a.example/?q=1", "a b", "/a#b", "http://"])
def test_a_place_that_is_none_is_refused(under: str) -> None:
    with pytest.raises(ConfigError, match=r"is not valid here\. Write"):
        parse_under(under)


def test_a_rule_that_says_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="must ignore something"):
        MergeRule(name="nothing", under="/a")


def test_patterns_of_rules_share_the_budget_of_the_crawl() -> None:
    heavy = "a{1,900}"  # 1,800 instructions
    rules = (MergeRule(ignore_matching=(heavy,) * 30),)
    Scope.build(ScopeSettings(merge_rules=rules), LimitSettings(), Roots(ScopeSettings().kind))
    settings = ScopeSettings(exclude=(heavy,) * 30, merge_rules=rules)
    with pytest.raises(ConfigError, match=f"may compile to {MAX_INSTRUCTIONS:,} instructions"):
        Scope.build(settings, LimitSettings(), Roots(settings.kind))


def test_a_bad_pattern_is_named() -> None:
    with pytest.raises(ConfigError, match=r"ignore_matching '\(' is not a valid RE2 pattern"):
        MergeRules.build([MergeRule(ignore_matching=("(",))], PatternBudget())


def test_there_is_an_end_to_rules() -> None:
    with pytest.raises(ConfigError, match="at most 100"):
        MergeRules.build([SLASH] * 101, PatternBudget())
