"""Users, on both databases."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from tenax.accounts.build import Accounts
from tenax.accounts.logins import LoginClient
from tenax.accounts.permissions import Role, TokenScope
from tenax.errors import (
    AccountError,
    AdministratorExists,
    BadName,
    LastAdministrator,
    NameTaken,
    NoSuchUser,
    StoreError,
    WeakPassword,
)
from tenax.stores.accounts.users import UserFilter
from tenax.stores.paging import SliceRequest
from tests.support.accounts import OPERATOR, PASSWORD, add_user, hash_fast, open_test_accounts, read_audit
from tests.support.clock import FakeClock
from tests.support.store import SharedStore

pytestmark = pytest.mark.usefixtures("runner", "fast_hashes")

BY_NAME = SliceRequest(key="name", is_descending=False, after=None, limit=100)


@pytest.fixture
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


async def settle(*orders: Awaitable[Any]) -> list[Any]:
    """What became of orders that were given at once: results, and refusals."""
    found = await asyncio.gather(*orders, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException) and not isinstance(each, AccountError):
            raise each
    return found


async def list_names(accounts: Accounts, **only: str) -> list[str]:
    found = await accounts.users.list(BY_NAME, UserFilter(**only))
    return [user.name for user in found.items]


async def test_a_user_is_found_by_its_name_in_any_case(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        added = await add_user(accounts, "Zoë Strauß")
        assert await accounts.users.find("zoË STRAUSS") == added
        assert (added.role, added.created_at, added.is_enabled) == ("admin", clock.now(), True)


@pytest.mark.parametrize("name", ["alice", "ALICE", "ａｌｉｃｅ"])
async def test_a_name_is_given_once(shared: SharedStore, clock: FakeClock, name: str) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts, "Alice")
        with pytest.raises(NameTaken):
            await add_user(accounts, name)


@pytest.mark.parametrize("name", ["", " alice", "al\nice", "a\x00", "\u202ealice", "x" * 65])
async def test_what_is_no_name_is_refused(shared: SharedStore, clock: FakeClock, name: str) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        with pytest.raises(BadName):
            await add_user(accounts, name)
        assert await accounts.users.find(name) is None


@pytest.mark.parametrize("password", ["short", "x" * 257, "Alice Liddell"])
async def test_a_weak_password_is_refused(shared: SharedStore, clock: FakeClock, password: str) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        with pytest.raises(WeakPassword):
            await accounts.users.add(OPERATOR, "alice liddell", password, Role.USER)


async def test_of_many_who_take_a_name_at_once_one_gets_it(shared: SharedStore, clock: FakeClock) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        found = await settle(*(add_user(harness, "bob", Role.USER) for harness in (one, other) * 4))
        assert [type(each) for each in found if isinstance(each, AccountError)] == [NameTaken] * 7
        assert await list_names(one) == ["bob"]


async def test_of_many_first_administrators_at_once_there_is_one(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        orders = [
            harness.users.add_first(OPERATOR, f"admin{number}", PASSWORD)
            for number, harness in enumerate((one, other) * 4)
        ]
        found = await settle(*orders)
        refused = [each for each in found if isinstance(each, AccountError)]
        assert [type(each) for each in refused] == [AdministratorExists] * 7
        assert len(await list_names(one, role="admin")) == 1


async def test_a_first_administrator_beside_one_from_the_command_line_is_no_second_first(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        found = await settle(one.users.add_first(OPERATOR, "first", PASSWORD), add_user(other, "added"))
        names = await list_names(one, role="admin")
        is_refused = isinstance(found[0], AdministratorExists)
        assert names == (["added"] if is_refused else ["added", "first"])
        assert shared.query("SELECT count(*) FROM users WHERE founder = 1") == [(1,)]


async def test_the_first_administrator_needs_that_there_is_none(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts, "reader", Role.USER)
        assert not await accounts.users.has_admin()
        await accounts.users.add_first(OPERATOR, "alice", PASSWORD)
        with pytest.raises(AdministratorExists):
            await accounts.users.add_first(OPERATOR, "mallory", PASSWORD)


async def test_the_last_administrator_stays_one(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        bob = await add_user(accounts, "bob")
        await accounts.users.disable(OPERATOR, bob)
        with pytest.raises(LastAdministrator):
            await accounts.users.remove(OPERATOR, alice)
        with pytest.raises(LastAdministrator):
            await accounts.users.disable(OPERATOR, alice)
        with pytest.raises(LastAdministrator):
            await accounts.users.set_role(OPERATOR, alice, Role.USER)
        assert await accounts.users.get(alice.id) == alice


async def test_of_administrators_that_remove_each_other_at_once_one_stays(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        survivor = None
        for number in range(5):
            alice, bob = await add_user(one, f"alice{number}"), await add_user(one, f"bob{number}")
            if survivor is not None:
                await one.users.remove(OPERATOR, survivor)
            await settle(one.users.remove(OPERATOR, alice), other.users.set_role(OPERATOR, bob, Role.USER))
            (name,) = await list_names(one, role="admin")
            survivor = await one.users.find(name)


async def test_a_user_that_was_removed_leaves_nothing(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        await accounts.tokens.add(OPERATOR, bob, "ci", {TokenScope.READ}, None)
        await accounts.logins.log_in("bob", PASSWORD, LoginClient(address=None))
        await accounts.users.remove(OPERATOR, bob)
        with pytest.raises(NoSuchUser):
            await accounts.users.get(bob.id)
        assert shared.query("SELECT count(*) FROM tokens") == [(0,)]
        assert shared.query("SELECT count(*) FROM sessions") == [(0,)]


async def test_an_id_is_never_given_again(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        await accounts.users.remove(OPERATOR, bob)
        assert (await add_user(accounts, "carol", Role.USER)).id > bob.id


async def test_every_change_is_noted_with_who_did_it(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        await accounts.users.set_role(OPERATOR, bob, Role.ADMIN)
        await accounts.users.disable(OPERATOR, bob)
        await accounts.users.enable(OPERATOR, bob)
        await accounts.users.set_password(OPERATOR, bob, "another password")
        await accounts.users.end_sessions(OPERATOR, bob)
        await accounts.users.remove(OPERATOR, bob)
        noted = await read_audit(accounts, target="bob")
    assert [entry.action for entry in reversed(noted)] == [
        "user.add",
        "user.role",
        "user.disable",
        "user.enable",
        "user.password",
        "user.sessions",
        "user.remove",
    ]
    assert {entry.actor for entry in noted} == {OPERATOR}
    assert noted[-2].detail == {"role": "admin", "was": "user"}


async def test_what_was_refused_is_not_noted_as_done(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        with pytest.raises(LastAdministrator):
            await accounts.users.remove(OPERATOR, alice)
        assert [entry.action for entry in await read_audit(accounts)] == ["user.add"]


async def test_what_cannot_be_noted_is_not_done(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        shared.query("DROP TABLE audit")
        with pytest.raises(StoreError):
            await accounts.users.remove(OPERATOR, bob)
        with pytest.raises(StoreError):
            await accounts.logins.log_in("bob", PASSWORD, LoginClient(address=None))
        assert await list_names(accounts) == ["alice", "bob"]
        assert shared.query("SELECT count(*) FROM sessions") == [(0,)]


async def test_all_slices_make_the_whole_list(shared: SharedStore, clock: FakeClock) -> None:
    names = ["adam", "Berta", "carl", "Dora"]
    async with open_test_accounts(shared.place, clock) as accounts:
        for name in reversed(names):
            await add_user(accounts, name, Role.USER)
        found, after = [], None
        for _ in names:
            wanted = SliceRequest(key="name", is_descending=False, after=after, limit=1)
            part = await accounts.users.list(wanted, UserFilter())
            found += [user.name for user in part.items]
            after = part.next
    assert found == names
    assert after is None
