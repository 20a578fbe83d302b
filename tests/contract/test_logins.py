"""Logging in, on both databases: what is accepted, what is recorded, and what is never revealed."""

import asyncio
import re
from collections.abc import Callable

import pytest

from tenax.accounts.devices import find_device, make_device
from tenax.accounts.logins import LoginClient
from tenax.accounts.passwords import DUMMY, PARALLEL, WAITING, Hasher
from tenax.accounts.permissions import Role, TokenScope
from tenax.errors import AdministratorExists, BadCredentials, HashingBusy, TooManyAttempts, WeakPassword
from tenax.stores.accounts.audit import KEPT_S, AuditOutcome
from tests.support.accounts import OPERATOR, PASSWORD, add_user, hash_fast, open_test_accounts, read_audit
from tests.support.clock import FakeClock
from tests.support.store import SharedStore

pytestmark = pytest.mark.usefixtures("runner")

ADDRESS = "192.0.2.1"


@pytest.fixture
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hashes that passwords were compared with."""
    seen: list[str] = []
    check = Hasher._check

    def note(self: Hasher, password_hash: str, password: str) -> bool:
        seen.append(password_hash)
        return check(self, password_hash, password)

    monkeypatch.setattr(Hasher, "_check", note)
    return seen


@pytest.mark.usefixtures("fast_hashes")
@pytest.mark.parametrize("name", ["alice", "ALICE"])
async def test_name_and_password_let_in(shared: SharedStore, clock: FakeClock, name: str) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        login = await accounts.logins.log_in(name, PASSWORD, LoginClient(address=ADDRESS))
        (noted,) = await read_audit(accounts, action="auth.login")
    assert (login.user.name, login.expires_at) == ("alice", clock.now() + 86_400)
    assert (noted.actor.name, noted.actor.address, noted.outcome) == ("alice", ADDRESS, AuditOutcome.DONE)


@pytest.mark.usefixtures("fast_hashes")
async def test_a_password_is_the_same_however_its_letters_are_composed(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await accounts.users.add(OPERATOR, "alice", "café crème brûlée", Role.ADMIN)
        await accounts.logins.log_in(
            "alice", "cafe\u0301 cre\u0300me bru\u0302le\u0301e", LoginClient(address=ADDRESS)
        )


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("alice", "a wrong password"),
        ("alice", ""),
        ("alice", "\ud800"),
        ("nobody", PASSWORD),
        ("", PASSWORD),
        ("\x00\ud800", PASSWORD),
        ("disabled", PASSWORD),
    ],
)
async def test_every_failure_has_the_same_message_after_the_same_work(
    shared: SharedStore, clock: FakeClock, checked: list[str], name: str, password: str
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        await accounts.users.disable(OPERATOR, await add_user(accounts, "disabled"))
        with pytest.raises(BadCredentials) as caught:
            await accounts.logins.log_in(name, password, LoginClient(address=ADDRESS))
    assert str(caught.value) == "The name or password is incorrect."
    # One comparison, with the same parameters whether there is such a user or not.
    costs = [re.match(r"\$argon2id\$v=19\$[^$]+\$", each) for each in (*checked, DUMMY)]
    assert len(checked) == 1
    assert len({cost and cost[0] for cost in costs}) == 1


@pytest.mark.usefixtures("fast_hashes")
@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [("alice", "alice", "wrong password"), ("hunter2 my password", None, "unknown user")],
)
async def test_a_failure_is_noted_but_not_what_was_typed(
    shared: SharedStore, clock: FakeClock, name: str, target: str | None, reason: str
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        with pytest.raises(BadCredentials):
            await accounts.logins.log_in(name, "a wrong password", LoginClient(address=ADDRESS))
        (noted,) = await read_audit(accounts, action="auth.login")
    assert (noted.outcome, noted.target, noted.detail) == (AuditOutcome.REFUSED, target, {"reason": reason})
    assert noted.actor.address == ADDRESS


@pytest.mark.usefixtures("fast_hashes")
async def test_of_many_guesses_at_once_five_are_checked(
    shared: SharedStore, clock: FakeClock, checked: list[str]
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        guesses = (
            accounts.logins.log_in("alice", f"guess {n}", LoginClient(address=ADDRESS)) for n in range(50)
        )
        found = await asyncio.gather(*guesses, return_exceptions=True)
        assert sorted({type(each).__name__ for each in found}) == ["BadCredentials", "TooManyAttempts"]
        assert len(checked) == 5
        # Not even the right password helps before the time has come.
        with pytest.raises(TooManyAttempts):
            await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))
        clock.advance(30)
        await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))


@pytest.mark.usefixtures("fast_hashes")
async def test_attacks_do_not_lock_an_administrator_out(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        user = await add_user(accounts)
        device = make_device(user)
        for number in range(40):
            with pytest.raises((BadCredentials, TooManyAttempts)):
                await accounts.logins.log_in("alice", f"guess {number}", LoginClient(address=ADDRESS))
        await accounts.logins.log_in("alice", PASSWORD, LoginClient(address="198.51.100.7"))
        # Behind an untrusted proxy, all requests come from one address.
        await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS, device=device))


@pytest.mark.usefixtures("fast_hashes")
async def test_a_device_of_another_user_or_an_old_password_does_not_count(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        bob = await add_user(accounts, "bob")
        device = make_device(alice)
        assert find_device(alice, device) is not None
        changed = await accounts.users.set_password(OPERATOR, alice, "another long password")
    for user, text in ((bob, device), (changed, device), (None, device), (alice, None), (alice, "x")):
        assert find_device(user, text) is None


@pytest.mark.usefixtures("fast_hashes")
async def test_more_failures_than_fit_are_not_noted(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        for number in range(70):
            with pytest.raises(BadCredentials):
                await accounts.logins.log_in(
                    f"user{number}", "a guess", LoginClient(address=f"192.0.2.{number}")
                )
        assert len(await read_audit(accounts)) == 60


@pytest.mark.usefixtures("fast_hashes")
async def test_notes_of_long_ago_are_cleared_away(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        clock.advance(KEPT_S + 1)
        await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))
        assert [entry.action for entry in await read_audit(accounts)] == ["auth.login"]


@pytest.mark.usefixtures("fast_hashes")
async def test_the_set_up_token_lets_in_the_first_administrator_once(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        token = accounts.logins.setup_token.text
        for wrong in ("", "x" * 43, "\ud800", token[:-1]):
            with pytest.raises(BadCredentials):
                await accounts.logins.set_up(wrong, "mallory", PASSWORD, ADDRESS)
        with pytest.raises(WeakPassword):
            await accounts.logins.set_up(token, "alice", "short", ADDRESS)
        login = await accounts.logins.set_up(token, "alice", PASSWORD, ADDRESS)
        assert await accounts.sessions.find_user(login.cookie) == login.user
        with pytest.raises(BadCredentials):
            await accounts.logins.set_up(token, "mallory", PASSWORD, ADDRESS)


@pytest.mark.usefixtures("fast_hashes")
async def test_the_set_up_token_is_dead_when_there_is_an_administrator(
    shared: SharedStore, clock: FakeClock
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        with pytest.raises(AdministratorExists):
            await accounts.logins.set_up(accounts.logins.setup_token.text, "mallory", PASSWORD, ADDRESS)


@pytest.mark.usefixtures("fast_hashes")
async def test_of_two_who_set_up_at_once_one_is_administrator(shared: SharedStore, clock: FakeClock) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        token = accounts.logins.setup_token.text
        both = (accounts.logins.set_up(token, name, PASSWORD, ADDRESS) for name in ("alice", "bob"))
        found = await asyncio.gather(*both, return_exceptions=True)
    assert sum(isinstance(each, Exception) for each in found) == 1
    assert shared.query("SELECT count(*) FROM users") == [(1,)]


async def test_checks_that_would_wait_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)
    hasher = Hasher()
    checks = (hasher.verify(None, "guess") for _ in range(PARALLEL + WAITING + 5))
    found = await asyncio.gather(*checks, return_exceptions=True)
    hasher.close()
    assert [type(each) for each in found].count(HashingBusy) == 5


@pytest.mark.usefixtures("fast_hashes")
async def test_an_attempt_that_was_not_checked_is_no_failure(
    shared: SharedStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        await add_user(accounts)
        with monkeypatch.context() as patch:
            patch.setattr("tenax.accounts.passwords.WAITING", -PARALLEL)
            for _ in range(25):
                with pytest.raises(HashingBusy):
                    await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))
        await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))


@pytest.mark.usefixtures("fast_hashes")
async def test_no_secret_stands_in_the_store(
    shared: SharedStore, clock: FakeClock, dump: Callable[[], bytes]
) -> None:
    async with open_test_accounts(shared.place, clock) as accounts:
        alice = await add_user(accounts)
        login = await accounts.logins.log_in("alice", PASSWORD, LoginClient(address=ADDRESS))
        _, token = await accounts.tokens.add(OPERATOR, alice, "ci", {TokenScope.READ}, None)
        await accounts.authenticator.authenticate(cookie=None, authorization=f"Bearer {token}")
        with pytest.raises(BadCredentials):
            await accounts.logins.log_in("my secret phrase", "a wrong password", LoginClient(address=ADDRESS))
        secrets = [
            PASSWORD,
            "my secret phrase",
            "a wrong password",
            login.cookie,
            login.csrf_token,
            token[17:],
        ]
    kept = dump()
    assert b"alice" in kept
    assert [secret for secret in secrets if secret.encode() in kept] == []
    assert b"$argon2id$" in kept


@pytest.fixture
def dump(shared: SharedStore) -> Callable[[], bytes]:
    """Everything that the store keeps, as bytes."""

    def read() -> bytes:
        if shared.place.url is None:
            return b"".join(path.read_bytes() for path in shared.place.folder.glob("tenax.db*"))
        tables = ("users", "sessions", "tokens", "audit")
        return repr([shared.query(f"SELECT * FROM {table}") for table in tables]).encode()

    return read
