"""API tokens, on both databases."""

import asyncio

import pytest

from tenax.accounts.build import Accounts
from tenax.accounts.permissions import Proof, Role, TokenScope
from tenax.errors import BadCredentials, BadName, NameTaken, NotAllowed, TooManyTokens
from tenax.stores.accounts.tokens import PER_USER
from tenax.stores.paging import SliceRequest
from tests.support.accounts import OPERATOR, add_user, hash_fast, open_test_accounts, read_audit
from tests.support.clock import FakeClock
from tests.support.store import SharedStore

pytestmark = pytest.mark.usefixtures("runner", "fast_hashes")

OLDEST = SliceRequest(key="created_at", is_descending=False, after=None, limit=500)


@pytest.fixture
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


async def is_valid(accounts: Accounts, token: str) -> bool:
    try:
        await accounts.authenticator.authenticate(cookie=None, authorization=f"Bearer {token}")
    except BadCredentials:
        return False
    return True


async def test_a_token_stands_for_its_owner_within_its_scopes(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        _, text = await accounts.tokens.add(OPERATOR, alice, "ci", {TokenScope.READ, TokenScope.WRITE}, None)
        found = await accounts.authenticator.authenticate(cookie=None, authorization=f"bearer  {text}")
    assert (found.name, found.role, found.proof, found.user_id) == (
        "alice",
        Role.ADMIN,
        Proof.TOKEN,
        alice.id,
    )
    assert found.scopes == {TokenScope.READ, TokenScope.WRITE}
    assert found.may(Role.ADMIN, TokenScope.WRITE)
    assert not found.may(Role.ADMIN, TokenScope.ADMIN)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1],
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text + "A",
        lambda text: f"tnx_{'a' * 12}_{text[17:]}",
        lambda text: text.upper(),
        lambda text: "tnx_",
        lambda text: f"{text[:17]}{'é' * 43}",
    ],
)
async def test_nearly_a_token_is_none(shared: SharedStore, clock: FakeClock, spoil: object) -> None:
    assert callable(spoil)
    async with open_test_accounts(shared.place, clock) as accounts:
        _, text = await accounts.tokens.add(OPERATOR, await add_user(accounts), "ci", {TokenScope.READ}, None)
        assert await is_valid(accounts, text)
        assert not await is_valid(accounts, spoil(text))


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YWxpY2U6cGFzc3dvcmQ=", "Bearer " + "x" * 5000, "\x00"]
)
async def test_any_other_header_is_refused(shared: SharedStore, clock: FakeClock, header: str) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        with pytest.raises(BadCredentials):
            await accounts.authenticator.authenticate(cookie=None, authorization=header)


async def test_a_revoked_token_is_refused_at_once_by_all(shared: SharedStore, clock: FakeClock) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        token, text = await one.tokens.add(OPERATOR, await add_user(one), "ci", {TokenScope.READ}, None)
        assert await is_valid(other, text)
        await one.tokens.revoke(OPERATOR, token)
        await one.tokens.revoke(OPERATOR, token)
        assert not await is_valid(other, text)


async def test_a_token_ends_when_it_was_to(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        _, text = await accounts.tokens.add(OPERATOR, alice, "ci", {TokenScope.READ}, clock.now() + 60)
        assert await is_valid(accounts, text)
        clock.advance(60)
        assert not await is_valid(accounts, text)


async def test_a_token_of_a_disabled_user_rests(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        _, text = await accounts.tokens.add(OPERATOR, bob, "ci", {TokenScope.READ}, None)
        await accounts.users.disable(OPERATOR, bob)
        assert not await is_valid(accounts, text)
        await accounts.users.enable(OPERATOR, bob)
        assert await is_valid(accounts, text)


@pytest.mark.parametrize("scopes", [set(), {TokenScope.WRITE}, {TokenScope.READ, TokenScope.ADMIN}])
async def test_no_user_grants_more_than_their_role(
    shared: SharedStore, clock: FakeClock, scopes: set[TokenScope]
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        bob = await add_user(accounts, "bob", Role.USER)
        with pytest.raises(NotAllowed):
            await accounts.tokens.add(OPERATOR, bob, "ci", scopes, None)


async def test_a_former_administrator_has_no_administrator_tokens(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob")
        _, text = await accounts.tokens.add(OPERATOR, bob, "ci", set(TokenScope), None)
        await accounts.users.set_role(OPERATOR, bob, Role.USER)
        found = await accounts.authenticator.authenticate(cookie=None, authorization=f"Bearer {text}")
    assert (found.role, found.scopes) == (Role.USER, frozenset({TokenScope.READ, TokenScope.METRICS}))


@pytest.mark.parametrize("expires_in_s", [-1.0, 0.0, 3651 * 86_400.0])
async def test_a_token_expires_neither_before_it_is_made_nor_in_ages(
    shared: SharedStore, clock: FakeClock, expires_in_s: float
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        with pytest.raises(NotAllowed):
            await accounts.tokens.add(OPERATOR, alice, "ci", {TokenScope.READ}, clock.now() + expires_in_s)


async def test_the_names_of_ones_tokens_differ(shared: SharedStore, clock: FakeClock) -> None:
    async with (
        open_test_accounts(shared.place, clock) as one,
        open_test_accounts(shared.place, clock) as other,
    ):
        alice, bob = await add_user(one), await add_user(one, "bob")
        orders = (
            harness.tokens.add(OPERATOR, alice, "ci", {TokenScope.READ}, None) for harness in (one, other) * 3
        )
        found = await asyncio.gather(*orders, return_exceptions=True)
        assert [type(each) for each in found].count(NameTaken) == 5
        await one.tokens.add(OPERATOR, bob, "ci", {TokenScope.READ}, None)
        with pytest.raises(BadName):
            await one.tokens.add(OPERATOR, bob, "\n", {TokenScope.READ}, None)


async def test_a_user_has_so_many_tokens_at_most(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        for number in range(PER_USER):
            await accounts.tokens.add(OPERATOR, alice, f"ci{number}", {TokenScope.READ}, None)
        with pytest.raises(TooManyTokens):
            await accounts.tokens.add(OPERATOR, alice, "one more", {TokenScope.READ}, None)
        assert len((await accounts.tokens.list(OLDEST, alice.id)).items) == PER_USER


async def test_use_is_recorded_once_a_minute(shared: SharedStore, clock: FakeClock) -> None:
    seen = []
    async with open_test_accounts(shared.place, clock) as accounts:
        token, text = await accounts.tokens.add(
            OPERATOR, await add_user(accounts), "ci", {TokenScope.READ}, None
        )
        for _ in range(4):
            await asyncio.gather(*(is_valid(accounts, text) for _ in range(5)))
            await accounts.authenticator.close()
            seen.append((await accounts.tokens.get(token.id)).last_used_at)
            clock.advance(25)
    start = token.created_at
    assert seen == [start, start, start, start + 75]


async def test_tokens_are_listed_by_owner_or_all(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice, bob = await add_user(accounts), await add_user(accounts, "bob", Role.USER)
        for user in (alice, bob):
            await accounts.tokens.add(OPERATOR, user, "ci", {TokenScope.METRICS, TokenScope.READ}, None)
        mine = (await accounts.tokens.list(OLDEST, bob.id)).items
        everybodys = (await accounts.tokens.list(OLDEST, None)).items
    assert [(token.owner, token.name, token.scopes) for token in mine] == [("bob", "ci", ("metrics", "read"))]
    assert [token.owner for token in everybodys] == ["alice", "bob"]


async def test_adding_and_revoking_are_logged_without_the_secret(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        token, text = await accounts.tokens.add(
            OPERATOR, await add_user(accounts), "ci", {TokenScope.READ}, None
        )
        await accounts.tokens.revoke(OPERATOR, token)
        noted = await read_audit(accounts, action="token")
    assert [(entry.action, entry.target) for entry in noted] == [
        ("token.revoke", "alice"),
        ("token.add", "alice"),
    ]
    assert text[17:] not in repr(noted)
