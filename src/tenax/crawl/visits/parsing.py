"""Which parsers see a page, and what their items and follow-ups become."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.reading.parse_messages import ParseRequest
from tenax.crawl.reading.parser_pool import ParserPool
from tenax.crawl.visits.admission import Admission
from tenax.items.faults import build_fault
from tenax.items.normal import AskedFollow
from tenax.items.parser import ParserCard, choose_parsers, hash_parsers
from tenax.items.running import ParsedPage
from tenax.items.trials import compare_parsings, is_in_share
from tenax.record import record, replace
from tenax.records.items import FollowUp, LoggedError, Parsing, Trial
from tenax.records.requests import Response
from tenax.records.urls import NewUrl, Target
from tenax.records.visits import Visit
from tenax.stores.hot.packing import pack_body
from tenax.web.markup import fits
from tenax.web.parameters import Names
from tenax.web.urls import parse_url

# A document that may take more memory is read when no other such one is on this machine. Pages of news sites
# take a tenth of it.
ALONE_BYTES: Final = 64_000_000
_ITEM_BYTES: Final = 600
MAX_COMPLAINTS: Final = 5  # of each kind and page; the rest is counted
SHOWN_CHARS: Final = 200
NO_ADDRESS: Final = "it is not the address of a page on the web"
NO_PARSER: Final = "there is no parser of that name in this run"
NOFOLLOW: Final = "the page asks not to follow its links"


@record
class ChosenParsers:
    cards: tuple[ParserCard, ...]
    parsed_by: int  # see Target
    candidates: tuple[ParserCard, ...] = ()  # for some of them

    @property
    def names(self) -> tuple[str, ...]:
        """Candidates come last: whatever they do, the others have run."""
        return tuple(card.name for card in (*self.cards, *self.candidates))


@record
class ParsedVisit:
    """What parsers add to a visit."""

    parsings: tuple[Parsing, ...]
    discovered: tuple[NewUrl, ...]
    parsed_by: int | None  # None: one failed, so that the page is wanted again
    parse_s: float
    trials: tuple[Trial, ...] = ()


@record
class PageParsing:
    pool: ParserPool
    admission: Admission
    keep: Names  # see web/parameters.py

    def choose(self, target: Target) -> ChosenParsers | None:
        """None: no parser is for this url."""
        asked = [each.parser for each in target.follow_ups]
        current = [card for card in self.pool.cards if card.trial_of is None]
        cards = choose_parsers(current, target.url, asked)
        if not cards:
            return None
        return ChosenParsers(
            cards=tuple(cards),
            parsed_by=hash_parsers(cards, target.follow_ups),
            candidates=tuple(self._choose_candidates(cards, target)),
        )

    def _choose_candidates(self, cards: Sequence[ParserCard], target: Target) -> Iterator[ParserCard]:
        names = {card.name for card in cards}
        for card in self.pool.cards:
            if card.trial_of in names and is_in_share(target.key, card.share):
                yield card

    def wants_whole(self, target: Target) -> bool:
        """Whether "not modified" is no answer: other parsers, or none, have seen the page."""
        chosen = self.choose(target)
        return chosen is not None and chosen.parsed_by != target.parsed_by

    def build_request(self, target: Target, answer: Response, chosen: ChosenParsers) -> ParseRequest:
        is_large = not fits(answer.body, ALONE_BYTES)
        return ParseRequest(
            url=target.url,
            status=answer.status,
            headers=answer.headers,
            body=pack_body(answer.body) if is_large else answer.body,
            body_bytes=len(answer.body),
            parsers=chosen.names,
            follow_ups=(*target.follow_ups, *_follow_with(chosen.candidates, target.follow_ups)),
            is_large=is_large,
        )

    def conclude(
        self,
        domain: LeasedDomain,
        target: Target,
        parsed: Sequence[ParsedPage],
        chosen: ChosenParsers,
        *,
        follows: bool,
    ) -> ParsedVisit:
        """Of a page that is kept. Follow-ups are admitted like links, but known urls are not dropped.
        `follows`: its links may be followed."""
        discovered: list[NewUrl] = []
        parsings = []
        tried = {card.name for card in chosen.candidates}
        kept = [each for each in parsed if each.parsing.parser not in tried]
        for each in kept:
            complaints = []
            for follow in each.follows:
                found = self._admit(domain, target, follow) if follows else NOFOLLOW
                if isinstance(found, NewUrl):
                    discovered.append(found)
                else:
                    complaints.append(f"The follow-up to {_quote(follow.url)} was refused: {found}.")
            asking = replace(each.parsing, follows=len(each.follows)) if each.follows else each.parsing
            parsings.append(_complain(asking, complaints))
        return ParsedVisit(
            parsings=tuple(drop_repeated(parsings)),
            discovered=tuple(discovered),
            parsed_by=None if any(each.error for each in parsings) else chosen.parsed_by,
            parse_s=sum(each.duration_s for each in parsed),
            trials=tuple(compare_candidates(parsed, chosen)),
        )

    def _admit(self, domain: LeasedDomain, target: Target, follow: AskedFollow) -> NewUrl | str:
        """The url, or why it is refused."""
        name = follow.follow_up.parser
        if all(card.name != name or card.trial_of is not None for card in self.pool.cards):
            return NO_PARSER
        url = parse_url(follow.url, keep=self.keep)
        if url is None:
            return NO_ADDRESS
        return self.admission.admit_follow_up(domain, target, url, follow.follow_up)


def add_parsings(visit: Visit, parsed: ParsedVisit) -> Visit:
    return replace(
        visit,
        parsings=parsed.parsings,
        trials=parsed.trials,
        parsed_by=parsed.parsed_by,
        discovered=visit.discovered + parsed.discovered,
    )


def compare_candidates(parsed: Iterable[ParsedPage], chosen: ChosenParsers) -> Iterator[Trial]:
    by_name = {each.parsing.parser: each.parsing for each in parsed}
    for card in chosen.candidates:
        current, candidate = by_name.get(card.trial_of or ""), by_name.get(card.name)
        if current is None or candidate is None:
            continue
        trial = compare_parsings(current, candidate, current.parser)
        if trial is not None:
            yield trial


def _follow_with(candidates: Iterable[ParserCard], follow_ups: Iterable[FollowUp]) -> Iterator[FollowUp]:
    """A candidate gets what leads to its current parser."""
    names = {card.trial_of: card.name for card in candidates}
    for each in follow_ups:
        if each.parser in names:
            yield FollowUp(parser=names[each.parser], data=each.data)


def weigh_items(parsings: Iterable[Parsing]) -> int:
    """What they count as in memory until they are settled."""
    return sum(len(item.data) + _ITEM_BYTES for parsing in parsings for item in parsing.items)


def drop_repeated(parsings: Iterable[Parsing]) -> list[Parsing]:
    """Keep each item of a page once: the first parser that makes it has it."""
    taken = set[tuple[str, str]]()
    kept = []
    for parsing in parsings:
        items = [item for item in parsing.items if (item.kind, item.key) not in taken]
        if len(items) < len(parsing.items):
            said = (
                "Another parser makes items of the same kind and key of this page: name another kind or key."
            )
            parsing = replace(_complain(parsing, [said]), items=tuple(items))
        taken |= {(item.kind, item.key) for item in items}
        kept.append(parsing)
    return kept


def _complain(parsing: Parsing, complaints: Sequence[str]) -> Parsing:
    if not complaints:
        return parsing
    said = list(complaints[:MAX_COMPLAINTS])
    if len(complaints) > MAX_COMPLAINTS:
        said.append(f"{len(complaints) - MAX_COMPLAINTS} more follow-ups of the page were refused.")
    return replace(parsing, complaints=parsing.complaints + tuple(_build(parsing, each) for each in said))


def _build(parsing: Parsing, message: str) -> LoggedError:
    return build_fault("Refused", message, parsing.parser)


def _quote(url: str) -> str:
    """Quoted, so that errors that differ in it are alike."""
    return repr(url if len(url) <= SHOWN_CHARS else url[:SHOWN_CHARS] + "…")
