"""The lists and archives of a leased domain, as far as they are known: learned from its pages and from the
answers to guesses, and settled together with the visits that taught it. In memory.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.discover.archives import Evidence, fill_pattern, find_pattern
from tenax.discover.list_pages import looks_like_list
from tenax.discover.page_numbers import fill, match_number, read_page_number
from tenax.discover.pagination import FoundList, find_list, has_pages
from tenax.policy.guesses.archives import (
    ArchiveAnswer,
    ArchiveFacts,
    Place,
    is_search_due,
    iter_guesses,
    learn_answer,
    open_day,
)
from tenax.policy.guesses.pagination import (
    MOST_RULES,
    SeenPage,
    learn_guess,
    learn_links,
    list_resumed,
    plan_first_guess,
    plan_page,
)
from tenax.record import replace
from tenax.records.guesses import ArchivePattern, GuessBudget, GuessState, Learned, PaginationRule
from tenax.records.pages import PageLink
from tenax.records.urls import FoundBy, NewUrl, RefusalReason, Target
from tenax.records.visits import Failed, Gone, Redirected, Refused, Rejected, Skipped, Visit
from tenax.web.urls import origin_of

_RULE_BYTES = 900  # measured, with the characters of an ordinary pattern
_MOST_HASHES = 1000


class PageGuess(NamedTuple):
    """The next page of a list."""

    url: str
    rule: PaginationRule  # that the guess comes from


class DomainGuesses:
    """Mutable, like the domain that it belongs to."""

    def __init__(self, learned: Learned, settings: Settings, now: Instant) -> None:
        self._archives = settings.archives
        self._pagination = settings.pagination
        self._rules = {rule.pattern: rule for rule in learned.rules}
        self._patterns = {each.pattern: each for each in learned.patterns}
        self._budget = open_day(learned.budget or GuessBudget(), now)
        self._paths = {rule.path: rule.pattern for rule in learned.rules}
        self._hashes: set[int] = set()  # of the texts of list pages
        self._guessed: list[NewUrl] = []
        self._new_rules: set[str] = set()
        self._new_patterns: set[str] = set()
        self._has_new_budget = False

    # --- pages -----------------------------------------------------------------------------------------

    def read(
        self,
        target: Target,
        links: Mapping[int, PageLink],
        discovered: Sequence[NewUrl],
        content_hash: int,
    ) -> list[PageGuess]:
        """Learn from a page that was read; returns the pages of lists that are to be guessed."""
        if target.found_by is FoundBy.ARCHIVE and target.content_hash is None:
            self._learn_archive(target.url, ArchiveAnswer.NEW if discovered else ArchiveAnswer.NOTHING_NEW)
        if not self._pagination.enabled:
            return []
        found = find_list(target.url, links)
        if found is None:
            return self._plan_first(target, links)
        guesses = []
        if target.found_by is FoundBy.PAGINATION and target.content_hash is None:
            is_new = content_hash not in self._hashes and _has_entries(discovered, found)
            guesses = self._learn_page(target.url, is_hit=is_new)
            if not is_new:
                return []
        if len(self._hashes) < _MOST_HASHES:
            self._hashes.add(content_hash)
        return guesses + self._plan_next(target.url, found)

    def _plan_next(self, url: str, found: FoundList) -> list[PageGuess]:
        if found.pattern is None:
            return []
        seen = SeenPage(
            path=found.path,
            pattern=found.pattern,
            step=found.step,
            number=found.number,
            last=found.last,
            has_next=found.next_url is not None,
        )
        rule = self._learn_links(seen)
        return [] if rule is None else self._plan(url, rule, seen.number, has_next=seen.has_next)

    def _learn_links(self, seen: SeenPage) -> PaginationRule | None:
        known = self._rules.get(seen.pattern)
        if known is None and len(self._rules) >= MOST_RULES:
            return None
        rule = learn_links(known, seen)
        if rule is not None and rule is not known:
            self._save_rule(rule)
        return rule

    def _plan(self, url: str, rule: PaginationRule, number: int, *, has_next: bool) -> list[PageGuess]:
        planned = plan_page(rule, number, has_next=has_next, rules=self._rules.values())
        return [] if planned is None else self._build_guess(url, planned, number + rule.step)

    def _plan_first(self, target: Target, links: Mapping[int, PageLink]) -> list[PageGuess]:
        """Plan a guess at the second page of a list that links to none."""
        url = target.url
        path = url[len(origin_of(url)) :]
        if (pattern := self._paths.get(path)) is not None:
            return self._plan(url, self._rules[pattern], 1, has_next=False)
        if target.found_by is FoundBy.PAGINATION or not looks_like_list(url, links):
            return []
        planned = plan_first_guess(path, self._rules.values())
        return [] if planned is None or has_pages(url, links) else self._build_guess(url, planned, 2)

    def _build_guess(self, url: str, rule: PaginationRule, number: int) -> list[PageGuess]:
        if rule.state is GuessState.POSTPONED:
            self._save_rule(rule)
            return []
        if self._budget.pages >= self._pagination.per_day:
            return []
        return [PageGuess(origin_of(url) + fill(rule.pattern, number), rule)]

    def note_guess(self, guess: PageGuess) -> None:
        """The guess is queued."""
        if self._rules.get(guess.rule.pattern) != guess.rule:
            self._save_rule(guess.rule)
        self._spend(pages=1)

    # --- answers that are no pages ---------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Apply the outcome of a guess that found no page. `read` has seen all others."""
        target = visit.target
        if not target.found_by.is_guess or target.content_hash is not None or not _is_missing(visit):
            return
        if target.found_by is FoundBy.ARCHIVE:
            self._learn_archive(target.url, ArchiveAnswer.MISSING)
        else:
            self._learn_page(target.url, is_hit=False)

    def _learn_page(self, url: str, *, is_hit: bool) -> list[PageGuess]:
        """Apply the answer to a guess; returns those that have waited for it."""
        page = read_page_number(url)
        pattern = page.pattern if page is not None else self._find_rule(url)
        if pattern is None or (number := match_number(pattern, url)) is None:
            return []
        rule = self._rules.get(pattern)
        if rule is None and is_hit and page is not None and len(self._rules) < MOST_RULES:
            # A guess that was redirected shows the true pattern.
            rule = PaginationRule(path=page.path, pattern=pattern, state=GuessState.TRIED)
        if rule is None:
            return []
        self._save_rule(learn_guess(rule, number, is_hit=is_hit))
        resumed = list_resumed(self._rules.values(), rule) if is_hit else []
        return [guess for each in resumed for guess in self._build_guess(url, each, each.last_n + each.step)]

    def _find_rule(self, url: str) -> str | None:
        """The rule of a page whose number is in an unusual place."""
        return next((each for each in self._rules if match_number(each, url) is not None), None)

    def _learn_archive(self, url: str, answer: ArchiveAnswer) -> None:
        pattern = find_pattern(url)
        known = self._patterns.get(pattern)
        learned = learn_answer(known, pattern, answer)
        if learned.state is GuessState.VALID:
            self._budget, self._has_new_budget = replace(self._budget, searched_at=None), True
        self._save_pattern(learned)

    # --- archives --------------------------------------------------------------------------------------

    def is_search_due(self, waiting: int, now: Instant) -> bool:
        if not self._archives.enabled or self._count_archives_left(now) <= 0:
            return False
        return is_search_due(self._budget, self._archives, now, waiting=waiting)

    def list_archives(self, evidence: Evidence, *, month: Place, is_dry: bool) -> list[str]:
        """Addresses that may be archives, in the order of their promise; many are known."""
        facts = ArchiveFacts(places=evidence.places, patterns=self._patterns, month=month, is_dry=is_dry)
        guesses = iter_guesses(facts, self._archives.paths)
        return [evidence.origin + fill_pattern(each.pattern, each.place) for each in guesses]

    def add_archives(self, urls: Sequence[NewUrl], now: Instant) -> None:
        """A search has ended with these."""
        self._guessed.extend(urls)
        self._budget = replace(self._budget, searched_at=now)
        self._spend(archives=len(urls))

    def _count_archives_left(self, now: Instant) -> int:
        self._budget = open_day(self._budget, now)
        return self._archives.per_day - self._budget.archives

    def count_at_once(self, most: int, now: Instant) -> int:
        return min(most, self._count_archives_left(now))

    # --- settling --------------------------------------------------------------------------------------

    @property
    def is_dirty(self) -> bool:
        return bool(self._guessed or self._new_rules or self._new_patterns or self._has_new_budget)

    def take_guessed(self) -> tuple[NewUrl, ...]:
        guessed, self._guessed = tuple(self._guessed), []
        return guessed

    def take_learned(self) -> Learned | None:
        """What is new since the last batch; None: nothing."""
        if not (self._new_rules or self._new_patterns or self._has_new_budget):
            return None
        learned = Learned(
            rules=tuple([self._rules[pattern] for pattern in sorted(self._new_rules)]),
            patterns=tuple([self._patterns[pattern] for pattern in sorted(self._new_patterns)]),
            budget=self._budget if self._has_new_budget else None,
        )
        self._new_rules, self._new_patterns, self._has_new_budget = set(), set(), False
        return learned

    @property
    def weight_bytes(self) -> int:
        return _RULE_BYTES * (len(self._rules) + len(self._patterns)) + 64 * len(self._hashes)

    def _save_rule(self, rule: PaginationRule) -> None:
        self._rules[rule.pattern] = rule
        self._paths.setdefault(rule.path, rule.pattern)
        self._new_rules.add(rule.pattern)

    def _save_pattern(self, pattern: ArchivePattern) -> None:
        self._patterns[pattern.pattern] = pattern
        self._new_patterns.add(pattern.pattern)

    def _spend(self, *, pages: int = 0, archives: int = 0) -> None:
        budget = self._budget
        self._budget = replace(budget, pages=budget.pages + pages, archives=budget.archives + archives)
        self._has_new_budget = True


def _has_entries(discovered: Sequence[NewUrl], found: FoundList) -> bool:
    """Whether the page names anything new besides further pages of its list."""
    pattern = found.pattern or ""
    return any(match_number(pattern, url.url) is None for url in discovered)


def _is_missing(visit: Visit) -> bool:
    """Whether the visit shows that there is no page at the address."""
    match visit.outcome:
        case Gone() | Skipped() | Rejected():
            return True
        case Redirected(asked_again_at=asked_again_at):
            return asked_again_at is None
        case Failed(retry_at=retry_at):
            return retry_at is None
        case Refused(reason=reason):
            return reason is not RefusalReason.NOINDEX
    return False
