"""Sentences about clusters of urls that bring little: for a url, what its cluster does to it and why."""

import shlex
from collections.abc import Iterator, Sequence

from tenax.policy.guards.traps import WINDOW_BITS, count_recent, find_holding
from tenax.policy.guards.url_shapes import shape_of
from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.wording import count_of

RULES = {
    TrapRule.REPEATED_PATH: "their paths repeat the same segments",
    TrapRule.SAME_CONTENT: "their pages are the same",
    TrapRule.FACETS: "they are combinations of parameters",
    TrapRule.GROWING_PATH: "their paths get longer and longer",
    TrapRule.ENDLESS: "one leads to the next",
}
_EFFECTS = {
    TrapState.SLOWED: "they come last",
    TrapState.CLOSED: "they are not requested",
}


def describe_trapped(shape: str, rule: str | None) -> str:
    """The fate of a url in a closed cluster."""
    why = "a user closed it" if rule is None else f"they bring nothing new, and {RULES[TrapRule(rule)]}"
    return f"It is not requested, because urls like {shape} are closed: {why}."


def describe_traps(url: str, domain: str, traps: Sequence[Trap]) -> Iterator[str]:
    """What is known about the clusters of a url."""
    by_shape = {trap.shape: trap for trap in traps}
    shape = shape_of(url)
    own, family = by_shape.get(shape.name), by_shape.get(shape.family or "")
    for trap in (own, family):
        if trap is not None and trap.visits:
            yield f"{describe_evidence(trap)}."
    held = find_holding(own, family, shape)
    if held is not None:
        yield f"Urls like {held.shape} are {held.state}: {_EFFECTS[held.state]}.{_name_user(held)}"
        yield f"'{format_open(domain, held.shape)}' opens them again."


def describe_evidence(trap: Trap) -> str:
    """Without a full stop."""
    if trap.state is TrapState.MERGED:
        return f"{count_of(trap.visits, 'comparison')} of pages found no difference"
    known, novel = count_recent(trap, WINDOW_BITS)
    return f"Of the last {count_of(known, 'page')} like {trap.shape}, {novel} brought something new"


def format_open(domain: str, shape: str) -> str:
    return f"tenax traps open {shlex.quote(domain)} {shlex.quote(shape)}"


def _name_user(trap: Trap) -> str:
    return "" if trap.decided_by is None else f" {trap.decided_by} decided that."
