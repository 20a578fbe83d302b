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
