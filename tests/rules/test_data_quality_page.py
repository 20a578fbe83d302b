"""The examples and figures in docs/data-quality.md are true."""

import re
import tomllib
from pathlib import Path

from tenax.api import maintenance
from tenax.config.parsers import ParserSettings
from tenax.config.settings import Settings
from tenax.items.registry import load_candidates, load_parsers
from tenax.items.schema import build_check
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tenax.jobs.sources.promotion import promote
from tenax.policy.quality import parser_health, profiles
from tenax.stores.commands import item_audits, parser_watch
from tenax.stores.queries import item_audit

PAGE = (Path(__file__).parents[2] / "docs" / "data-quality.md").read_text()
SOURCE, AUDITED = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(TOML,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
(DEFINITION,) = parse_sources(SOURCE, name="sources.yaml")


def test_the_source_has_a_parser_and_a_candidate() -> None:
    given = to_settings(DEFINITION, Settings()).parsers
    (current,) = load_parsers(given)
    (candidate,) = load_candidates(given, [current.name])
    assert current.version != candidate.version


def test_the_settings_of_a_crawl_have_the_same_candidate() -> None:
    given = ParserSettings.model_validate(tomllib.loads(TOML)["parsers"])
    (candidate,) = load_candidates(given, ["lantern"])
    assert candidate.name != "lantern"
    assert given.candidates[0].share == to_settings(DEFINITION, Settings()).parsers.candidates[0].share


def test_a_source_says_how_often_it_is_audited() -> None:
    (definition,) = parse_sources(AUDITED, name="sources.yaml")
    assert definition.audit_every_h == 24


def test_the_figures_of_kept_audits_are_those_of_the_code() -> None:
    assert (item_audits.KEPT, item_audits.KEPT_S, item_audits.FINDINGS_KEPT) == (400, 400 * 86_400, 20)
    assert (maintenance.EVERY_S, item_audits.CLAIM_S) == (300, 3_600)


def test_the_candidate_can_be_promoted() -> None:
    given = to_settings(promote(DEFINITION, "lantern"), Settings()).parsers
    assert [set(each["fields"]) for each in given.definitions] == [{"name", "price", "brand"}]


def test_the_rules_can_be_broken() -> None:
    check = build_check(DEFINITION.item_rules["product"])
    assert check({"name": "Lamp", "price": 12.5}) == ()
    assert len(check({"price": 20000})) == 2


def test_the_intervals_are_those_of_the_source() -> None:
    every = to_settings(DEFINITION, Settings()).refresh.every
    assert [(rule.kind, rule.pattern, rule.hours) for rule in every] == [
        ("product", None, 6),
        (None, "/news/*", 1),
    ]


def test_the_page_names_all_findings_and_measures() -> None:
    for name in (*item_audit.FindingCode, *parser_health.Measure):
        assert f"| `{name}`" in PAGE


def test_the_figures_are_those_of_the_code() -> None:
    assert (parser_health.LEAST_RECENT, parser_health.LEAST_PAST, parser_health.SIGMAS) == (50, 200, 4.0)
    assert list(parser_health.LEAST_DROP.values()) == [0.25, 0.1, 0.1]
    assert (parser_watch.EVERY_S, item_audit.MOST_ITEMS) == (900.0, 200_000)
    assert (profiles.LEAST_ITEMS, profiles.USUAL_SHARE, profiles.LEAST_LEVEL) == (50, 0.9, 0.5)
    assert (item_audit.LEAST_VANISHED, item_audit.VANISHED_SHARE) == (10, 0.1)
