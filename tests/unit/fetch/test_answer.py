import gzip

import pytest

from tenax.fetch.answer import Answer, BodyVerdict, is_html, parse_head
from tenax.fetch.body_budget import BodyBudget
from tenax.records.requests import Request

OK = [b"HTTP/1.1 200 OK\r\n"]
END = [b"\r\n"]


def collect(
    lines: list[bytes],
    pieces: list[bytes],
    *,
    max_bytes: int = 1000,
    html_only: bool = True,
    truncate: bool = False,
    takes_pdf: bool = False,
    url: str = "http://a.example/",
) -> Answer:
    answer = Answer(65_536, BodyBudget(10**9), lambda: None)
    request = Request(url=url, html_only=html_only, truncate=truncate, takes_pdf=takes_pdf)
    answer.begin(request, max_bytes)
    answer.lines.extend(lines)
    for piece in pieces:
        if answer.write(piece) == 0:
            break
    answer.finish(is_complete=True)
    return answer


def with_type(content_type: bytes) -> list[bytes]:
    return [*OK, b"Content-Type: " + content_type + b"\r\n", *END]


def test_headers_are_read_with_names_in_lower_case() -> None:
    head = parse_head([*OK, b"Content-TYPE:  text/html \r\n", b'ETag: "x:y"\r\n', *END])
    assert head == ("1.1", 200, {"content-type": "text/html", "etag": '"x:y"'})


def test_repeated_headers_are_joined() -> None:
    head = parse_head([*OK, b"Link: a\r\n", b"link: b\r\n", *END])
    assert head is not None
    assert head.headers == {"link": "a, b"}


def test_folded_headers_are_joined() -> None:
    head = parse_head([*OK, b"X: a\r\n", b"\t b\r\n", *END])
    assert head is not None
    assert head.headers == {"x": "a b"}


def test_bytes_beyond_ascii_are_kept_as_latin_1() -> None:
    head = parse_head([*OK, "X: ä\x85ö\r\n".encode("latin-1"), *END])
    assert head is not None
    assert head.headers == {"x": "ä\x85ö"}


def test_only_the_final_block_counts() -> None:
    interim = [b"HTTP/1.1 103 Early Hints\r\n", b"Link: a\r\n", *END]
    head = parse_head([*interim, *interim, b"HTTP/1.1 404 Not Found\r\n", b"X: 1\r\n", *END])
    assert head == ("1.1", 404, {"x": "1"})


def test_trailers_do_not_count() -> None:
    head = parse_head([*OK, b"X: 1\r\n", *END, b"X: 2\r\n", b"Location: /evil\r\n"])
    assert head is not None
    assert head.headers == {"x": "1"}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"\r\n"],
        [b"HTTP/1.1 103 Early Hints\r\n", b"\r\n"],
        [b"HTTP/2\r\n", *END],
        [*OK, b"X: 1\r\n"],
        [b"HTTP/1.1 2\xb2\r\n"],
    ],
)
def test_without_a_final_block_there_is_no_head(lines: list[bytes]) -> None:
    assert parse_head(lines) is None


def test_http_2_is_named_by_its_number() -> None:
    assert parse_head([b"HTTP/2 200 \r\n", *END]) == ("2", 200, {})


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/html", True),
        ("Text/HTML; charset=utf-8", True),
        ("application/xhtml+xml", True),
        ("", True),
        ("text/plain", False),
        ("text/htmlx", False),
        ("application/pdf", False),
    ],
)
def test_html_is_recognized_by_its_type(content_type: str, expected: bool) -> None:
    assert is_html(content_type) is expected


def test_a_body_is_joined_from_its_pieces() -> None:
    answer = collect(with_type(b"text/html"), [b"<p>", b"words"])
    assert (answer.body, answer.verdict) == (b"<p>words", BodyVerdict.WHOLE)


def test_a_body_of_another_type_is_not_taken() -> None:
    answer = collect(with_type(b"application/pdf"), [b"%PDF"])
    assert (answer.body, answer.verdict) == (b"", BodyVerdict.UNWANTED)


@pytest.mark.parametrize(
    ("content_type", "path", "pieces"),
    [
        (b"application/pdf", "", [b"%PDF-1.7", b"\0\0"]),
        (b"application/octet-stream", "report.pdf", [b"%", b"PDF-1.7", b"\0"]),
        (b"", "report", [b"%PDF-1.7 \0", b"\0"]),
    ],
)
def test_a_pdf_is_taken_where_pdfs_are_wanted(content_type: bytes, path: str, pieces: list[bytes]) -> None:
    url = f"http://a.example/{path}"
    answer = collect(with_type(content_type), pieces, takes_pdf=True, url=url)
    assert (answer.body, answer.verdict) == (b"".join(pieces), BodyVerdict.WHOLE)
    unwanted = collect(with_type(content_type), pieces, url=url)
    assert (unwanted.body, unwanted.verdict) == (b"", BodyVerdict.UNWANTED)


@pytest.mark.parametrize(
    ("content_type", "path", "start"),
    [
        (b"image/png", "report.pdf", b"\x89PNG"),
        (b"application/octet-stream", "report.pdf", b"PK\x03\x04"),
        (b"application/octet-stream", "setup.exe", b"%PDF-1.7"),
        (b"", "report.pdf", b"plain words"),
    ],
)
def test_what_is_no_pdf_is_not_taken_there(content_type: bytes, path: str, start: bytes) -> None:
    answer = collect(with_type(content_type), [start], takes_pdf=True, url=f"http://a.example/{path}")
    assert (answer.body, answer.verdict) == (b"", BodyVerdict.UNWANTED)


def test_html_is_taken_where_pdfs_are_wanted() -> None:
    assert collect(with_type(b"text/html"), [b"<p>words"], takes_pdf=True).body == b"<p>words"


def test_a_body_of_another_type_is_read_on_request() -> None:
    answer = collect(with_type(b"text/plain"), [b"User-agent: *"], html_only=False)
    assert answer.body == b"User-agent: *"


@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        (b"\n <!doctype html>", BodyVerdict.WHOLE),
        (b"words <b>and</b> words", BodyVerdict.WHOLE),
        (b"plain words", BodyVerdict.UNWANTED),
        (b"\x89PNG\r\n\x1a\n\0\0<", BodyVerdict.UNWANTED),
    ],
)
def test_without_a_type_the_first_bytes_decide(start: bytes, verdict: BodyVerdict) -> None:
    assert collect([*OK, *END], [start]).verdict is verdict


def test_a_body_beyond_the_cap_is_too_large() -> None:
    answer = collect(with_type(b"text/html"), [b"<" * 600, b"<" * 401])
    assert answer.verdict is BodyVerdict.TOO_LARGE


def test_a_body_at_the_cap_is_whole() -> None:
    answer = collect(with_type(b"text/html"), [b"<" * 600, b"<" * 400])
    assert (len(answer.body), answer.verdict) == (1000, BodyVerdict.WHOLE)


def test_a_body_beyond_the_limit_is_truncated_on_request() -> None:
    answer = collect(with_type(b"text/html"), [b"<" * 600, b"<" * 600], truncate=True)
    assert (len(answer.body), answer.verdict) == (1000, BodyVerdict.CUT)


def test_an_errors_body_is_cut_and_no_failure() -> None:
    lines = [b"HTTP/1.1 500 Oops\r\n", *END]
    answer = collect(lines, [b"x" * 16_384] * 10, max_bytes=1_000_000)
    assert (len(answer.body), answer.verdict) == (65_536, BodyVerdict.CUT)


def test_a_redirect_with_an_unknown_encoding_is_still_an_answer() -> None:
    lines = [b"HTTP/1.1 301 Moved\r\n", b"Content-Encoding: br\r\n", b"Location: /b\r\n", *END]
    answer = collect(lines, [b"\x0b\x02"])
    assert answer.verdict is BodyVerdict.CUT
    assert answer.head is not None
    assert answer.head.headers["location"] == "/b"


def test_headers_beyond_their_cap_are_refused() -> None:
    lines = [*OK, *([b"X: " + b"y" * 1000 + b"\r\n"] * 70), *END]
    assert collect(lines, [b"<p>"]).verdict is BodyVerdict.HEADERS_TOO_LARGE


def test_headers_beyond_their_cap_are_refused_without_a_body_too() -> None:
    lines = [*OK, *([b"X: " + b"y" * 1000 + b"\r\n"] * 70), *END]
    assert collect(lines, []).verdict is BodyVerdict.HEADERS_TOO_LARGE


def test_an_encoded_body_without_bytes_is_whole() -> None:
    lines = [*OK, b"Content-Encoding: gzip\r\n", *END]
    answer = collect(lines, [])
    assert (answer.body, answer.verdict) == (b"", BodyVerdict.WHOLE)


def test_a_body_in_countless_pieces_is_refused() -> None:
    answer = collect(with_type(b"text/html"), [b"<"] * 200_000, max_bytes=1_000_000)
    assert (len(answer.body), answer.verdict) == (100_001, BodyVerdict.TOO_LARGE)


def test_bytes_that_decode_to_nothing_do_not_come_for_ever() -> None:
    lines = [*with_type(b"text/html")[:-1], b"Content-Encoding: gzip\r\n", *END]
    # After the first member comes junk, which is dropped.
    answer = collect(lines, [gzip.compress(b"<p>"), *([b"x" * 16_384] * 10)])
    assert answer.verdict is BodyVerdict.TOO_LARGE


def test_a_body_without_a_final_header_block_is_refused() -> None:
    answer = collect([b"HTTP/1.1 101 Switching\r\n", *END], [b"<p>"])
    assert answer.verdict is BodyVerdict.NO_HEAD


def test_an_answer_can_be_collected_after_another() -> None:
    answer = collect(with_type(b"text/html"), [b"<p>first"])
    answer.begin(Request(url="http://a.example/"), 1000)
    answer.lines.extend(with_type(b"text/html"))
    answer.write(b"<p>second")
    answer.finish(is_complete=True)
    assert answer.body == b"<p>second"
