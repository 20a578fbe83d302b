"""From an answer to the outcome of a visit."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.fetch import ExtractSettings
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.reading.isolation import Crashed, IsolatedReader, Loss, OverLimit, Undecided
from tenax.crawl.reading.messages import ReadRequest
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.answers import AnswerApplier
from tenax.crawl.visits.context import VisitTools
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.crawl.visits.pages import PageBuilder
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.records.domains import Pace
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Outcome,
    Redirected,
    Refused,
    Skipped,
    Unchanged,
    Visit,
)
from tenax.stores.hot.packing import unpack_links, unpack_text
from tenax.web.hrefs import Hrefs
from tenax.web.markup import MEMORY_BYTES
from tests.support.clock import START, FakeClock
from tests.support.crawling import (
    HTML,
    NoWatch,
    make_context,
    make_domain,
    make_failure,
    make_memory,
    make_response,
    make_target,
)

SETTINGS = Settings()
PAGE = b"<!doctype html><title>T</title><p>Words. <a href=/x>x</a><a href=http://b.test/>b</a>"


class NoFetcher:
    """Whatever was requested has been answered."""

    def pause(self) -> None: ...


class Crawling:
    """A worker's part that applies answers, with one domain."""

    def __init__(
        self, profile: ExtractionProfile = WHOLE_PAGE, settings: Settings = SETTINGS, **fields: Any
    ) -> None:
        """`fields`: of its PageBuilder."""
        scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeKind.DOMAIN, ["http://a.test/"]))
        clock, admission = FakeClock(START), Admission(scope)
        self.reader = fields.setdefault("reader", IsolatedReader())
        known: dict[str, Any] = {"watch": NoWatch(), "profile": profile}
        tools = VisitTools(
            fetcher=cast(Any, NoFetcher()),
            robots_fetch=cast(Any, None),
            outcomes=OutcomeBuilder(settings=settings, admission=admission, hrefs=Hrefs()),
            pages=PageBuilder(settings=settings, admission=admission, **{**known, **fields}),
            sitemaps=cast(Any, None),
            tracer=None,
            read_disk=lambda: None,
        )
        self.memory = make_memory(clock)
        self.domain = make_domain()
        self.memory.pool.add(self.domain, START)
        self.applier = AnswerApplier(make_context(clock, settings), self.memory, tools, lambda: None)

    def visit(self, answer: Response | Failure, target: Target | None = None) -> Visit:
        """What is recorded for a visit that ends with this answer."""
        target = target or make_target()
        self.domain.taken.add(target.id)
        self.applier.apply_answer(self.domain, target, answer)
        return self.domain.visits[-1]

    async def visit_apart(self, answer: Response, target: Target | None = None) -> Visit:
        """The same for an answer that is read in another process."""
        target = target or make_target(crashes=1)
        self.domain.taken.add(target.id)
        self.applier.apply_answer(self.domain, target, answer)
        while self.applier.is_reading:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return self.domain.visits[-1]


def visit(answer: Response | Failure, target: Target | None = None) -> Visit:
    return Crawling().visit(answer, target)


def build(answer: Response, target: Target, domain: LeasedDomain) -> Outcome:
    """Of a domain whose pace has seen the answer."""
    scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeKind.DOMAIN))
    outcomes = OutcomeBuilder(settings=SETTINGS, admission=Admission(scope), hrefs=Hrefs())
    return outcomes.build(domain, target, answer, START)[0]


def conclude(answer: Response | Failure, **fields: Any) -> Outcome:
    return visit(answer, target=make_target(**fields)).outcome


def test_a_page_is_fetched_with_its_links() -> None:
    outcome = conclude(make_response(200, PAGE))
    assert isinstance(outcome, Fetched)
    assert (outcome.page.title, outcome.content_type) == ("T", "text/html")
    links = unpack_links(outcome.page.content)
    assert [link[0] for link in links] == ["http://a.test/x", "http://b.test/"]


def test_only_links_in_scope_are_discovered() -> None:
    assert [url.url for url in visit(make_response(200, PAGE)).discovered] == ["http://a.test/x"]


def test_the_url_that_is_being_read_is_noted() -> None:
    watch = NoWatch()
    Crawling(watch=watch).visit(make_response(200, PAGE), make_target(id=9))
    assert watch.readings == [9, 0]


def test_validators_are_kept_for_the_next_visit() -> None:
    headers = {**HTML, "etag": '"1"', "last-modified": "Mon, 06 Jan 2025 10:00:00 GMT"}
    outcome = conclude(make_response(200, PAGE, headers=headers))
    assert isinstance(outcome, Fetched)
    assert (outcome.etag, outcome.last_modified) == ('"1"', "Mon, 06 Jan 2025 10:00:00 GMT")


FORM = b"<!doctype html><p>Please log in.</p><input type=password>"


def is_login_form(body: bytes, before: bytes, profile: ExtractionProfile = WHOLE_PAGE) -> bool:
    """Whether a page is one, after another page."""
    crawling = Crawling(profile)
    crawling.visit(make_response(200, before))
    outcome = crawling.visit(make_response(200, body), make_target(id=2)).outcome
    assert isinstance(outcome, Fetched)
    return outcome.is_login_form


def test_the_same_form_once_more_is_a_login_form() -> None:
    assert is_login_form(FORM, before=FORM)


@pytest.mark.parametrize(
    ("body", "before"),
    [
        pytest.param(FORM, PAGE, id="the first time"),
        pytest.param(PAGE, PAGE, id="the same page without a form"),
        pytest.param(FORM + b"<p>About ants", FORM + b"<p>About bees", id="pages with a form each"),
        pytest.param(b"<p>Your password", b"<p>Your password", id="a word about passwords"),
    ],
)
def test_other_pages_are_no_login_forms(body: bytes, before: bytes) -> None:
    assert not is_login_form(body, before)


PRICE = ExtractionProfile.build(ExtractSettings(only=(".price",)))


def test_pages_that_show_the_same_of_what_counts_are_no_login_forms() -> None:
    assert not is_login_form(FORM + b"<b class=price>9", FORM + b"<p>Ants<b class=price>9", PRICE)


def test_a_login_form_that_shows_nothing_of_what_counts_is_one() -> None:
    assert is_login_form(FORM, FORM, PRICE)


def find_text(ended: Visit) -> str:
    assert isinstance(ended.outcome, Fetched)
    return unpack_text(ended.outcome.page.content)


def test_a_document_is_read_alike_in_another_process() -> None:
    answer = make_response(200, b"<p>It costs <b class=price>9</b>.")
    here = Crawling(PRICE).visit(answer)
    there = asyncio.run(visit_apart(Crawling(PRICE), answer))
    assert find_text(here) == find_text(there) == "9"
    assert isinstance(here.outcome, Fetched)
    assert isinstance(there.outcome, Fetched)
    assert replace(here.outcome.page, unpacked_bytes=0) == replace(there.outcome.page, unpacked_bytes=0)
    assert replace(here.outcome, page=there.outcome.page) == there.outcome


async def visit_apart(crawling: Crawling, answer: Response, target: Target | None = None) -> Visit:
    async with crawling.reader:
        return await crawling.visit_apart(answer, target)


@pytest.mark.parametrize(
    ("header", "reason"),
    [("noindex", RefusalReason.NOINDEX), ("nofollow", None), ("none", RefusalReason.NOINDEX)],
)
def test_what_a_page_asks_for_is_heard_in_another_process(header: str, reason: RefusalReason | None) -> None:
    answer = make_response(200, PAGE, headers={**HTML, "x-robots-tag": header})
    here = visit(answer)
    there = asyncio.run(visit_apart(Crawling(), answer))
    assert here.discovered == there.discovered
    assert (getattr(here.outcome, "reason", None), getattr(there.outcome, "reason", None)) == (reason, reason)


def test_a_document_that_is_too_large_for_a_worker_is_no_outcome_yet() -> None:
    crawling = Crawling(memory_bytes=20_000_000, reader=LostReader(Crashed(how="")))

    async def apply() -> None:
        target = make_target()
        crawling.domain.taken.add(target.id)
        crawling.applier.apply_answer(crawling.domain, target, make_response(200, b"<br>a" * 60_000))
        assert crawling.applier.is_reading
        assert (crawling.domain.visits, crawling.domain.in_flight) == ([], 1)

    asyncio.run(apply())


class LostReader(IsolatedReader):
    """Its processes end in one way."""

    def __init__(self, lost: Loss) -> None:
        super().__init__()
        self._lost = lost

    async def read(self, order: ReadRequest) -> Loss:
        return self._lost


def conclude_loss(lost: Loss, attempts: int, crashes: int = 2) -> Failed:
    # Without a crash, it is read apart because it is too large.
    crawling = Crawling(reader=LostReader(lost), memory_bytes=0 if crashes == 0 else MEMORY_BYTES)
    target = make_target(crashes=crashes, attempts=attempts)
    body = PAGE if crashes else b"<br>a" * 60_000
    outcome = asyncio.run(visit_apart(crawling, make_response(200, body), target)).outcome
    assert isinstance(outcome, Failed)
    return outcome


def test_a_document_that_crashed_its_reader_is_never_tried_again() -> None:
    failed = conclude_loss(Crashed(how="its reader died of SIGSEGV"), attempts=0)
    assert (failed.kind, failed.retry_at) == (FailureKind.CRASH, None)
    assert failed.detail == "a worker died while reading it, and then its reader died of SIGSEGV"


def test_a_document_that_crashed_two_readers_is_never_tried_again() -> None:
    failed = conclude_loss(Crashed(how="its reader died of SIGSEGV"), attempts=0, crashes=0)
    assert (failed.kind, failed.retry_at) == (FailureKind.CRASH, None)
    assert failed.detail == "twice, its reader died of SIGSEGV"


@pytest.mark.parametrize("kind", [FailureKind.READER_MEMORY, FailureKind.READER_TIME])
@pytest.mark.parametrize("crashes", [0, 1])
def test_a_document_beyond_a_limit_is_given_up_for_it_and_no_crash(kind: FailureKind, crashes: int) -> None:
    lost = OverLimit(kind=kind, how="it takes more than it may: raise the setting")
    failed = conclude_loss(lost, attempts=0, crashes=crashes)
    assert (failed.kind, failed.detail, failed.retry_at) == (kind, lost.how, None)


def test_a_document_whose_readers_were_killed_is_put_off_longer_from_time_to_time_and_not_for_ever() -> None:
    killed = Undecided(how="its reader was ended by SIGKILL")
    failures = [conclude_loss(killed, attempts) for attempts in range(4)]
    assert {failed.kind for failed in failures} == {FailureKind.READER}
    assert [failed.retry_at for failed in failures] == [START + 60, START + 120, START + 240, None]


def test_304_is_unchanged() -> None:
    assert conclude(make_response(304), content_hash=1) == Unchanged()


def test_304_without_a_page_to_compare_is_a_failure() -> None:
    outcome = conclude(make_response(304))
    assert isinstance(outcome, Failed)
    assert outcome.retry_at is None


@pytest.mark.parametrize("status", [404, 410, 451])
def test_what_the_server_says_is_gone_is_gone(status: int) -> None:
    assert conclude(make_response(status)) == Gone(status=status)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("image/png", "image/png"), ("application/pdf; x=1", "application/pdf"), (None, "unknown")],
)
def test_what_is_no_html_is_skipped(kind: str | None, shown: str) -> None:
    headers = {"content-type": kind} if kind else {}
    assert conclude(make_response(200, headers=headers)) == Skipped(status=200, content_type=shown)


def test_a_body_without_a_type_is_read_as_a_page() -> None:
    assert isinstance(conclude(make_response(200, PAGE, headers={})), Fetched)


@pytest.mark.parametrize(
    ("head", "headers"),
    [(b"<meta name=robots content=noindex>", HTML), (b"", {**HTML, "x-robots-tag": "noindex"})],
)
def test_a_page_that_asks_not_to_be_kept_is_refused_and_its_links_followed(
    head: bytes, headers: dict[str, str]
) -> None:
    ended = visit(make_response(200, head + PAGE, headers=headers))
    assert isinstance(ended.outcome, Refused)
    assert ended.outcome.reason is RefusalReason.NOINDEX
    assert len(ended.discovered) == 1


def test_a_page_that_asks_not_to_be_followed_is_kept_without_new_urls() -> None:
    ended = visit(make_response(200, b"<meta name=robots content=nofollow>" + PAGE))
    assert isinstance(ended.outcome, Fetched)
    assert ended.discovered == ()


# --- redirects -----------------------------------------------------------------------------------


def redirect(location: str | None, **fields: int) -> Outcome:
    headers = {} if location is None else {"location": location}
    return conclude(make_response(302, headers=headers), **fields)


def test_a_redirect_names_the_normalised_place() -> None:
    assert redirect("/New/../x#part") == Redirected(status=302, to_url="http://a.test/x")


def test_the_last_redirect_that_is_allowed_is_followed() -> None:
    assert isinstance(redirect("/x", hops=4), Redirected)


def test_one_redirect_more_is_refused() -> None:
    outcome = redirect("/x", hops=5)
    assert isinstance(outcome, Refused)
    assert outcome.reason is RefusalReason.TOO_MANY_HOPS


@pytest.mark.parametrize("location", [None, "/", "http://a.test/#top"])
def test_a_redirect_to_nowhere_is_final(location: str | None) -> None:
    outcome = redirect(location)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.retry_at) == (FailureKind.PROTOCOL, None)


def test_a_long_place_is_cut_in_the_sentence() -> None:
    outcome = redirect("javascript:" + "x" * 10_000)
    assert isinstance(outcome, Refused)
    assert len(outcome.detail) < 200


# --- failures ------------------------------------------------------------------------------------


def test_a_transient_failure_is_tried_again_after_a_pause() -> None:
    outcome = conclude(make_failure(FailureKind.RESET))
    assert isinstance(outcome, Failed)
    assert outcome.retry_at is not None
    assert START + 1 <= outcome.retry_at <= START + 1.5


def test_a_lasting_failure_is_final() -> None:
    outcome = conclude(make_failure(FailureKind.TLS, is_transient=False))
    assert isinstance(outcome, Failed)
    assert outcome.retry_at is None


@pytest.mark.parametrize("status", [500, 502, 504])
def test_the_fourth_server_error_is_the_last(status: int) -> None:
    third, fourth = (conclude(make_response(status), attempts=attempts) for attempts in (2, 3))
    assert isinstance(third, Failed)
    assert isinstance(fourth, Failed)
    assert third.retry_at is not None
    assert fourth.retry_at is None


def test_a_forbidden_address_is_a_refusal() -> None:
    outcome = conclude(make_failure(FailureKind.FORBIDDEN_ADDRESS))
    assert isinstance(outcome, Refused)
    assert outcome.reason is RefusalReason.PRIVATE_ADDRESS


def resting_domain() -> LeasedDomain:
    domain = make_domain()
    domain.state = replace(domain.state, pace=Pace(backoff_until=START + 60))
    return domain


@pytest.mark.parametrize(("status", "counts"), [(429, False), (503, True), (403, True)])
def test_a_push_back_is_tried_again_when_the_rest_is_over(status: int, counts: bool) -> None:
    outcome = build(make_response(status), make_target(), resting_domain())
    assert isinstance(outcome, Failed)
    assert (outcome.retry_at, outcome.counts_as_attempt) == (START + 60, counts)


def test_a_url_that_is_busy_again_and_again_is_given_up() -> None:
    outcome = build(make_response(503), make_target(attempts=3), resting_domain())
    assert isinstance(outcome, Failed)
    assert outcome.retry_at is None


def test_a_rate_limit_never_gives_a_url_up() -> None:
    outcome = build(make_response(429), make_target(attempts=9), resting_domain())
    assert isinstance(outcome, Failed)
    assert outcome.retry_at == START + 60


def test_a_single_forbidden_page_is_final() -> None:
    outcome = conclude(make_response(403))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.retry_at) == (FailureKind.FORBIDDEN, None)


def keep(*names: str) -> Settings:
    extract = SETTINGS.extract.model_copy(update={"response_headers": names})
    return SETTINGS.model_copy(update={"extract": extract})


@pytest.mark.parametrize("status", [200, 301, 404, 500])
def test_headers_that_a_setting_names_are_kept_whatever_the_answer(status: int) -> None:
    headers = {**HTML, "server": "nginx", "set-cookie": "secret", "location": "/x"}
    answer = make_response(status, PAGE, headers=headers)
    ended = Crawling(settings=keep("server", "x-cache")).visit(answer)
    assert ended.headers == {"server": "nginx"}


def test_headers_of_a_suspect_are_kept_too() -> None:
    crawling = Crawling(settings=keep("server"), reader=LostReader(Crashed(how="its reader died")))
    answer = make_response(200, PAGE, headers={**HTML, "server": "nginx"})
    ended = asyncio.run(crawling.visit_apart(answer, make_target(crashes=2)))
    assert ended.headers == {"server": "nginx"}


def test_without_a_setting_no_header_is_kept() -> None:
    assert visit(make_response(200, PAGE, headers={**HTML, "server": "nginx"})).headers is None
