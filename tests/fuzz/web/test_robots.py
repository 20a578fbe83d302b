"""robots.txt: groups, patterns, leniency, hostile files."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.web.robots import RobotsRules

SITE = "https://example.com"


def allowed(robots: str | bytes, path: str, agent: str = "tenax") -> bool:
    body = robots if isinstance(robots, bytes) else robots.encode()
    return RobotsRules.parse(body).allowed(SITE + path, agent)


def for_all(*lines: str) -> str:
    return "\n".join(("User-agent: *", *lines))


@given(st.binary(), st.text(), st.text())
def test_any_bytes_any_url_and_any_agent_give_an_answer(body: bytes, url: str, agent: str) -> None:
    rules = RobotsRules.parse(b"User-agent: *\nAllow: " + body)
    assert rules.match(url, agent).is_allowed is rules.allowed(url, agent)
    rules.crawl_delay(agent)


@given(
    st.lists(st.text(alphabet="/ab*$", max_size=6), max_size=6),
    st.text(alphabet="/ab$", max_size=8),
)
def test_patterns_match_as_an_exhaustive_matcher_says(patterns: list[str], path: str) -> None:
    robots = for_all(*(f"Disallow: {pattern}" for pattern in patterns))
    expected = any(pattern and matches_slowly(pattern, "/" + path) for pattern in patterns)
    assert allowed(robots, "/" + path) is not expected


def matches_slowly(pattern: str, path: str) -> bool:
    """Every position that the pattern's start can reach, character by character."""
    positions = {0}
    for index, character in enumerate(pattern):
        if character == "$" and index == len(pattern) - 1:
            return len(path) in positions
        if character == "*":
            positions = set(range(min(positions), len(path) + 1)) if positions else positions
        else:
            positions = {at + 1 for at in positions if path[at : at + 1] == character}
    return bool(positions)
