"""Loads what is known about the lists and archives of leased domains, and searches for archives."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from tenax.clock import Clock
from tenax.config.settings import Settings
from tenax.crawl.domains.guesses import DomainGuesses
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.discover.archives import Evidence, find_archives
from tenax.policy.guesses.archives import AT_ONCE
from tenax.records.guesses import KnownUrl, Learned
from tenax.records.urls import FoundBy, NewUrl, Priority
from tenax.stores.contracts.batches import QueueHead
from tenax.stores.contracts.guesses import GuessStore

SAMPLE = 2000  # urls of a domain that are read as evidence
_DEPTH = 1  # of an archive: as if the home page linked to it
_NOTHING = Learned()

# See Admission.admit_guess.
AdmitGuess = Callable[[LeasedDomain, str, int, int, FoundBy], NewUrl | None]


class Guesser:
    """Shared by the domains of one worker. The methods that wait for the store change nothing before it has
    answered, so that they may be repeated."""

    def __init__(self, settings: Settings, store: GuessStore, clock: Clock, admit: AdmitGuess) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._admit = admit

    async def begin(self, domains: Sequence[LeasedDomain]) -> None:
        """Load what is known about domains that were just leased."""
        learned = await self._store.load([domain.lease.domain_id for domain in domains])
        now = self._clock.now()
        for domain in domains:
            known = learned.get(domain.lease.domain_id, _NOTHING)
            domain.guesses = DomainGuesses(known, self._settings, now)

    async def search(self, domains: Sequence[LeasedDomain], heads: Sequence[QueueHead]) -> bool:
        """Search for archives of those domains that have little left to do; returns whether any were queued.
        `heads`: what the store has for them."""
        for domain, head in zip(domains, heads, strict=True):
            if not self._is_due(domain, head):
                continue
            sample = await self._store.sample(domain.lease.domain_id, SAMPLE)
            if domain.is_held:
                self._apply(domain, sample, is_dry=not (head.targets or domain.queue))
        return any(domain.guesses is not None and domain.guesses.is_dirty for domain in domains)

    def _is_due(self, domain: LeasedDomain, head: QueueHead) -> bool:
        guesses = domain.guesses
        if guesses is None or domain.taken or domain.is_dirty:
            # What it has found meanwhile is not in the store yet.
            return False
        if not domain.is_held or not domain.stored_pages or not domain.has_pages_left:
            return False
        if any(target.found_by is FoundBy.ARCHIVE for target in head.targets):
            return False
        waiting = sum(target.priority >= Priority.MEDIUM for target in (*domain.queue, *head.targets))
        return guesses.is_search_due(waiting, self._clock.now())

    def _apply(self, domain: LeasedDomain, sample: Sequence[KnownUrl], *, is_dry: bool) -> None:
        evidence = find_archives(sample)
        if evidence is None or domain.guesses is None or domain.is_dirty:
            return
        now = self._clock.now()
        domain.guesses.add_archives(self._choose(domain, domain.guesses, evidence, is_dry=is_dry), now)

    def _choose(
        self, domain: LeasedDomain, guesses: DomainGuesses, evidence: Evidence, *, is_dry: bool
    ) -> list[NewUrl]:
        day = datetime.fromtimestamp(self._clock.wall(), UTC)
        chosen: list[NewUrl] = []
        most = guesses.count_at_once(AT_ONCE, self._clock.now())
        for url in guesses.list_archives(evidence, month=(day.year, day.month), is_dry=is_dry):
            if len(chosen) >= most:
                break
            new = self._admit(domain, url, _DEPTH, evidence.url_id, FoundBy.ARCHIVE)
            if new is not None:
                chosen.append(new)
        return chosen
