from dataclasses import field

from tenax.values import record


@record(frozen=True, slots=True, kw_only=True)
class Account:
    name: str
    password: str = field(repr=False)


def test_a_record_does_not_show_what_is_not_to_be_shown() -> None:
    assert repr(Account(name="me", password="hush")) == "Account(name='me')"
