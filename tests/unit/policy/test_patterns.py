"""What patterns may cost: hostile ones are refused after a few, with a clear message."""

import pytest

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.errors import ConfigError
from tenax.policy import patterns
from tenax.policy.patterns import BadPattern, PatternBudget, compile_pattern
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope

HOSTILE = r"[\p{L}\p{N}]{1,900}N"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What RE2 was asked to compile."""
    asked: list[str] = []
    compile_plainly = patterns._compile

    def compile_noted(pattern: str, max_bytes: int | None, *, captures: bool = False) -> patterns.Regex:
        asked.append(pattern)
        return compile_plainly(pattern, max_bytes, captures=captures)

    monkeypatch.setattr(patterns, "_compile", compile_noted)
    return asked


def build(**scope: tuple[str, ...]) -> Scope:
    return Scope.build(ScopeSettings.model_validate(scope), LimitSettings(), Roots(ScopeKind.DOMAIN))


def test_a_pattern_whose_program_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^--exclude '\[.*N' is too large: .* repeat less\.$"):
        build(exclude=(HOSTILE,))


def test_many_hostile_patterns_cost_no_more_than_a_few(compiled: list[str]) -> None:
    budget = PatternBudget()
    for number in range(1000):
        with pytest.raises(BadPattern):
            compile_pattern(f"{HOSTILE}{number}", budget)
    assert len(compiled) <= patterns.MAX_INSTRUCTIONS // patterns.FAILED_INSTRUCTIONS + 1


def test_include_and_exclude_share_a_budget() -> None:
    half = tuple(rf"\p{{L}}{{30}}{number}" for number in range(2))
    build(include=half)
    with pytest.raises(ConfigError, match=r"^--exclude '.*' is too much: .* 100,000 instructions; "):
        build(include=half, exclude=half)


def test_unicode_classes_weigh_before_they_are_compiled(compiled: list[str]) -> None:
    with pytest.raises(ConfigError, match="counts as 500"):
        build(exclude=(r"\pL" * 401,))
    assert compiled == []


def test_a_thousand_plain_patterns_are_taken() -> None:
    scope = build(exclude=tuple(f"/section-{number}/[0-9]+" for number in range(1000)))
    refused = scope.check("https://a.example/section-999/7", 0, is_seed=True)
    assert refused is not None
    assert refused.detail == "matches --exclude '/section-999/[0-9]+'"


def test_more_than_a_thousand_are_refused_uncompiled(compiled: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"^--include has 1,001 patterns; at most 1,000 are allowed\.$"):
        build(include=("a",) * 1001)
    assert compiled == []


def test_a_long_pattern_is_shown_shortened() -> None:
    with pytest.raises(ConfigError) as caught:
        build(exclude=("x" * 3000,))
    assert str(caught.value) == f"--exclude '{'x' * 80}…' is longer than 2,000 characters."
