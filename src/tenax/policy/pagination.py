"""What follows for a list from its links and from guesses: whether its next page is guessed. Pure.

At most one page beyond the greatest known number is guessed, and only if the last known page does not link
to it. A miss ends it. A domain whose lists link to all their pages, or have no others, is left alone
after a few misses.
"""

from collections.abc import Iterable

from tenax.record import record, replace
from tenax.records.guesses import GuessState, PaginationRule

# Guesses in different lists of a domain that may be wrong before it has given a right one.
MISSES_BEFORE_REST = 3
# Rules of a domain: bounds memory and rows, whatever a site invents.
MOST_RULES = 200
FIRST_PATTERN = "?page={n}"

_OPEN = (GuessState.TRIED, GuessState.VALID)


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
    is_reopened = rule.state in (GuessState.ENDED, GuessState.INVALID, GuessState.TRIED)
    return replace(
        rule,
        last_n=seen.last,
        is_linked=True,
        state=GuessState.VALID if is_reopened and rule.set_by is None else rule.state,
    )


def plan_page(
    rule: PaginationRule, number: int, *, has_next: bool, rules: Iterable[PaginationRule]
) -> int | None:
    """Plan the page to guess after a visit to page `number` of a list; None: none. `rules`: of the domain."""
    if has_next or rule.state not in _OPEN or number < rule.last_n:
        return None
    if rule.is_linked and not rule.hits and rule.set_by is None and _has_rest(rules, is_linked=True):
        return None
    return number + rule.step


def plan_first_guess(path: str, rules: Iterable[PaginationRule]) -> PaginationRule | None:
    """Plan a guess at the second page of what looks like a list; None: guesses are not worth it here."""
    rules = list(rules)
    if len(rules) >= MOST_RULES or _has_rest(rules, is_linked=False):
        return None
    shape = _find_shape(rules) or FIRST_PATTERN
    base = path if shape[0] == "?" else path.rstrip("/")
    return PaginationRule(path=path, pattern=base + shape, state=GuessState.TRIED, last_n=1)


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


def _has_rest(rules: Iterable[PaginationRule], *, is_linked: bool) -> bool:
    """Whether enough guesses of this kind were wrong and none was right."""
    same = [rule for rule in rules if rule.is_linked == is_linked]
    return not any(rule.hits for rule in same) and sum(rule.misses > 0 for rule in same) >= MISSES_BEFORE_REST


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
