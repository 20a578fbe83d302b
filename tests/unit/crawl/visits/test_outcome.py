"""From an answer to the outcome of a visit."""

import asyncio
from dataclasses import replace
from typing import Any

import orjson
import pytest
import zstandard

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.fetch import ExtractSettings
from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.reading.isolation import Crashed, IsolatedReader, Loss, OverLimit, Undecided
from tenax.crawl.reading.messages import ReadRequest
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.errors import DocumentTooLarge
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
from tests.support.clock import START
from tests.support.crawling import HTML, NoWatch, make_domain, make_failure, make_response, make_target

SETTINGS = Settings()
PAGE = b"<!doctype html><title>T</title><p>Words. <a href=/x>x</a><a href=http://b.test/>b</a>"


def make_visitor(profile: ExtractionProfile = WHOLE_PAGE) -> OutcomeBuilder:
    scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeKind.DOMAIN, ["http://a.test/"]))
    return OutcomeBuilder(settings=SETTINGS, admission=Admission(scope), watch=NoWatch(), profile=profile)


def visit(
    answer: Response | Failure,
    *,
    target: Target | None = None,
    domain: LeasedDomain | None = None,
    profile: ExtractionProfile = WHOLE_PAGE,
) -> Visit:
    visitor = make_visitor(profile)
    return visitor.conclude(domain or make_domain(), target or make_target(), answer, START)


def conclude(answer: Response | Failure, **fields: Any) -> Outcome:
    return visit(answer, target=make_target(**fields)).outcome


def test_a_page_is_fetched_with_its_links() -> None:
    outcome = conclude(make_response(200, PAGE))
    assert isinstance(outcome, Fetched)
    assert (outcome.page.title, outcome.content_type) == ("T", "text/html")
    links = orjson.loads(zstandard.decompress(outcome.page.links))
    assert [link[0] for link in links] == ["http://a.test/x", "http://b.test/"]


def test_only_links_in_scope_are_discovered() -> None:
    assert [url.url for url in visit(make_response(200, PAGE)).discovered] == ["http://a.test/x"]


def test_the_url_that_is_being_read_is_noted() -> None:
    watch = NoWatch()
    scope = Scope.build(ScopeSettings(), LimitSettings(), Roots(ScopeKind.DOMAIN, ["http://a.test/"]))
    visitor = OutcomeBuilder(settings=SETTINGS, admission=Admission(scope), watch=watch)
    visitor.conclude(make_domain(), make_target(id=9), make_response(200, PAGE), START)
    assert watch.readings == [9, 0]


def test_validators_are_kept_for_the_next_visit() -> None:
    headers = {**HTML, "etag": '"1"', "last-modified": "Mon, 06 Jan 2025 10:00:00 GMT"}
    outcome = conclude(make_response(200, PAGE, headers=headers))
    assert isinstance(outcome, Fetched)
    assert (outcome.etag, outcome.last_modified) == ('"1"', "Mon, 06 Jan 2025 10:00:00 GMT")


FORM = b"<!doctype html><p>Please log in.</p><input type=password>"


def is_login_form(body: bytes, before: bytes, profile: ExtractionProfile = WHOLE_PAGE) -> bool:
    """Whether a page is one, after another page."""
    domain = make_domain()
    domain.take_in(visit(make_response(200, before), domain=domain, profile=profile), START)
    target = make_target(id=2)
    outcome = visit(make_response(200, body), domain=domain, target=target, profile=profile).outcome
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


def unpack_text(ended: Visit) -> bytes:
    assert isinstance(ended.outcome, Fetched)
    return zstandard.decompress(ended.outcome.page.text)


def test_a_document_is_read_alike_in_another_process() -> None:
    visitor = make_visitor(PRICE)
    answer = make_response(200, b"<p>It costs <b class=price>9</b>.")
    here = visitor.conclude(make_domain(), make_target(), answer, START)

    there = asyncio.run(conclude_apart(visitor, make_target(), answer))
    assert unpack_text(here) == unpack_text(there) == b"9"
    assert isinstance(here.outcome, Fetched)
    assert isinstance(there.outcome, Fetched)
    assert replace(here.outcome.page, unpacked_bytes=0) == replace(there.outcome.page, unpacked_bytes=0)
    assert replace(here.outcome, page=there.outcome.page) == there.outcome


async def conclude_apart(visitor: OutcomeBuilder, target: Target, answer: Response) -> Visit:
    async with visitor.reader:
        order, bare = visitor.order(target, answer), replace(answer, body=b"")
        return await visitor.conclude_apart(make_domain(), target, bare, order, START)


@pytest.mark.parametrize(
    ("header", "reason"),
    [("noindex", RefusalReason.NOINDEX), ("nofollow", None), ("none", RefusalReason.NOINDEX)],
)
def test_what_a_page_asks_for_is_heard_in_another_process(header: str, reason: RefusalReason | None) -> None:
    answer = make_response(200, PAGE, headers={**HTML, "x-robots-tag": header})
    here = make_visitor().conclude(make_domain(), make_target(), answer, START)
    there = asyncio.run(conclude_apart(make_visitor(), make_target(), answer))
    assert here.discovered == there.discovered
    assert (getattr(here.outcome, "reason", None), getattr(there.outcome, "reason", None)) == (reason, reason)


def test_a_document_that_is_too_large_for_a_worker_is_no_outcome_yet() -> None:
    watch = NoWatch()
    visitor = replace(make_visitor(), memory_bytes=20_000_000, watch=watch)
    with pytest.raises(DocumentTooLarge):
        visitor.conclude(make_domain(), make_target(), make_response(200, b"<br>a" * 60_000), START)


class LostReader(IsolatedReader):
    """Its processes end in one way."""

    def __init__(self, lost: Loss) -> None:
        super().__init__()
        self._lost = lost

    async def read(self, order: ReadRequest) -> Loss:
        return self._lost


def conclude_loss(lost: Loss, attempts: int, crashes: int = 2) -> Failed:
    visitor = replace(make_visitor(), reader=LostReader(lost))
    target = make_target(crashes=crashes, attempts=attempts)
    outcome = asyncio.run(conclude_apart(visitor, target, make_response(200, PAGE))).outcome
    assert isinstance(outcome, Failed)
    return outcome


def test_a_document_that_crashed_its_reader_is_never_tried_again() -> None:
    failed = conclude_loss(Crashed(how="its reader died of SIGSEGV"), attempts=0)
    assert (failed.kind, failed.retry_at) == (FailureKind.CRASH, None)
    assert failed.detail == "a worker died while it read it, and then its reader died of SIGSEGV"


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
    outcome = visit(make_response(status), domain=resting_domain()).outcome
    assert isinstance(outcome, Failed)
    assert (outcome.retry_at, outcome.counts_as_attempt) == (START + 60, counts)


def test_a_url_that_is_busy_again_and_again_is_given_up() -> None:
    ended = visit(make_response(503), target=make_target(attempts=3), domain=resting_domain())
    assert isinstance(ended.outcome, Failed)
    assert ended.outcome.retry_at is None


def test_a_rate_limit_never_gives_a_url_up() -> None:
    ended = visit(make_response(429), target=make_target(attempts=9), domain=resting_domain())
    assert isinstance(ended.outcome, Failed)
    assert ended.outcome.retry_at == START + 60


def test_a_single_forbidden_page_is_final() -> None:
    outcome = conclude(make_response(403))
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.retry_at) == (FailureKind.FORBIDDEN, None)


def keep(*names: str) -> OutcomeBuilder:
    extract = SETTINGS.extract.model_copy(update={"response_headers": names})
    return replace(make_visitor(), settings=SETTINGS.model_copy(update={"extract": extract}))


@pytest.mark.parametrize("status", [200, 301, 404, 500])
def test_headers_that_a_setting_names_are_kept_whatever_the_answer(status: int) -> None:
    headers = {**HTML, "server": "nginx", "set-cookie": "secret", "location": "/x"}
    answer = make_response(status, PAGE, headers=headers)
    ended = keep("server", "x-cache").conclude(make_domain(), make_target(), answer, START)
    assert ended.headers == {"server": "nginx"}


def test_headers_of_a_suspect_are_kept_too() -> None:
    visitor = replace(keep("server"), reader=LostReader(Crashed(how="its reader died")))
    answer = make_response(200, PAGE, headers={**HTML, "server": "nginx"})
    target = make_target(crashes=2)
    order = visitor.order(target, answer)
    ended = asyncio.run(visitor.conclude_apart(make_domain(), target, answer, order, START))
    assert ended.headers == {"server": "nginx"}


def test_without_a_setting_no_header_is_kept() -> None:
    assert visit(make_response(200, PAGE, headers={**HTML, "server": "nginx"})).headers is None
