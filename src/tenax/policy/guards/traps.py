"""When a cluster of urls is slowed down, closed or opened again: by what its latest visits brought.

Slowing changes the order only. A cluster is closed if its pages bring nothing new and lead to more of their
own kind as fast as they are visited: others come to an end by themselves. A user's decision stands.
"""

from tenax.config.crawl import TrapSettings
from tenax.policy.guards.url_shapes import UrlShape
from tenax.record import replace
from tenax.records.traps import Trap, TrapRule, TrapState

WINDOW_BITS = 60  # of visits that are remembered one by one
# Repeated segments are suspicious already: a quarter of the evidence is enough.
REPEATED_SHARE = 4
# A slowed cluster is opened again when this share of its last visits brought something new.
REVIVAL_VISITS = 12
REVIVAL_SHARE = 0.34
# A cluster with a poor record that is worth storing.
SUSPECT_VISITS = 10
SUSPECT_SHARE = 0.5
# The latest visits of a cluster that is trusted: most of its pages need no judgement.
TRUSTED_VISITS = 8
# A slowed cluster is endless if each visit leads to so many more urls of its kind: a chain has one.
ENDLESS_GROWTH = 0.9
# Visits of a pair of parameters before the judgement about all combinations applies to it. Of larger sets
# there are too many for a trial; single parameters do not combine.
TRIAL_VISITS = 3
PAIR = 2

_OPEN, _SLOWED, _CLOSED = TrapState.OPEN, TrapState.SLOWED, TrapState.CLOSED


def add_visit(trap: Trap, *, is_novel: bool, led_on: int) -> Trap:
    """Count one more visit. `led_on`: new urls of the cluster that it found."""
    is_held = trap.state is not _OPEN
    return replace(
        trap,
        visits=trap.visits + 1,
        novel=trap.novel + is_novel,
        recent=(trap.recent << 1 | is_novel) & ((1 << WINDOW_BITS) - 1),
        spent=trap.spent + is_held,
        led_on=trap.led_on + led_on * is_held,
    )


def count_recent(trap: Trap, window: int) -> tuple[int, int]:
    """(visits, of these novel) among the last ones, at most `window`."""
    known = min(trap.visits, window, WINDOW_BITS)
    return known, (trap.recent & ((1 << known) - 1)).bit_count()


def plan_state(trap: Trap, rule: TrapRule, settings: TrapSettings) -> Trap:
    """Plan the state of a cluster after a visit. `rule`: what it would be slowed for."""
    if trap.decided_by is not None or trap.state is _CLOSED:
        return trap
    if trap.state is _SLOWED:
        return _plan_slowed(trap, settings)
    window = settings.window
    if rule is TrapRule.REPEATED_PATH:
        window = max(window // REPEATED_SHARE, 1)
    known, novel = count_recent(trap, window)
    if known < window or novel > settings.novelty * known:
        return trap
    return replace(trap, state=_SLOWED, rule=rule, spent=0, led_on=0)


def _plan_slowed(trap: Trap, settings: TrapSettings) -> Trap:
    known, novel = count_recent(trap, min(REVIVAL_VISITS, trap.spent))
    if known >= REVIVAL_VISITS and novel >= REVIVAL_SHARE * known:
        return replace(trap, state=_OPEN, rule=None, spent=0, led_on=0)
    is_endless = trap.led_on >= ENDLESS_GROWTH * trap.spent
    return replace(trap, state=_CLOSED) if is_endless and trap.spent >= settings.budget else trap


def is_suspect(trap: Trap) -> bool:
    """Whether it is worth storing: most clusters never are."""
    if trap.state is not _OPEN or trap.decided_by is not None:
        return True
    known, novel = count_recent(trap, WINDOW_BITS)
    return known >= SUSPECT_VISITS and novel < SUSPECT_SHARE * known


def is_trusted(trap: Trap) -> bool:
    mask = (1 << TRUSTED_VISITS) - 1
    return trap.visits >= TRUSTED_VISITS and trap.recent & mask == mask


def find_holding(own: Trap | None, family: Trap | None, shape: UrlShape) -> Trap | None:
    """Which of its clusters holds a url back; None: none does. When the path with all combinations of
    parameters is slowed or closed, a pair has a trial, and any set that does well is exempt."""
    if own is not None and (own.state is not _OPEN or own.decided_by is not None):
        return own if own.state is not _OPEN else None
    if family is None or family.state is _OPEN or len(shape.names) < PAIR:
        return None
    if own is None or own.visits < TRIAL_VISITS:
        return None if len(shape.names) <= PAIR else family
    known, novel = count_recent(own, REVIVAL_VISITS)
    return None if novel >= SUSPECT_SHARE * known else family


def name_rule(shape: UrlShape, *, is_family: bool, copies: int, visits: int) -> TrapRule:
    """What the urls of a cluster have in common, if they bring nothing. `copies`: of the visits, pages with
    the text of another."""
    if shape.is_repeating:
        return TrapRule.REPEATED_PATH
    if 2 * copies > visits:
        return TrapRule.SAME_CONTENT
    if is_family or len(shape.names) > 1:
        return TrapRule.FACETS
    return TrapRule.GROWING_PATH if "**" in shape.name else TrapRule.ENDLESS
