"""Judges what the pages of a leased domain bring, cluster by cluster, and holds back the urls of those that
bring nothing. What it has learned is stored with the visits that taught it.
"""

import re
from collections.abc import Iterable, Sequence

from tenax.config.crawl import TrapSettings
from tenax.policy.guards.learned_rules import PartComparison
from tenax.policy.guards.traps import (
    PAIR,
    add_visit,
    find_holding,
    is_suspect,
    is_trusted,
    name_rule,
    plan_state,
)
from tenax.policy.guards.url_shapes import UrlShape, shape_of
from tenax.record import record
from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.records.urls import NewUrl
from tenax.telemetry import log

MOST_CLUSTERS = 200  # of a domain in memory; the least recently visited open ones are forgotten
MOST_HASHES = 1_000  # in each of two generations
SAMPLED = 8  # of the pages of a trusted cluster, one in so many is judged
# A page brings something new if so much of its text was on no page before.
FRESH_SHARE = 0.2
FRESH_CHARS = 80
LEAST_COPY_CHARS = 200  # shorter texts are the same by chance
_TEXT_CHARS = 8_000  # of a page that are compared
_LINKS = 20  # of a page that are looked at
_OUTSIDE = 3  # of these, links to other clusters
# Lines that were seen, as bits by their hash. A line that happens to have the hash of another counts as seen.
_LINE_BITS = 1 << 16
_MOST_LINES = _LINE_BITS // 8
_CLUSTER_BYTES = 600
_HASH_BYTES = 100

_OPEN = TrapState.OPEN
_HOLDING = (TrapState.SLOWED, TrapState.CLOSED)
_DIGITS = re.compile(r"[0-9]+")
_NO_DIGITS = str.maketrans("", "", "0123456789")


@record
class PageFacts:
    """What a guard is told of a page that was fetched for the first time."""

    url: str
    text: str | None  # None: it was read in another process, and only its hash is known
    text_chars: int
    content_hash: int
    discovered: Sequence[NewUrl]
    has_new_images: bool


class TrapGuard:
    """Mutable, like the domain that it belongs to."""

    def __init__(self, traps: Iterable[Trap], settings: TrapSettings) -> None:
        self._settings = settings
        self._traps = {trap.shape: trap for trap in traps}
        self._stored = set(self._traps)
        self._copies: dict[str, int] = {}
        self._changed: set[str] = set()
        self._hashes: set[int] = set()  # of the latest texts
        self._older_hashes: set[int] = set()
        self._lines: bytearray | None = None
        self._line_count = 0
        self._ticks = 0
        self._comparison = PartComparison()
        self.has_learned = False  # a merge rule, since it was leased
        self.is_holding = False  # some clusters are slowed or closed
        self._note_holding()

    # --- urls that wait ------------------------------------------------------------------------------

    def find_hold(self, url: str) -> Trap | None:
        """The cluster that holds a url back; None: it may be visited like any other."""
        return self._find_hold(shape_of(url))

    def _find_hold(self, shape: UrlShape) -> Trap | None:
        family = None if shape.family is None else self._traps.get(shape.family)
        return find_holding(self._traps.get(shape.name), family, shape)

    # --- pages ---------------------------------------------------------------------------------------

    def note_page(self, page: PageFacts) -> None:
        """Learn from a page that was fetched for the first time."""
        shape = shape_of(page.url)
        is_copy = self._is_copy(page)
        if page.text_chars >= LEAST_COPY_CHARS and (shape.names or "{id}" in shape.name):
            for name, compared in self._comparison.note(page.url, page.content_hash):
                self._learn(name, compared)
        names = (shape.name,) if shape.family is None else (shape.name, shape.family)
        known = [self._traps.get(name) for name in names]
        if not is_copy and all(trap is not None and is_trusted(trap) for trap in known):
            self._ticks += 1
            if self._ticks % SAMPLED:
                return
        led_on, leads_out = self._look_ahead(page, shape)
        is_novel = not is_copy and (leads_out or self._is_novel(page, shape))
        for name in names:
            self._count(shape, name, is_novel=is_novel, is_copy=is_copy, led_on=led_on)

    def _learn(self, name: str, compared: int) -> None:
        """A part of addresses changes nothing: it becomes a merge rule. The domain is leased anew with it."""
        if name in self._traps or self.has_learned:
            return
        log.info("merge_rule_learned", rule=name, compared=compared)
        self._traps[name] = Trap(
            shape=name, state=TrapState.MERGED, rule=TrapRule.SAME_CONTENT, visits=compared
        )
        self._changed.add(name)
        self.has_learned = True

    def list_merged(self) -> list[str]:
        """Names of the merge rules that were learned in this domain."""
        return [name for name, trap in self._traps.items() if trap.state is TrapState.MERGED]

    def _count(self, shape: UrlShape, name: str, *, is_novel: bool, is_copy: bool, led_on: int) -> None:
        # Moved to the end: the first are the least recently visited.
        trap = self._traps.pop(name, None)
        before = trap or Trap(shape=name, state=_OPEN)
        self._make_room()
        if is_copy:
            self._copies[name] = self._copies.get(name, 0) + 1
        counted = add_visit(before, is_novel=is_novel, led_on=led_on)
        rule = name_rule(
            shape,
            is_family=name == shape.family,
            copies=self._copies.get(name, 0),
            visits=counted.visits,
        )
        self._traps[name] = planned = plan_state(counted, rule, self._settings)
        if name in self._stored or is_suspect(planned):
            self._changed.add(name)
        if planned.state is not before.state:
            log.info("trap_moved", shape=name, state=planned.state.value, rule=planned.rule)
            self._note_holding()

    def _make_room(self) -> None:
        if len(self._traps) < MOST_CLUSTERS:
            return
        name = next((name for name, trap in self._traps.items() if trap.state is _OPEN), None)
        if name is not None:
            del self._traps[name]
            self._copies.pop(name, None)
            self._changed.discard(name)
            self._stored.discard(name)

    def _is_copy(self, page: PageFacts) -> bool:
        if page.text_chars < LEAST_COPY_CHARS:
            return False
        if page.content_hash in self._hashes or page.content_hash in self._older_hashes:
            return True
        if len(self._hashes) >= MOST_HASHES:
            self._hashes, self._older_hashes = set(), self._hashes
        self._hashes.add(page.content_hash)
        return False

    def _look_ahead(self, page: PageFacts, shape: UrlShape) -> tuple[int, bool]:
        """How many new urls of its own cluster the page leads to, and whether it leads to new ones of
        others."""
        led_on = outside = 0
        for new in page.discovered[:_LINKS]:
            if _is_inside(new.url, shape):
                led_on += 1
            elif outside < _OUTSIDE:
                outside += 1
                if self._is_promising(new.url):
                    return led_on, True
        return led_on, False

    def _is_novel(self, page: PageFacts, shape: UrlShape) -> bool:
        """Whether the page itself has something new."""
        if page.has_new_images or page.text is None:
            return True
        if shape.is_repeating:
            return False
        fresh, total = self._count_fresh(page.text)
        # Every combination of filters has a heading of its own.
        is_long = fresh >= FRESH_CHARS and len(shape.names) < PAIR
        return is_long or fresh >= FRESH_SHARE * max(total, 1)

    def _is_promising(self, url: str) -> bool:
        shape = shape_of(url)
        return not shape.is_repeating and self._find_hold(shape) is None

    def _count_fresh(self, text: str) -> tuple[int, int]:
        """How many characters are in lines that were on no page before, and in all lines. Numbers do not
        count: every page of a calendar has others."""
        if self._lines is None or self._line_count > _MOST_LINES:
            self._lines, self._line_count = bytearray(_LINE_BITS // 8), 0
        seen, fresh, total = self._lines, 0, 0
        text = text[:_TEXT_CHARS]
        # A tenth of the time, but only for ASCII.
        plain = text.translate(_NO_DIGITS) if text.isascii() else _DIGITS.sub("", text)
        for line in plain.split("\n"):
            total += len(line)
            place = hash(line) % _LINE_BITS
            if not seen[place >> 3] & 1 << (place & 7):
                seen[place >> 3] |= 1 << (place & 7)
                self._line_count += 1
                fresh += len(line)
        return fresh, total

    # --- the store -----------------------------------------------------------------------------------

    def take_changed(self) -> tuple[Trap, ...]:
        """What has changed since the last call, to be stored."""
        if not self._changed:
            return ()
        found = tuple([self._traps[name] for name in self._changed])
        self._stored |= self._changed
        self._changed.clear()
        return found

    def apply_decision(self, trap: Trap) -> bool:
        """A user has opened or closed a cluster, perhaps long ago. Returns whether that undoes a merge
        rule."""
        known = self._traps.get(trap.shape)
        if known is not None and known.state is trap.state and known.decided_by == trap.decided_by:
            return False
        self._traps[trap.shape] = trap
        self._stored.add(trap.shape)
        self._changed.discard(trap.shape)
        self._note_holding()
        return known is not None and known.state is TrapState.MERGED

    def _note_holding(self) -> None:
        self.is_holding = any(trap.state in _HOLDING for trap in self._traps.values())

    @property
    def weight_bytes(self) -> int:
        lines = 0 if self._lines is None else len(self._lines)
        hashes = len(self._hashes) + len(self._older_hashes)
        known = _CLUSTER_BYTES * len(self._traps) + _HASH_BYTES * hashes
        return known + lines + self._comparison.weight_bytes


def _is_inside(url: str, shape: UrlShape) -> bool:
    if not url.startswith(shape.prefix):
        return False
    return not shape.is_wide or shape_of(url).name == shape.name
