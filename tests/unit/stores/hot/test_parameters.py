from tenax.stores.hot.parameters import to_postgres


def test_marks_without_numbers_are_numbered_in_their_order() -> None:
    assert (
        to_postgres("UPDATE t SET a = ?, b = ? WHERE id = ?") == "UPDATE t SET a = $1, b = $2 WHERE id = $3"
    )


def test_marks_with_numbers_keep_them() -> None:
    assert to_postgres("SELECT ?2 WHERE a = ?1 OR b = ?2") == "SELECT $2 WHERE a = $1 OR b = $2"


def test_more_than_nine_marks_are_told_apart() -> None:
    assert to_postgres(", ".join("?" * 11)).endswith("$10, $11")
    assert to_postgres("?1, ?11") == "$1, $11"


def test_a_statement_without_parameters_stays_as_it_is() -> None:
    assert to_postgres("SELECT 1") == "SELECT 1"
