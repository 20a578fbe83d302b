"""Which answers are pages: every signature has a positive example, and is silent about ordinary pages."""

from collections.abc import Mapping

import pytest

from tenax.config.crawl import ValidationSettings
from tenax.config.fetch import ExtractSettings
from tenax.discover.links import find_links
from tenax.errors import ConfigError
from tenax.extract.page import extract_page
from tenax.extract.profile import ExtractionProfile
from tenax.extract.signatures import SHORT_CHARS, load_signatures
from tenax.extract.validation import AnswerFacts, Rejection, Validator, name_vendor
from tenax.records.urls import RejectionReason, ValidationStatus
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs
from tests.support.ordinary_pages import list_pages
from tests.support.walls import WALLS, Wall, in_article

ORDINARY = dict(list_pages())


def judge(
    body: bytes | str,
    headers: Mapping[str, str] | None = None,
    profile: ExtractionProfile | None = None,
    **settings: object,
) -> Rejection | None:
    validator = Validator.build(ValidationSettings.model_validate(settings))
    if validator is None:
        return None
    data = body.encode() if isinstance(body, str) else body
    document = parse_document(data, url="https://a.test/page", content_type="text/html; charset=utf-8")
    links = find_links(document, 1000, Hrefs())
    profile = profile or ExtractionProfile()
    content = extract_page(document, profile=profile)
    return validator.validate(
        AnswerFacts(body=data, headers=headers or {}, links=len(links)), document, content, profile
    )


# --- signatures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: f"{wall.signature}: {wall.title}")
def test_a_wall_is_recognized(wall: Wall) -> None:
    found = judge(wall.body, wall.headers)
    assert found is not None
    assert found.signature == wall.signature


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: f"{wall.signature}: {wall.title}")
def test_an_article_that_quotes_a_wall_is_a_page(wall: Wall) -> None:
    assert judge(in_article(wall)) is None


def test_every_signature_has_an_example() -> None:
    assert load_signatures().names == {wall.signature for wall in WALLS}


def test_signatures_are_lower_case_where_they_are_compared_so() -> None:
    for signature in load_signatures().items:
        words = (*signature.titles, *signature.text, *signature.text_too, *signature.text_is)
        assert [word for word in words if word != word.casefold()] == [], signature.name
        assert [marker for marker in signature.html if marker != marker.lower()] == [], signature.name


def test_a_signature_of_long_texts_can_be_found_by_title_or_header() -> None:
    """Others are looked for in short texts only."""
    for signature in load_signatures().items:
        if signature.most_chars > SHORT_CHARS:
            assert signature.titles or signature.headers, signature.name


def test_every_signature_needs_a_short_text() -> None:
    assert max(signature.most_chars for signature in load_signatures().items) <= 6000


# --- ordinary pages -----------------------------------------------------------------------------------


def test_there_are_enough_ordinary_pages() -> None:
    assert len(ORDINARY) >= 200


def test_ordinary_pages_are_accepted() -> None:
    rejected = {
        name: found.signature for name, html in ORDINARY.items() if (found := judge(html)) is not None
    }
    assert rejected == {}


def test_ordinary_pages_of_protected_sites_are_accepted() -> None:
    """Vendors mark every answer, not only their walls."""
    headers = {
        "server": "cloudflare",
        "cf-ray": "7d1c-FRA",
        "x-datadome": "protected",
        "x-iinfo": "8-1-1",
        "x-sucuri-id": "14005",
        "x-amz-cf-id": "1",
        "set-cookie": "_px3=1; __cf_bm=2; incap_ses_1=3; aws-waf-token=4",
    }
    rejected = {
        name: found.signature
        for name, html in ORDINARY.items()
        if (found := judge(html, headers)) is not None
    }
    assert rejected == {}


# --- rules --------------------------------------------------------------------------------------------


def test_a_document_that_holds_only_scripts_needs_rendering() -> None:
    found = judge("<title>App</title><div id=root></div><script src=a.js></script>")
    assert found is not None
    assert (found.signature, found.reason) == ("reject_scripts_only", RejectionReason.NEEDS_RENDERING)
    assert found.status is ValidationStatus.SOFT


def test_scripts_only_may_be_accepted() -> None:
    assert judge("<div id=root></div><script src=a.js></script>", reject_scripts_only=False) is None


@pytest.mark.parametrize(("min_bytes", "is_page"), [(0, True), (12, True), (13, False), (500, False)])
def test_small_documents_are_rejected_on_request(min_bytes: int, is_page: bool) -> None:
    assert (judge("<p>Hello</p>", min_bytes=min_bytes) is None) is is_page


def test_documents_without_paragraphs_are_rejected_on_request() -> None:
    found = judge("<div>Hello</div>", require_paragraphs=True)
    assert found is not None
    assert (found.signature, found.status) == ("require_paragraphs", ValidationStatus.SOFT)
    assert judge("<p>Hello</p>", require_paragraphs=True) is None


def test_an_ignored_signature_does_not_match() -> None:
    wall = next(wall for wall in WALLS if wall.signature == "nginx_default")
    assert judge(wall.body, ignore=("nginx_default",)) is None


def test_an_unknown_signature_cannot_be_ignored() -> None:
    with pytest.raises(ConfigError, match="There is no signature 'nonsense'"):
        judge("", ignore=("nonsense",))


def test_nothing_is_rejected_when_validation_is_off() -> None:
    assert all(judge(wall.body, wall.headers, enabled=False) is None for wall in WALLS)


def test_the_whole_text_counts_when_a_profile_selects_a_part() -> None:
    wall = next(wall for wall in WALLS if wall.signature == "wordpress_database")
    profile = ExtractionProfile.build(ExtractSettings(only=("h1",)))
    assert judge(in_article(wall).replace("What it means", wall.title), profile=profile) is None


# --- verdicts -------------------------------------------------------------------------------------------


def test_a_verdict_says_what_matched() -> None:
    found = judge(next(wall.body for wall in WALLS if wall.signature == "cloudflare_challenge"))
    assert found == Rejection(
        reason=RejectionReason.BOT_CHECK,
        signature="cloudflare_challenge",
        detail="Cloudflare checks the browser",
        vendor="Cloudflare",
    )
    assert found.status is ValidationStatus.HARD


def test_the_vendor_of_an_error_is_named() -> None:
    assert name_vendor({"cf-mitigated": "challenge"}, b"") == "Cloudflare"
    assert name_vendor({}, b"<p>https://Errors.EdgeSuite.net/18.2d</p>") == "Akamai"


def test_an_ordinary_error_has_no_vendor() -> None:
    assert name_vendor({"server": "nginx"}, b"<h1>403 Forbidden</h1><a href=/forti>fortified</a>") is None


def test_hostile_documents_are_judged_in_bounded_time() -> None:
    """Only the beginning of a document is searched."""
    assert judge("<script>" + "enable javascript " * 100_000 + "</script><p>Hello") is None
