"""Merge rules: which urls of a domain a crawl treats as one although their identities differ.

A rule never changes a url or its key. It groups urls into classes; one url of a class is fetched and
represents the others. A class is identified by the key of the form that the rules reduce its urls to; no page
need exist there. Rules are part of a crawl's settings and have a name, by which users recognize them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self
from urllib.parse import unquote

from tenax.config.crawl import MergeRule
from tenax.errors import ConfigError
from tenax.policy.guards.learned_rules import parse_ignored
from tenax.policy.guards.url_shapes import is_id
from tenax.policy.patterns import PatternBudget, Patterns
from tenax.policy.revisit import find_next_try, keeps_fate
from tenax.record import record
from tenax.records.visits import Fetched, Redirected, Skipped, Unchanged, Visit
from tenax.web.identity import identity_of, url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, parse_url

MAX_RULES = 100


class RuleOrigin(StrEnum):
    """Where a rule comes from."""

    ORDER = "order"  # a user: the source's definition, an option or a setting
    LEARNED = "learned"  # the pages of the domain: policy/guards/learned_rules.py


@record
class CompiledRule:
    """A merge rule with its patterns compiled."""

    name: str
    origin: RuleOrigin
    domain: str | None  # None: all of them
    path: str  # prefix under which it applies
    names: frozenset[str]  # of ignored parameters, in lower case
    patterns: Patterns | None  # of ignored parameters, matched against "name=value"
    ignores_slash: bool = False
    ignores_id: bool = False  # the segment after `path`, if it looks like an id

    @classmethod
    def learn(cls, name: str, domain: str) -> Self | None:
        """Build a learned rule from its name; None: it is not the name of one."""
        ignored = parse_ignored(name)
        if ignored is None:
            return None
        return cls(
            name=name_learned(name),
            origin=RuleOrigin.LEARNED,
            domain=domain,
            path=ignored.path,
            names=frozenset(() if ignored.parameter is None else (ignored.parameter,)),
            patterns=None,
            ignores_id=ignored.parameter is None,
        )

    @classmethod
    def build(cls, given: MergeRule, budget: PatternBudget) -> Self:
        """Compile a rule. ConfigError: its place or a pattern is invalid."""
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
        """Whether it applies to a path, by whole segments: "/list" covers "/list/2" but not "/listing"."""
        start = self.path
        if start == "/" and self.origin is RuleOrigin.LEARNED and not self.ignores_id:
            # It was learned at the home page: that says nothing about others.
            return path == start
        return path.startswith(start) and (start[-1] == "/" or path[len(start) :][:1] in ("", "/"))

    def ignores(self, parameter: str) -> bool:
        """Whether it ignores a parameter, given as "name=value" without escapes."""
        if parameter.partition("=")[0].lower() in self.names:
            return True
        return self.patterns is not None and self.patterns.find(parameter) is not None


@record
class DomainMergeRules:
    """The merge rules that apply to one domain."""

    domain: str
    rules: tuple[CompiledRule, ...]

    def find_class(self, url: str, key: int) -> int:
        """Find the key of the class of an address. For most urls it is `key`, their own key."""
        merged = self.merge(url)
        return key if merged is url else url_key(merged)

    def is_in(self, url: str, class_key: int) -> bool:
        return domain_of(url) == self.domain and self.find_class(url, url_key(url)) == class_key

    def merge(self, url: str) -> str:
        """Reduce an address to the form of its class. Returns the same string object if no rule applies."""
        return _merge(url, self.rules)

    def name_rules(self, url: str, other: str) -> str:
        """Name the rules that put two urls into the same class."""
        alone = [rule for rule in self.rules if _merge(url, (rule,)) == _merge(other, (rule,))]
        used = alone[:1] or [rule for rule in self.rules if _changes(rule, url) or _changes(rule, other)]
        return ", ".join(rule.name for rule in used)


@record
class MergeRules:
    """The merge rules of a crawl."""

    rules: tuple[CompiledRule, ...] = ()

    @classmethod
    def build(cls, given: Sequence[MergeRule], budget: PatternBudget) -> Self:
        """Compile the rules. ConfigError: a rule is invalid, or there are too many."""
        if len(given) > MAX_RULES:
            raise ConfigError(f"There are {len(given):,} merge rules; at most {MAX_RULES} are allowed.")
        return cls(rules=tuple([CompiledRule.build(each, budget) for each in given]))

    def of_domain(self, domain: str, learned: Iterable[str] = ()) -> DomainMergeRules | None:
        """The rules for a domain; None: there are none. `learned`: names of those that were learned there."""
        rules = [rule for rule in self.rules if rule.domain in (None, domain)]
        found = [CompiledRule.learn(name, domain) for name in sorted(learned)]
        rules += [rule for rule in found if rule is not None]
        return DomainMergeRules(domain=domain, rules=tuple(rules)) if rules else None


def name_learned(name: str) -> str:
    """What users see as the name of a learned rule."""
    return f"learned: {name}"


def parse_under(text: str) -> tuple[str | None, str]:
    """Parse where a rule applies: "example.com/list", or "/list" of every domain. ConfigError: it is
    invalid."""
    given = text.strip()
    if given.startswith("/"):
        url, domain = parse_url(f"http://any.invalid{given}", keep=ALL_NAMES), None
    else:
        url = parse_url(given if "://" in given else f"http://{given}", keep=ALL_NAMES)
        domain = domain_of(url) if url is not None else None
    if url is None or "?" in given or "#" in given:
        raise ConfigError(f"{text[:100]!r} is not valid here. Write example.com, example.com/list or /list.")
    return domain, identity_of(url)[url.index("/", 8) :]


def is_served(visit: Visit) -> bool:
    """Whether a url can represent its class after this visit: it has a page, a response of another type, or
    another try. Otherwise the next url of the class is tried."""
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
    for rule in rules:
        if rule.ignores_id:
            shorter = _drop_id(shorter, rule.path)
    if path[-1] == "/" and any(rule.ignores_slash for rule in rules):
        shorter = shorter.rstrip("/") or "/"
    if kept == query and shorter == path:
        return url
    return f"{address[:start]}{shorter}?{kept}" if kept else address[:start] + shorter


def _drop_id(path: str, start: str) -> str:
    start = start.rstrip("/")
    segment, _, rest = path[len(start) + 1 :].partition("/")
    return f"{start}/{rest}" if is_id(segment) else path


def _is_ignored(parameter: str, rules: Iterable[CompiledRule]) -> bool:
    text = unquote(parameter, errors="replace") if "%" in parameter else parameter
    return any(rule.ignores(text) for rule in rules)


def _changes(rule: CompiledRule, url: str) -> bool:
    return _merge(url, (rule,)) is not url


def _describe(given: MergeRule) -> str:
    """Make a name for a rule that has none."""
    ignored = [*given.ignore_parameters, *given.ignore_matching]
    if given.ignore_trailing_slash:
        ignored.append("the trailing slash")
    where = f" under {given.under}" if given.under else ""
    return f"ignore {', '.join(ignored)}{where}"
