from dataclasses import field

import pytest

from tenax.record import record, replace


@record
class Account:
    name: str
    password: str = field(repr=False)


def test_a_record_does_not_show_what_is_not_to_be_shown() -> None:
    assert repr(Account(name="me", password="hush")) == "Account(name='me')"


def test_replacing_a_field_leaves_the_record_as_it_was() -> None:
    before = Account(name="me", password="hush")
    after = replace(before, name="you")
    assert (before.name, after.name, after.password) == ("me", "you", "hush")
    assert replace(after, name="me") == before


def test_a_field_that_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(AttributeError):
        replace(Account(name="me", password="hush"), nme="you")  # type: ignore[call-arg]


@record
class Order:
    item: str
    number: int = 1
    notes: list[str] = field(default_factory=list)


@record
class Gift(Order):
    to: str


@record
class Empty:
    pass


def test_each_record_has_defaults_of_its_own() -> None:
    first, second = Order(item="a"), Order(item="b", number=2)
    first.notes.append("soon")
    assert (first.number, second.number, first.notes, second.notes) == (1, 2, ["soon"], [])


def test_a_record_may_extend_another() -> None:
    order, gift = Order(item="a"), Gift(item="b", to="me", notes=["red"])
    assert (order.item, gift.item, gift.to, gift.notes, gift.number) == ("a", "b", "me", ["red"], 1)
    assert Empty() == Empty()


@pytest.mark.parametrize("values", [{}, {"item": "a", "size": 3}])
def test_a_field_that_is_missing_or_unknown_is_an_error_on_the_first_and_any_call(
    values: dict[str, object],
) -> None:
    @record
    class Fresh:
        item: str

    for _ in range(2):
        with pytest.raises(TypeError, match=r"Fresh\.__init__"):
            Fresh(**values)  # type: ignore[arg-type]


def test_fields_have_names_and_no_order() -> None:
    with pytest.raises(TypeError):
        Order("a")  # type: ignore[call-arg]
