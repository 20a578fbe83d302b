"""robots.txt according to RFC 9309, parsed as leniently as by Google's reference matcher.

The longest matching pattern decides, Allow wins a tie, and groups of the same agent are merged. One
difference from the reference: escapes of unreserved characters match the characters themselves, as RFC 9309
§2.2.2 requires. Our URLs are normalized, so "Disallow: /%7Ejoe/" would otherwise never match. Neither the RFC
nor the reference defines Crawl-delay: here it applies to the agents named right before it.
"""

import math
import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple, Self

from tenax.config.fetch import PRODUCT_TOKEN
from tenax.record import record
from tenax.web.escapes import tidy_escapes

MAX_LINE_BYTES = 2083 * 8 - 1  # as in the reference: eight times the longest URL that browsers accept
# Worst-case steps of one check: wildcard characters times path length. Beyond this limit the url is
# disallowed, so that no site costs more than 50 ms per check. Real files stay far below.
MAX_CHECK_STEPS = 200_000_000

_BOM = re.compile(rb"(?:\xef(?:\xbb\xbf?)?)?")  # also a truncated one
# Matches only meaningful lines, so that garbage is skipped quickly. NUL ends a line like "#" does.
_LINE = re.compile(
    rb"^[ \t\v\f]*+(?:(?P<agent>user[- ]?agent)|(?P<allow>allow)"
    rb"|(?P<disallow>dis(?:s?al?low|allaw)|diasllow)|(?P<sitemap>site-?map)|(?P<delay>crawl-delay))"
    rb"[^\n#\0]*+",
    re.IGNORECASE | re.MULTILINE,
)
_PRODUCT_TOKEN = re.compile(rb"[A-Za-z_-]*")
_NON_ASCII = re.compile("[\x80-\xff]")
_DELAY = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_BLANK = re.compile(r"\A[\s\u200b\u2060\ufeff]+|[\s\u200b\u2060\ufeff]+\Z")  # pasted from a word processor


@record
class RobotsMatch:
    """What robots.txt says about a URL, and in which line."""

    is_allowed: bool
    line_number: int | None = None  # None: no rule matched
    rule: str | None = None  # "Disallow: /private/"
    agent: str | None = None  # the group that decided: the product token or "*"; None: no group


class RobotsRules:
    """The rules of one robots.txt. Immutable, except for a cache of rules by agent."""

    __slots__ = ("_delays", "_rules", "_selected", "sitemaps")

    def __init__(self, rules: "_Groups", delays: "_Groups", sitemaps: tuple[str, ...]) -> None:
        self.sitemaps = sitemaps  # in order, each once
        self._rules = rules
        self._delays = delays
        self._selected: dict[str, _AgentRules] = {}

    @classmethod
    def parse(cls, body: bytes) -> Self:
        # Only Allow and Disallow end a run of agents, as in the reference. A Crawl-delay between two agents
        # is meant for the first: delays have their own runs.
        rules, delays = _Groups(), _Groups()
        sitemaps: dict[str, None] = {}
        for directive in _read_directives(body):
            if directive.name == "agent":
                token = _find_token(directive.value)
                rules.add_agent(token)
                delays.add_agent(token)
            elif directive.name == "sitemap":
                if url := _read_text(directive.value):
                    sitemaps[url] = None
            elif directive.name == "delay":
                delays.add_line(directive)
            else:
                rules.add_line(directive)
                delays.end_run()
        return cls(rules, delays, tuple(sitemaps))

    @classmethod
    def allow_all(cls) -> Self:
        return cls(_Groups(), _Groups(), ())

    @classmethod
    def disallow_all(cls) -> Self:
        return cls.parse(b"User-agent: *\nDisallow: /")

    def allowed(self, url: str, agent: str = PRODUCT_TOKEN) -> bool:
        """Whether the agent may fetch the url."""
        path = _path_of(url)
        rule = self._rules_for(agent).find(path)
        return rule is None or rule.is_allow or path == "/robots.txt"

    def forbids_all(self, agent: str = PRODUCT_TOKEN) -> bool:
        """Whether the agent may not fetch any url."""
        return self._rules_for(agent).forbids_all

    def match(self, url: str, agent: str = PRODUCT_TOKEN) -> RobotsMatch:
        """Like `allowed`, with the reason."""
        path = _path_of(url)
        rules = self._rules_for(agent)
        rule = rules.find(path)
        if rule is None or path == "/robots.txt":  # RFC 9309 §2.2.2: implicitly allowed
            return RobotsMatch(is_allowed=True, agent=rules.agent)
        return RobotsMatch(
            is_allowed=rule.is_allow,
            line_number=rule.line_number,
            rule=rule.text,
            agent=rules.agent,
        )

    def crawl_delay(self, agent: str = PRODUCT_TOKEN) -> float | None:
        """The Crawl-delay of the agent's group, in seconds; the longest if there are several."""
        return self._rules_for(agent).delay_s

    def _rules_for(self, agent: str) -> "_AgentRules":
        rules = self._selected.get(agent)
        if rules is None:
            rules = self._selected[agent] = _select(self._rules, self._delays, agent.lower())
        return rules


class _Directive(NamedTuple):
    name: str  # agent, allow, disallow, sitemap, delay
    value: bytes
    line_number: int


class _Group(NamedTuple):
    """Agents that are named together, and their lines."""

    agents: set[str]  # tokens, and "*"
    lines: list[_Directive]


class _Groups:
    """Groups in the order of the file."""

    __slots__ = ("_groups", "_is_agent_run")

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._is_agent_run = False

    def add_agent(self, token: str | None) -> None:
        """Add an agent to the current run. None: an invalid name, which still starts a group."""
        if not self._is_agent_run:
            self._groups.append(_Group(set(), []))
            self._is_agent_run = True
        if token is not None:
            self._groups[-1].agents.add(token)

    def add_line(self, line: _Directive) -> None:
        """Add a line to the current group. Lines before any agent apply to none."""
        if self._groups:
            self._groups[-1].lines.append(line)
        self._is_agent_run = False

    def end_run(self) -> None:
        self._is_agent_run = False

    def names(self, token: str) -> bool:
        return any(token in group.agents for group in self._groups)

    def lines_for(self, token: str) -> Iterator[_Directive]:
        for group in self._groups:
            if token in group.agents:
                yield from group.lines


class _Rule(NamedTuple):
    """A compiled pattern: a prefix, pieces that follow in order, and possibly an end."""

    rank: int  # twice the pattern's length, one more for Allow: the highest decides
    is_allow: bool
    line_number: int | None
    value: bytes  # as written
    prefix: str
    has_star: bool
    pieces: tuple[str, ...]
    end: str | None  # what the path must end with; None: anything

    @property
    def is_literal(self) -> bool:
        """Whether it is only a prefix."""
        return not self.has_star and self.end is None

    @property
    def is_total(self) -> bool:
        """Whether it matches every path."""
        return self.prefix in ("", "/") and not self.pieces and self.end is None

    @property
    def text(self) -> str:
        name = "Allow" if self.is_allow else "Disallow"
        return f"{name}: {self.value.decode('utf-8', 'replace')}"


_TOO_COMPLEX = _Rule(
    rank=0,
    is_allow=False,
    line_number=None,
    value=b"(more wildcards than can be tried on a URL of this length)",
    prefix="",
    has_star=True,
    pieces=(),
    end=None,
)


@record
class _AgentRules:
    """The compiled rules of an agent."""

    agent: str | None
    literals: dict[str, _Rule]  # by prefix
    literal_lengths: tuple[int, ...]  # of the prefixes, longest first
    wildcards: tuple[_Rule, ...]  # highest rank first
    wildcard_chars: int
    delay_s: float | None

    @property
    def forbids_all(self) -> bool:
        rules = (*self.literals.values(), *self.wildcards)
        return any(rule.is_total for rule in rules) and not any(rule.is_allow for rule in rules)

    def find(self, path: str) -> _Rule | None:
        """Find the rule that decides about the path."""
        best = None
        for length in self.literal_lengths:
            if best := self.literals.get(path[:length]):
                break
        if self.wildcard_chars * len(path) > MAX_CHECK_STEPS:
            return _TOO_COMPLEX
        least = best.rank if best else 0
        for rule in self.wildcards:
            if rule.rank <= least:
                break
            if path.startswith(rule.prefix) and _follows(rule, path):
                return rule
        return best


def _follows(rule: _Rule, path: str) -> bool:
    """Whether the rest of the path contains the rule's pieces; leftmost matches suffice, without
    backtracking."""
    position = len(rule.prefix)
    for piece in rule.pieces:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    if rule.end is None:
        return True
    return path.endswith(rule.end, position) if rule.has_star else position == len(path)


def _read_directives(body: bytes) -> Iterator[_Directive]:
    match = _BOM.match(body)
    body = body[match.end() if match else 0 :].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line_number, counted_to = 1, 0
    for match in _LINE.finditer(body):
        line_number += body.count(b"\n", counted_to, match.start())
        counted_to = match.start()
        name = match.lastgroup or ""
        value = _value_of(match[0][:MAX_LINE_BYTES], match[name])
        if value is not None:
            yield _Directive(name, value, line_number)


def _value_of(line: bytes, keyword: bytes) -> bytes | None:
    _, colon, value = line.partition(b":")
    if colon:
        return value.strip()
    # Some files omit the colon. Exactly two words are a key and its value.
    words = line.split()
    return words[1] if len(words) == 2 and b" " not in keyword else None


def _find_token(value: bytes) -> str | None:
    """Find the product token in a User-agent line, or "*"."""
    if value == b"*" or (value[:1] == b"*" and value[1:2].isspace()):
        return "*"
    match = _PRODUCT_TOKEN.match(value)
    return match[0].decode().lower() if match and match[0] else None


def _read_text(value: bytes) -> str:
    """Decode a value that is not a pattern, and strip Unicode white space."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = value.decode("latin-1")
    return _BLANK.sub("", text)


def _select(rules: _Groups, delays: _Groups, agent: str) -> _AgentRules:
    """Select the rules for the agent, or if there are none, those for all agents."""
    for token in (agent, "*"):
        if rules.names(token):
            compiled = [rule for line in _distinct(rules.lines_for(token)) for rule in _compile(line)]
            return _arrange(token, compiled, _longest_delay(delays.lines_for(token)))
    return _arrange(None, [], None)


def _distinct(lines: Iterable[_Directive]) -> Iterable[_Directive]:
    """Drop repeated lines."""
    distinct: dict[tuple[str, bytes], _Directive] = {}
    for line in lines:
        distinct.setdefault((line.name, line.value), line)
    return distinct.values()


def _arrange(agent: str | None, rules: list[_Rule], delay_s: float | None) -> _AgentRules:
    rules.sort(key=attrgetter("rank"), reverse=True)
    literals: dict[str, _Rule] = {}
    for rule in rules:
        if rule.is_literal:
            literals.setdefault(rule.prefix, rule)
    wildcards = tuple(rule for rule in rules if not rule.is_literal)
    return _AgentRules(
        agent=agent,
        literals=literals,
        literal_lengths=tuple(sorted({len(prefix) for prefix in literals}, reverse=True)),
        wildcards=wildcards,
        wildcard_chars=sum(rule.rank // 2 for rule in wildcards),
        delay_s=delay_s,
    )


def _longest_delay(lines: Iterable[_Directive]) -> float | None:
    values = (_read_text(line.value) for line in lines)
    delays = (float(value) for value in values if _DELAY.fullmatch(value))
    return max(filter(math.isfinite, delays), default=None)


def _compile(line: _Directive) -> Iterator[_Rule]:
    if not line.value:
        return
    pattern = _NON_ASCII.sub(_escape, line.value.decode("latin-1"))
    yield _compile_pattern(pattern, line)
    # The reference treats a directory's index page as the directory.
    directory, slash, page = pattern.rpartition("/")
    if line.name == "allow" and slash and page.startswith("index.htm"):
        yield _compile_pattern(f"{directory}/$", line)


def _compile_pattern(pattern: str, line: _Directive) -> _Rule:
    has_end = pattern.endswith("$")
    prefix, *pieces = map(_fold, pattern.removesuffix("$").split("*"))
    length = len(prefix) + sum(map(len, pieces)) + len(pieces) + has_end
    has_star = bool(pieces)
    end = (pieces.pop() if pieces else "") if has_end else None
    is_allow = line.name == "allow"
    return _Rule(
        rank=2 * length + is_allow,
        is_allow=is_allow,
        line_number=line.line_number,
        value=line.value,
        prefix=prefix,
        has_star=has_star,
        pieces=tuple(filter(None, pieces)),
        end=end,
    )


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def _path_of(url: str) -> str:
    """Path and query of an address, in the form of patterns."""
    start = url.find("/", 8)
    return _fold(url[start:]) if start > 0 else "/"


def _fold(text: str) -> str:
    """Normalize escapes, except "%2A" and "%24", which mean a literal "*" and "$" in patterns."""
    if "%" not in text:
        return text
    return tidy_escapes(text).replace("%2A", "*").replace("%24", "$")
