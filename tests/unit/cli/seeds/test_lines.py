"""Lines of seed lists: what they mean, and what is wrong with them."""

import pytest

from tenax.cli.seeds.lines import MAX_RANK, BadLine, SeedLines
from tenax.records.urls import ListedSeed
from tenax.web.addresses import MAX_CHARS


def read(*lines: str | None) -> list[ListedSeed | BadLine]:
    return list(SeedLines().read_all(lines))


def read_one(line: str) -> tuple[str, int | None]:
    (found,) = read(line)
    assert isinstance(found, ListedSeed), found
    return found.url, found.rank


def complain(line: str | None) -> str:
    (found,) = read(line)
    assert isinstance(found, BadLine), found
    return found.reason


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("https://a.test/x?b=1", "https://a.test/x?b=1"),
        ("http://a.test", "http://a.test/"),
        ("a.test", "https://a.test/"),
        ("A.Test.", "https://a.test/"),
        ("www.a.test", "https://www.a.test/"),
        ("  a.test\r\n", "https://a.test/"),
        ("a.test:8080", "https://a.test:8080/"),
        ("a.test:443", "https://a.test/"),
        ("a.test/deep,er", "https://a.test/deep,er"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("localhost", "http://localhost/"),
        ("shop.localhost:8000/a", "http://shop.localhost:8000/a"),
        ("127.0.0.1:8123", "http://127.0.0.1:8123/"),
        ("[::1]:8123", "http://[::1]:8123/"),
        ("localhost:8000?a=b", "http://localhost:8000/?a=b"),
        ("example.com:80/a", "http://example.com/a"),
        ("example.com:8080", "https://example.com:8080/"),
        ("127.example.com", "https://127.example.com/"),
        ("10.0.0.1", "https://10.0.0.1/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("https://user:secret@a.test/", "https://a.test/"),
    ],
)
def test_a_plain_line_is_an_address(line: str, url: str) -> None:
    assert read_one(line) == (url, None)


@pytest.mark.parametrize(
    ("line", "url", "rank"),
    [
        ("1,a.test", "https://a.test/", 1),
        ("12 , a.test", "https://a.test/", 12),
        ('"3","a.test"', "https://a.test/", 3),
        ("4,a.test,extra,columns", "https://a.test/", 4),
        ("5,https://a.test/x,y", "https://a.test/x,y", 5),
        (f"{MAX_RANK},a.test", "https://a.test/", MAX_RANK),
    ],
)
def test_a_line_of_a_rank_list_has_a_rank_and_a_name(line: str, url: str, rank: int) -> None:
    assert read_one(line) == (url, rank)


def test_columns_are_found_by_their_names() -> None:
    header = "GlobalRank,TldRank,Domain,TLD,RefSubNets,RefIPs"
    assert read(header, "1,7,a.test,test,4,5", "2,8,b.test,test,4,5") == [
        ListedSeed(url="https://a.test/", rank=1),
        ListedSeed(url="https://b.test/", rank=2),
    ]


def test_columns_may_be_named_in_any_order_and_case_and_without_a_rank() -> None:
    assert read("Category,DOMAIN", 'news,"a.test"') == [ListedSeed(url="https://a.test/")]


def test_a_header_may_follow_comments() -> None:
    assert read("# a list", "", "rank,domain", "9,a.test") == [ListedSeed(url="https://a.test/", rank=9)]


def test_a_row_with_too_few_columns_is_bad() -> None:
    assert read("GlobalRank,TldRank,Domain", "1,2") == [
        BadLine(number=2, text="1,2", reason="has too few columns")
    ]


@pytest.mark.parametrize("line", ["", "   ", "# a.test", "\t# a.test"])
def test_empty_lines_and_comments_hold_nothing(line: str) -> None:
    assert read(line) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not an address", "is not a web address; write it like https://example.com/"),
        ("word", "is not a web address; write it like https://example.com/"),
        ("7,com", "is not a web address; write it like https://example.com/"),
        ("ftp://a.test/", "does not start with http:// or https://"),
        ("a\0.test", "contains control characters"),
        ("a\udcff.test", "is not UTF-8 text"),
        ("https://a.test/" + "x" * MAX_CHARS, "is longer than 2,000 characters"),
        ("https://a.test/" + "ü" * 500, "is longer than 2,000 characters"),
        (f"{'a' * 60}." * 5 + "test", "is not a web address; write it like https://example.com/"),
        ("0,a.test", "has no rank between 1 and 2,147,483,647"),
        (f"{2**31},a.test", "has no rank between 1 and 2,147,483,647"),
        ("9" * 5000 + ",a.test", "has no rank between 1 and 2,147,483,647"),
        ("1,", "is not a web address; write it like https://example.com/"),
        (None, "is longer than 2,000 characters"),
    ],
)
def test_a_bad_line_says_what_is_wrong(line: str | None, reason: str) -> None:
    assert complain(line) == reason


def test_a_bad_line_is_named_by_its_number_and_its_beginning() -> None:
    found = read("a.test", "", "# b", "x" * 500)
    assert str(found[1]) == f"line 4: '{'x' * 80}' is not a web address; write it like https://example.com/"


def test_a_rank_from_elsewhere_counts_unless_the_line_has_one() -> None:
    lines = SeedLines()
    assert lines.read("a.test", 7) == ListedSeed(url="https://a.test/", rank=7)
    assert lines.read("3,a.test", 7) == ListedSeed(url="https://a.test/", rank=3)
