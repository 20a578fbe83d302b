"""Merge rules: which urls of a domain are one to a crawl, though their identities differ.

A rule never changes a url or its key. It puts urls into classes, of which one url is fetched and stands for
the others. A class is known by the key of the form that the rules bring its urls to; that form need not
exist. Rules come with a crawl's order; they have a name, by which people find them again.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self
from urllib.parse import unquote

from tenax.config.crawl import MergeRule
from tenax.errors import ConfigError
from tenax.policy.patterns import PatternBudget, Patterns
from tenax.policy.revisit import find_next_try, keeps_fate
from tenax.record import record
from tenax.records.visits import Fetched, Redirected, Skipped, Unchanged, Visit
from tenax.web.identity import identity_of, url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, parse_url

MOST_RULES = 100


class RuleOrigin(StrEnum):
    """Who made a rule."""

    ORDER = "order"  # a person: the source's definition, an option or a setting


@record
class CompiledRule:
    """A merge rule, made ready."""

    name: str
    origin: RuleOrigin
    domain: str | None  # None: all of them
    path: str  # where it begins to hold
    names: frozenset[str]  # of parameters that do not count, in lower case
    patterns: Patterns | None  # on parameters, as "name=value", that do not count
    ignores_slash: bool

    @classmethod
    def build(cls, given: MergeRule, budget: PatternBudget) -> Self:
        """ConfigError: what it says cannot be used."""
        domain, path = (None, "/") if given.under is None else parse_under(given.under)
        patterns = given.ignore_matching
        return cls(
            name=given.name or _describe(given),
            origin=RuleOrigin.ORDER,
            domain=domain,
            path=path,
            names=frozenset(name.lower() for name in given.ignore_parameters),
            patterns=Patterns("ignore_matching", patterns, budget) if patterns else None,
            ignores_slash=given.ignore_trailing_slash,
        )

    def covers(self, path: str) -> bool:
        """By whole segments: "/list" covers "/list/2" and not "/listing"."""
        start = self.path
        return path.startswith(start) and (start[-1] == "/" or path[len(start) :][:1] in ("", "/"))

    def ignores(self, parameter: str) -> bool:
        """`parameter`: without escapes."""
        if parameter.partition("=")[0].lower() in self.names:
            return True
        return self.patterns is not None and self.patterns.find(parameter) is not None


@record
class DomainMergeRules:
    """Those that hold in one domain."""

    domain: str
    rules: tuple[CompiledRule, ...]

    def find_class(self, url: str, key: int) -> int:
        """The key of the class of an address, whose own key is given: of most urls it is the same."""
        merged = self.merge(url)
        return key if merged is url else url_key(merged)

    def is_in(self, url: str, class_key: int) -> bool:
        return domain_of(url) == self.domain and self.find_class(url, url_key(url)) == class_key

    def merge(self, url: str) -> str:
        """The form of the class of an address; the very same string: no rule has anything to say."""
        return _merge(url, self.rules)

    def name_rules(self, url: str, other: str) -> str:
        """By which rules two urls of one class are one."""
        alone = [rule for rule in self.rules if _merge(url, (rule,)) == _merge(other, (rule,))]
        used = alone[:1] or [rule for rule in self.rules if _changes(rule, url) or _changes(rule, other)]
        return ", ".join(rule.name for rule in used)


@record
class MergeRules:
    """The merge rules of a crawl; at least one."""

    rules: tuple[CompiledRule, ...]

    @classmethod
    def build(cls, given: Sequence[MergeRule], budget: PatternBudget) -> Self:
        """ConfigError: a rule is bad, or there are too many."""
        if len(given) > MOST_RULES:
            raise ConfigError(f"There are {len(given):,} merge rules; at most {MOST_RULES} are taken.")
        return cls(rules=tuple([CompiledRule.build(each, budget) for each in given]))

    def of_domain(self, domain: str) -> DomainMergeRules | None:
        """None: no rule is about this domain."""
        rules = tuple([rule for rule in self.rules if rule.domain in (None, domain)])
        return DomainMergeRules(domain=domain, rules=rules) if rules else None


def parse_under(text: str) -> tuple[str | None, str]:
    """Where a rule holds: "example.com/list", or "/list" of every domain. ConfigError: it is no place."""
    given = text.strip()
    if given.startswith("/"):
        url, domain = parse_url(f"http://any.invalid{given}", keep=ALL_NAMES), None
    else:
        url = parse_url(given if "://" in given else f"http://{given}", keep=ALL_NAMES)
        domain = domain_of(url) if url is not None else None
    if url is None or "?" in given or "#" in given:
        raise ConfigError(f"{text[:100]!r} is no place: write example.com, example.com/list or /list.")
    return domain, identity_of(url)[url.index("/", 8) :]


def is_served(visit: Visit) -> bool:
    """Whether a url whose visit ended so stands for its class: it has a page, an answer of another kind, or
    another try. Otherwise the next url of the class has its chance."""
    if keeps_fate(visit) or find_next_try(visit) is not None:
        return True
    outcome = visit.outcome
    if isinstance(outcome, Redirected):
        return not outcome.is_merged
    return isinstance(outcome, Fetched | Unchanged | Skipped)


def _merge(url: str, rules: Iterable[CompiledRule]) -> str:
    normal = identity_of(url)
    address, _, query = normal.partition("?")
    start = address.index("/", 8)
    path = address[start:]
    rules = [rule for rule in rules if rule.covers(path)]
    kept = query and "&".join([part for part in query.split("&") if not _is_ignored(part, rules)])
    shorter = path
    if path[-1] == "/" and any(rule.ignores_slash for rule in rules):
        shorter = path.rstrip("/") or "/"
    if kept == query and shorter == path:
        return url
    return f"{address[:start]}{shorter}?{kept}" if kept else address[:start] + shorter


def _is_ignored(parameter: str, rules: Iterable[CompiledRule]) -> bool:
    text = unquote(parameter, errors="replace") if "%" in parameter else parameter
    return any(rule.ignores(text) for rule in rules)


def _changes(rule: CompiledRule, url: str) -> bool:
    return _merge(url, (rule,)) is not url


def _describe(given: MergeRule) -> str:
    """A name for a rule that has none."""
    ignored = [*given.ignore_parameters, *given.ignore_matching]
    if given.ignore_trailing_slash:
        ignored.append("the trailing slash")
    where = f" under {given.under}" if given.under else ""
    return f"ignore {', '.join(ignored)}{where}"
