"""Sessions, on both databases, in the store and in Redis."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import orjson
import pytest

from tenax.accounts.build import Accounts
from tenax.accounts.logins import LoginClient
from tenax.accounts.permissions import ANONYMOUS, Proof, Role
from tenax.accounts.sessions import Login
from tenax.coordination.keys import SESSIONS
from tenax.errors import BadCredentials
from tenax.stores.accounts.sessions import KEPT_PER_USER
from tests.support.accounts import OPERATOR, PASSWORD, add_user, hash_fast, open_test_accounts, read_audit
from tests.support.clock import FakeClock
from tests.support.coordination import build_gate, new_names
from tests.support.redis_server import RedisServer
from tests.support.store import SharedStore

pytestmark = pytest.mark.usefixtures("runner", "fast_hashes")

DAY_S = 86_400.0
ADDRESS = "192.0.2.1"

Open = Callable[[], AbstractAsyncContextManager[Accounts]]


@pytest.fixture
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def open_shared(shared: SharedStore, clock: FakeClock, redis: RedisServer) -> Open:
    """An API process with Redis; all of them share one."""
    names = new_names()

    @asynccontextmanager
    async def open_one() -> AsyncIterator[Accounts]:
        async with (
            build_gate(redis.url, clock, names, timeout_s=0.5) as gate,
            open_test_accounts(shared.place, clock, gate) as accounts,
        ):
            yield accounts

    return open_one


@pytest.fixture(params=["store", "redis"])
def open_accounts(request: pytest.FixtureRequest, shared: SharedStore, clock: FakeClock) -> Open:
    if request.param == "redis":
        opened: Open = request.getfixturevalue("open_shared")
        return opened
    return lambda: open_test_accounts(shared.place, clock)


async def log_in(accounts: Accounts, name: str = "alice", cookie: str | None = None) -> Login:
    return await accounts.logins.log_in(name, PASSWORD, LoginClient(address=ADDRESS, cookie=cookie))


async def is_in(accounts: Accounts, login: Login) -> bool:
    principal = await accounts.authenticator.authenticate(cookie=login.cookie, authorization=None)
    return principal.proof is Proof.SESSION


async def test_the_cookie_identifies_the_caller(open_accounts: Open) -> None:
    async with open_accounts() as accounts:
        alice = await add_user(accounts)
        login = await log_in(accounts)
        principal = await accounts.authenticator.authenticate(cookie=login.cookie, authorization=None)
    assert (principal.name, principal.role, principal.user_id) == ("alice", Role.ADMIN, alice.id)
    assert principal.csrf_token == login.csrf_token


async def test_another_process_knows_the_session(open_accounts: Open) -> None:
    async with open_accounts() as one, open_accounts() as other:
        await add_user(one)
        assert await is_in(other, await log_in(one))


@pytest.mark.parametrize("cookie", ["", "x" * 43, "é" * 43, "\x00" * 43, "a" * 100_000, "' OR 1=1 --"])
async def test_any_other_cookie_is_anonymous(open_accounts: Open, cookie: str) -> None:
    async with open_accounts() as accounts:
        await add_user(accounts)
        await log_in(accounts)
        assert await accounts.authenticator.authenticate(cookie=cookie, authorization=None) == ANONYMOUS


async def test_a_session_ends_after_a_day_however_much_it_is_used(
    open_accounts: Open, clock: FakeClock
) -> None:
    async with open_accounts() as accounts:
        await add_user(accounts)
        login = await log_in(accounts)
        clock.advance(DAY_S - 1)
        assert await is_in(accounts, login)
        clock.advance(1)
        assert not await is_in(accounts, login)


async def test_every_login_has_a_cookie_of_its_own_and_ends_the_one_before(open_accounts: Open) -> None:
    async with open_accounts() as accounts:
        await add_user(accounts)
        first = await log_in(accounts)
        second = await log_in(accounts, cookie=first.cookie)
        assert second.cookie != first.cookie
        assert second.csrf_token != first.csrf_token
        assert not await is_in(accounts, first)
        assert await is_in(accounts, second)


async def test_a_cookie_chosen_by_an_attacker_is_not_adopted(open_accounts: Open) -> None:
    chosen = "A" * 43
    async with open_accounts() as accounts:
        await add_user(accounts)
        login = await log_in(accounts, cookie=chosen)
        assert login.cookie != chosen
        assert await accounts.authenticator.authenticate(cookie=chosen, authorization=None) == ANONYMOUS


async def test_a_session_of_another_browser_continues(open_accounts: Open) -> None:
    async with open_accounts() as accounts:
        await add_user(accounts)
        one, other = await log_in(accounts), await log_in(accounts)
        await accounts.sessions.end(OPERATOR, one.cookie)
        assert await is_in(accounts, other)


async def test_logging_out_ends_the_session_everywhere(open_accounts: Open) -> None:
    async with open_accounts() as one, open_accounts() as other:
        await add_user(one)
        login = await log_in(one)
        assert await is_in(other, login)
        await one.sessions.end(OPERATOR, login.cookie)
        await one.sessions.end(OPERATOR, login.cookie)
        assert not await is_in(other, login)
        assert [entry.action for entry in await read_audit(one, action="auth")] == [
            "auth.logout",
            "auth.login",
        ]


@pytest.mark.parametrize("change", ["password", "role", "disable", "end", "remove"])
async def test_all_sessions_end_with_a_change_of_the_user(open_accounts: Open, change: str) -> None:
    async with open_accounts() as one, open_accounts() as other:
        await add_user(one)
        bob = await add_user(one, "bob")
        logins = [await log_in(one, "bob"), await log_in(other, "bob")]
        orders: dict[str, Callable[[], Awaitable[object]]] = {
            "password": lambda: one.users.set_password(OPERATOR, bob, "another password"),
            "role": lambda: one.users.set_role(OPERATOR, bob, Role.USER),
            "disable": lambda: one.users.disable(OPERATOR, bob),
            "end": lambda: one.users.end_sessions(OPERATOR, bob),
            "remove": lambda: one.users.remove(OPERATOR, bob),
        }
        await orders[change]()
        assert [await is_in(harness, login) for harness in (one, other) for login in logins] == [False] * 4


async def test_changing_ones_password_ends_all_sessions_but_the_new_one(open_accounts: Open) -> None:
    async with open_accounts() as accounts:
        alice = await add_user(accounts)
        here, elsewhere = await log_in(accounts), await log_in(accounts)
        new = await accounts.logins.change_password(
            alice, PASSWORD, "another password", LoginClient(address=ADDRESS, cookie=here.cookie)
        )
        assert [await is_in(accounts, login) for login in (here, elsewhere, new)] == [False, False, True]


async def test_a_password_is_changed_only_with_the_present_one(open_accounts: Open) -> None:
    async with open_accounts() as accounts:
        alice = await add_user(accounts)
        with pytest.raises(BadCredentials):
            await accounts.logins.change_password(
                alice, "a wrong guess", "another password", LoginClient(address=ADDRESS)
            )
        await log_in(accounts)


async def test_sessions_whose_time_is_over_are_cleared_away(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        for _ in range(3):
            await log_in(accounts)
        clock.advance(DAY_S)
        await log_in(accounts)
    assert shared.query("SELECT count(*) FROM sessions") == [(1,)]


async def test_a_user_has_so_many_sessions_at_most(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        logins = []
        for _ in range(KEPT_PER_USER + 2):
            logins.append(await log_in(accounts))
            clock.advance(3)  # a name has so many tries a minute
        found = [await is_in(accounts, login) for login in (logins[0], logins[1], logins[2], logins[-1])]
    assert found == [False, False, True, True]


async def test_sessions_are_stored_in_redis_when_there_is_one(
    open_shared: Open, shared: SharedStore, redis: RedisServer
) -> None:
    async with open_shared() as accounts:
        await add_user(accounts)
        await log_in(accounts)
    assert shared.query("SELECT count(*) FROM sessions") == [(0,)]
    (key,) = redis.ask("KEYS", "*:session:*")
    assert 0 < redis.ask("TTL", key.decode()) <= SESSIONS.ttl_s


async def test_the_store_takes_a_session_when_redis_does_not_answer(
    open_shared: Open, redis: RedisServer
) -> None:
    async with open_shared() as one, open_shared() as other:
        await add_user(one)
        redis.kill()
        login = await log_in(one)
        assert await is_in(other, login)
        redis.start()
        assert await is_in(other, login)


async def test_a_logout_while_redis_was_down_lasts(open_shared: Open, redis: RedisServer) -> None:
    async with open_shared() as accounts:
        await add_user(accounts)
        login = await log_in(accounts)
        (key,) = redis.ask("KEYS", "*:session:*")
        value = redis.ask("GET", key.decode())
        redis.pause()
        try:
            await accounts.sessions.end(OPERATOR, login.cookie)
            assert not await is_in(accounts, login)
        finally:
            redis.resume()
    async with open_shared() as accounts:
        # As if it had never heard of it.
        redis.ask("SET", key.decode(), value.decode())
        assert not await is_in(accounts, login)


async def test_a_flushed_redis_means_logging_in_again(open_shared: Open, redis: RedisServer) -> None:
    async with open_shared() as accounts:
        await add_user(accounts)
        login = await log_in(accounts)
        redis.ask("FLUSHALL")
        assert not await is_in(accounts, login)
        assert await is_in(accounts, await log_in(accounts))


@pytest.mark.parametrize("change", [{"user_id": 1}, {"version": 0}, {"expires_at": 9e9}, {"signature": ""}])
async def test_write_access_to_redis_cannot_forge_a_session(
    open_shared: Open, redis: RedisServer, clock: FakeClock, change: dict[str, object]
) -> None:
    async with open_shared() as accounts:
        await add_user(accounts)
        bob = await add_user(accounts, "bob", Role.USER)
        await accounts.users.end_sessions(OPERATOR, bob)
        login = await log_in(accounts, "bob")
        (key,) = redis.ask("KEYS", "*:session:*")
        value = orjson.loads(redis.ask("GET", key.decode()))
        redis.ask("SET", key.decode(), orjson.dumps({**value, **change}).decode())
        assert not await is_in(accounts, login)


@pytest.mark.parametrize("value", ["", "x", "[]", "{}", '{"user_id": 1e999}', '{"user_id": null}'])
async def test_foreign_values_in_redis_are_not_sessions(
    open_shared: Open, redis: RedisServer, value: str
) -> None:
    async with open_shared() as accounts:
        await add_user(accounts)
        login = await log_in(accounts)
        (key,) = redis.ask("KEYS", "*:session:*")
        redis.ask("SET", key.decode(), value)
        assert not await is_in(accounts, login)


async def test_logging_out_twice_at_once_ends_one_session(open_accounts: Open) -> None:
    async with open_accounts() as one, open_accounts() as other:
        await add_user(one)
        login = await log_in(one)
        await asyncio.gather(*(each.sessions.end(OPERATOR, login.cookie) for each in (one, other)))
        assert not await is_in(one, login)
