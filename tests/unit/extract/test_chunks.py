import pytest

from tenax.errors import UsageError
from tenax.extract.chunks import Chunk, ChunkSizes, check_sizes, split_markdown

URL = "https://a.example/guide"
SMALL = ChunkSizes(target=60, most=200)

GUIDE = """Intro.

# Guide

## Install

Get it.

### Linux & *BSD*

Use `apt`.

## Use

Run it.
"""


def split(markdown: str, sizes: ChunkSizes = ChunkSizes(), url: str = URL) -> list[Chunk]:
    return split_markdown(markdown, url, sizes)


def test_chunks_have_the_path_of_their_headings() -> None:
    assert [(chunk.path, chunk.text) for chunk in split(GUIDE)] == [
        ("", "Intro."),
        ("Guide > Install", "## Install\n\nGet it."),
        ("Guide > Install > Linux & BSD", "### Linux & *BSD*\n\nUse `apt`."),
        ("Guide > Use", "## Use\n\nRun it."),
    ]


def test_a_heading_with_nothing_below_it_is_a_chunk() -> None:
    assert [chunk.text for chunk in split("# One\n\n# Two\n")] == ["# One", "# Two"]


def test_an_id_stays_when_other_parts_of_the_page_change() -> None:
    changed = GUIDE.replace("Get it.", "Fetch it.").replace("Intro.", "Hello.\n\nWorld.")
    before, after = ({chunk.path: chunk.id for chunk in split(text)} for text in (GUIDE, changed))
    assert before["Guide > Use"] == after["Guide > Use"]
    assert before["Guide > Install"] != after["Guide > Install"]


def test_an_id_belongs_to_a_page() -> None:
    assert split("x")[0].id != split("x", url="https://a.example/other")[0].id
    ways = [f"https://a.example/guide?{query}" for query in ("a=1&b=2", "b=2&a=1")]
    assert split("x", url=ways[0])[0].id == split("x", url=ways[1])[0].id


def test_equal_chunks_are_numbered() -> None:
    first, second, third = split("## A\n\nx\n\n## A\n\nx\n\n## A\n\nx\n")
    assert (second.id, third.id) == (f"{first.id}-2", f"{first.id}-3")


def test_blocks_are_put_together_up_to_the_target() -> None:
    markdown = "\n\n".join(["word " * 5 + "."] * 6)
    assert [chunk.text.count("\n\n") for chunk in split(markdown, SMALL)] == [1, 1, 1]


def test_what_belongs_together_is_not_cut() -> None:
    code = "```py\n# no heading\n\na = 1\n```"
    items = "- one\n\n  more\n\n- two"
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    texts = [chunk.text for chunk in split(f"{code}\n\n{items}\n\n{table}\n", ChunkSizes(target=1, most=200))]
    assert texts == [code, items, table]


def test_code_in_a_list_is_no_heading() -> None:
    assert len(split("- one\n\n  ```\n  # x\n\n# y\n  ```\n\nend\n")) == 1


def test_what_is_too_large_is_cut_with_its_frame_repeated() -> None:
    code = "```py\n" + "x = 1\n" * 100 + "```"
    rows = "| a | b |\n| --- | --- |\n" + "\n".join(f"| {n} | x |" for n in range(60))
    for block, begin in ((code, "```py\nx = 1"), (rows, "| a | b |\n| --- | --- |\n| ")):
        texts = [chunk.text for chunk in split(block, SMALL)]
        assert len(texts) > 2
        assert all(text.startswith(begin) and len(text) <= SMALL.most for text in texts)
    assert sum(text.text.count("| x |") for text in split(rows, SMALL)) == 60


def test_a_long_paragraph_is_cut_between_words() -> None:
    words = [f"w{number}" for number in range(300)]
    chunks = split(" ".join(words), SMALL)
    assert all(len(chunk.text) <= SMALL.most for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks).split() == words


def test_a_word_without_end_is_cut() -> None:
    assert [len(chunk.text) for chunk in split("x" * 450, SMALL)] == [200, 200, 50]


def test_chunks_may_overlap_within_a_section() -> None:
    sizes = ChunkSizes(target=60, most=200, overlap=20)
    plain, overlapping = split("a b c d " * 60, SMALL), split("a b c d " * 60, sizes)
    assert all(len(chunk.text) <= 200 for chunk in overlapping)
    assert overlapping[1].text.startswith("b c d a") or overlapping[1].text[0] in "abcd"
    assert "\n\n" in overlapping[1].text
    assert len(overlapping) >= len(plain)


def test_nothing_has_no_chunks() -> None:
    assert split("") == []


@pytest.mark.parametrize(
    "sizes",
    [ChunkSizes(most=10), ChunkSizes(target=5000), ChunkSizes(target=0), ChunkSizes(overlap=2000)],
)
def test_sizes_that_make_no_sense_are_refused(sizes: ChunkSizes) -> None:
    with pytest.raises(UsageError):
        check_sizes(sizes)
