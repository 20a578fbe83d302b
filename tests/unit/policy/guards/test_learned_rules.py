"""Parts of addresses that change nothing are found by comparing pages, and one difference is enough."""

from tenax.policy.guards.learned_rules import MOST_COMPARED, PAIR_BYTES, PartComparison, parse_ignored

A = "https://a.example"


def compare(*pages: tuple[str, int]) -> set[str]:
    """What is learned from pages: (path, hash of the text)"""
    comparison = PartComparison()
    return {name for path, text in pages for name, _ in comparison.note(A + path, text)}


def test_a_parameter_that_changes_nothing_is_learned() -> None:
    pages = [(f"/item/{item}?tok={token}", item) for item in range(3) for token in "abc"]
    assert compare(*pages) == {"/item?tok=*"}


def test_other_parameters_may_differ() -> None:
    pages = [(f"/list?page={page}&tok={page}{token}", page) for page in range(3) for token in "abc"]
    assert compare(*pages) == {"/list?tok=*"}


def test_a_parameter_that_made_a_difference_once_means_something() -> None:
    same = [(f"/item/{item}?page={page}", item) for item in range(9) for page in range(3)]
    assert compare(("/item/a?page=1", 100), ("/item/a?page=2", 101), *same) == set()
    assert compare(("/list?page=1", 100), ("/list?page=2", 101), *same) == set()


def test_one_place_needs_more_comparisons() -> None:
    pages = [(f"/?tok={token}", 1) for token in range(13)]
    assert compare(*pages[:12]) == set()
    assert compare(*pages) == {"/?tok=*"}


def test_an_id_in_the_path_that_changes_nothing_is_learned() -> None:
    pages = [(f"/u/{token}{'a1' * 6}/item/{item}", item) for item in range(3) for token in range(3)]
    assert compare(*pages) == {"/u/{id}/*"}


def test_numbers_in_the_path_are_not_compared() -> None:
    assert compare(*[(f"/u/{number}/item", 1) for number in range(50)]) == set()


def test_what_is_remembered_is_bounded() -> None:
    comparison = PartComparison()
    for number in range(3 * MOST_COMPARED):
        comparison.note(f"{A}/item/{number}?tok={number}", number)
    assert comparison.weight_bytes <= 2 * PAIR_BYTES * MOST_COMPARED


def test_names_of_rules_say_what_they_ignore() -> None:
    assert parse_ignored("/item?tok=*") == ("/item", "tok")
    assert parse_ignored("/u/{id}/*") == ("/u", None)
    assert parse_ignored("/{id}/*") == ("/", None)
    assert parse_ignored("/shop?*") is None
    assert parse_ignored("/s/{id}") is None
