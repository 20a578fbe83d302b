"""What follows for a list from its links and from guesses: whether its next page is guessed. Pure.

At most one page beyond the greatest known number is guessed, and only if the last known page does not link
to it. A miss ends it. Until a guess in one list of a domain was right, only a few others are made in it; a
domain whose lists link to all their pages, or have no others, is left alone after a few misses.
"""

from collections.abc import Iterable

from tenax.record import record, replace
from tenax.records.guesses import GuessState, PaginationRule

# Guesses in different lists of a domain that may be wrong before it has given a right one.
MISSES_BEFORE_REST = 3
# Rules of a domain: bounds memory and rows, whatever a site invents.
MOST_RULES = 200
FIRST_PATTERN = "?page={n}"

_OPEN = (GuessState.TRIED, GuessState.POSTPONED, GuessState.VALID)


@record
class SeenPage:
    """A page of a list that was visited, and what it links to."""

    path: str
    pattern: str
    step: int
    number: int
    last: int  # greatest number that it links to, or its own
    has_next: bool


def learn_links(rule: PaginationRule | None, seen: SeenPage) -> PaginationRule | None:
    """Apply what the links of a page show; None: they show nothing that is worth a rule."""
    if rule is None:
        if seen.last == seen.number and not seen.has_next:
            return None  # a number without neighbors may be anything
        return PaginationRule(
            path=seen.path,
            pattern=seen.pattern,
            state=GuessState.VALID,
            step=max(seen.step, 1),
            last_n=seen.last,
            is_linked=True,
        )
    if seen.last <= rule.last_n:
        return rule
    is_reopened = rule.state is not GuessState.OFF
    return replace(
        rule,
        last_n=seen.last,
        is_linked=True,
        state=GuessState.VALID if is_reopened and rule.set_by is None else rule.state,
    )


def plan_page(
    rule: PaginationRule, number: int, *, has_next: bool, rules: Iterable[PaginationRule]
) -> PaginationRule | None:
    """Plan whether to guess the page after `number` of a list: the rule with its new state, `tried` or
    `postponed`; None: there is nothing to guess. `rules`: of the domain."""
    if has_next or rule.state not in _OPEN or number < rule.last_n:
        return None
    return _plan_turn(rule, rules)


def plan_first_guess(path: str, rules: Iterable[PaginationRule]) -> PaginationRule | None:
    """The same for the second page of what looks like a list, of which nothing is known."""
    rules = list(rules)
    if len(rules) >= MOST_RULES:
        return None
    shape = _find_shape(rules) or FIRST_PATTERN
    base = path if shape[0] == "?" else path.rstrip("/")
    return _plan_turn(PaginationRule(path=path, pattern=base + shape, state=GuessState.TRIED), rules)


def list_resumed(rules: Iterable[PaginationRule], hit: PaginationRule) -> list[PaginationRule]:
    """The lists whose next page is guessed now that a guess in a list like them was right."""
    return [
        rule if rule.set_by is not None else replace(rule, state=GuessState.TRIED)
        for rule in rules
        if rule.state is GuessState.POSTPONED and rule.is_linked == hit.is_linked
    ]


def _plan_turn(rule: PaginationRule, rules: Iterable[PaginationRule]) -> PaginationRule | None:
    if rule.hits or rule.set_by is not None:
        return rule
    same = [each for each in rules if each.is_linked == rule.is_linked and each.pattern != rule.pattern]
    if not any(each.hits for each in same):
        missed = sum(each.misses > 0 for each in same)
        if missed >= MISSES_BEFORE_REST:
            return None
        if missed + sum(each.state is GuessState.TRIED for each in same) >= MISSES_BEFORE_REST:
            return replace(rule, state=GuessState.POSTPONED)
    return replace(rule, state=GuessState.TRIED)


def learn_guess(rule: PaginationRule, number: int, *, is_hit: bool) -> PaginationRule:
    """Apply the answer to a guess."""
    if is_hit:
        rule = replace(rule, hits=rule.hits + 1, last_n=max(rule.last_n, number))
        return replace(rule, state=GuessState.VALID) if rule.set_by is None else rule
    rule = replace(rule, misses=rule.misses + 1)
    if rule.set_by is not None:
        return rule
    is_known = rule.hits or rule.is_linked
    return replace(rule, state=GuessState.ENDED if is_known else GuessState.INVALID)


def _find_shape(rules: Iterable[PaginationRule]) -> str | None:
    """How other lists of the domain write their page numbers, most hits first."""
    for rule in sorted(rules, key=lambda each: -each.hits):
        if rule.state in (GuessState.VALID, GuessState.ENDED) and rule.step == 1:
            shape = rule.pattern.removeprefix(rule.path.rstrip("/"))
            if (
                rule.pattern.startswith(rule.path.rstrip("/"))
                and shape[:1] in ("?", "/")
                and "&" not in shape
            ):
                return shape
    return None
