import pytest

from tenax.stores.copy.base import Row
from tenax.stores.copy.rows import SHAPES, Digest, free_rows
from tenax.stores.schema.ddl import metadata

AT = 1000.0
BY_NAME = {shape.name: shape for shape in SHAPES}


def make_row(table: str, **values: object) -> Row:
    return tuple(values.get(column) for column in BY_NAME[table].columns)


def free(table: str, row: Row) -> dict[str, object]:
    (freed,) = free_rows(BY_NAME[table], [row], AT)
    return dict(zip(BY_NAME[table].columns, freed, strict=True))


def test_every_table_is_copied_except_those_about_the_store_or_counted_again() -> None:
    assert {*BY_NAME, "copies", "sessions", "store_clock", "receipts", "guess_budgets"} == set(
        metadata.tables
    )


def test_a_free_domain_stays_as_it_is() -> None:
    row = make_row("domains", id=1, name="a.test", version=3, avail_at=5.0, last_start_at=4.0)
    assert free_rows(BY_NAME["domains"], [row], AT) == [row]


def test_a_leased_domain_is_free_and_rests_from_the_beginning_of_the_copy() -> None:
    held = {"claimed_by": 7, "claim_expires_at": 1060.0, "version": 3, "last_start_at": 990.0}
    freed = free("domains", make_row("domains", id=1, is_active=1, **held))
    assert (freed["claimed_by"], freed["claim_expires_at"], freed["version"]) == (None, None, 4)
    assert (freed["last_start_at"], freed["last_answer_at"], freed["avail_at"]) == (AT, AT, AT)


def test_a_leased_domain_that_is_inactive_stays_so_in_the_copy() -> None:
    freed = free("domains", make_row("domains", id=1, claimed_by=7, version=3, is_active=0, rule_delay_s=4.0))
    assert (freed["claimed_by"], freed["avail_at"], freed["is_active"], freed["rule_delay_s"]) == (
        None,
        None,
        0,
        4.0,
    )


def test_a_later_sign_of_a_request_counts() -> None:
    row = make_row("domains", id=1, claimed_by=7, version=3, last_start_at=AT + 1, last_answer_at=AT + 2)
    freed = free("domains", row)
    assert (freed["last_start_at"], freed["last_answer_at"]) == (AT + 1, AT + 2)


def test_a_worker_without_an_end_has_ended() -> None:
    assert free("workers", make_row("workers", id=1, uuid="u"))["ended_at"] == AT
    assert free("workers", make_row("workers", id=1, uuid="u", ended_at=5.0))["ended_at"] == 5.0


def test_a_digest_does_not_depend_on_the_order_or_the_chunks() -> None:
    rows: list[Row] = [(1, "a", None, 0.5), (2, "b", b"\0\xff", -1.5), (3, "ü\0", b"", 2.0)]
    assert Digest().plus(rows) == Digest().plus(rows[2:]).plus(rows[:2])


def test_a_digest_does_not_depend_on_which_strings_are_shared() -> None:
    built = "".join(["fet", "ched"])
    assert Digest().plus([("fetched", "fetched")]) == Digest().plus([(built, "fetch" + built[-2:])])


@pytest.mark.parametrize(
    "other", [(1, "a", 0.5), (1, "b", 0.25), (1, None, 0.5), (1, b"b", 0.5), (2, "b", 0.5)]
)
def test_a_digest_distinguishes_rows(other: Row) -> None:
    assert Digest().plus([(1, "b", 0.5)]) != Digest().plus([other])


def test_a_row_that_is_there_twice_is_not_overlooked() -> None:
    assert Digest().plus([(1,), (1,)]) != Digest().plus([(2,), (2,)])
    assert Digest().plus([(1,), (1,)]) != Digest()
