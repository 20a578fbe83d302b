"""Lines of seed lists: what they mean, and what is wrong with them."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.cli.seeds.lines import MAX_RANK, BadLine, SeedLines
from tenax.records.urls import ListedSeed
from tenax.web.addresses import MAX_CHARS
from tenax.web.urls import parse_url


def read(*lines: str | None) -> list[ListedSeed | BadLine]:
    return list(SeedLines().read_all(lines))


def read_one(line: str) -> tuple[str, int | None]:
    (found,) = read(line)
    assert isinstance(found, ListedSeed), found
    return found.url, found.rank


any_line = st.one_of(
    st.text(max_size=60),
    st.from_regex(r"[0-9]{0,12},?[a-zA-Z0-9.:/\"',-]{0,40}", fullmatch=True),
    st.sampled_from(["domain", "rank,domain", '"', '1,"', "GlobalRank,Domain", "://", "1,2,3"]),
)


@given(st.lists(any_line, max_size=6))
def test_whatever_stands_in_a_list_it_is_read_line_by_line(lines: list[str]) -> None:
    reader = SeedLines()
    found = list(reader.read_all(lines))
    assert reader.number == len(lines)
    for each in found:
        if isinstance(each, ListedSeed):
            assert parse_url(each.url) == each.url
            assert len(each.url) <= MAX_CHARS
            assert each.rank is None or 1 <= each.rank <= MAX_RANK
        else:
            assert 1 <= each.number <= len(lines)
            str(each).encode()


@given(any_line)
def test_what_a_line_means_is_a_line_that_means_the_same(line: str) -> None:
    for found in read(line):
        if isinstance(found, ListedSeed):
            assert read_one(found.url) == (found.url, None)
