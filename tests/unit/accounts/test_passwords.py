"""Which passwords are good enough, and that the dummy costs what real ones cost."""

import pytest
from argon2 import PasswordHasher

from tenax.accounts.passwords import DUMMY, check_password
from tenax.errors import WeakPassword


@pytest.mark.parametrize("password", ["x" * 12, "x" * 256, "long enough ünïcode", "alice liddell!"])
def test_long_enough_is_good_enough(password: str) -> None:
    check_password(password, "alice liddell")


@pytest.mark.parametrize("password", ["", "x" * 11, "x" * 257, "ALICE LIDDELL"])
def test_short_endless_and_ones_own_name_are_not(password: str) -> None:
    with pytest.raises(WeakPassword):
        check_password(password, "alice liddell")


def test_the_dummy_has_the_parameters_of_new_hashes() -> None:
    assert not PasswordHasher().check_needs_rehash(DUMMY)
