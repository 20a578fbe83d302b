"""Rate limits and failed logins, counted in memory and in a real Redis."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from tenax.accounts.limits import NAME_PER_MIN, Limiter, LoginAttempt, LoginThrottle
from tenax.coordination.gate import FIRST_WAIT_S, LONGEST_WAIT_S, LoginSubject
from tenax.coordination.memory_gate import ENTRIES, MemoryGate
from tenax.coordination.redis_gate import RedisGate
from tenax.errors import TooManyAttempts
from tests.support.clock import FakeClock
from tests.support.coordination import build_gate, new_names
from tests.support.redis_server import RedisServer, find_redis

pytestmark = pytest.mark.usefixtures("runner")

WINDOW_S = 60.0


class TwoGates:
    """As a process has them."""

    def __init__(self, clock: FakeClock, redis: RedisGate | None) -> None:
        memory = MemoryGate(clock)
        self.limiter = Limiter(memory, redis)
        self.throttle = LoginThrottle(memory, redis)


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with find_redis() as url:
        yield url


@pytest.fixture(params=["memory", "redis"])
def gates(
    request: pytest.FixtureRequest, redis_url: str, clock: FakeClock, runner: asyncio.Runner
) -> Iterator[TwoGates]:
    if request.param == "memory":
        yield TwoGates(clock, None)
        return
    stack = AsyncExitStack()
    yield TwoGates(clock, runner.run(stack.enter_async_context(build_gate(redis_url, clock))))
    runner.run(stack.aclose())


def attempt_of(name: str, address: str, device: str | None = None) -> LoginAttempt:
    return LoginAttempt(name=name, address=address, device=device)


async def count_attempts(throttle: LoginThrottle, name: str, address: str, number: int) -> int:
    """How many of so many attempts at once are let through."""
    attempts = (throttle.enter(attempt_of(name, address)) for _ in range(number))
    found = await asyncio.gather(*attempts, return_exceptions=True)
    assert {type(each) for each in found} <= {type(None), TooManyAttempts}
    return found.count(None)


async def find_wait(throttle: LoginThrottle, name: str, address: str) -> float:
    with pytest.raises(TooManyAttempts) as caught:
        await throttle.enter(attempt_of(name, address))
    return caught.value.retry_after_s


@pytest.mark.parametrize("limit", [10, 100])
async def test_of_many_hits_at_once_exactly_the_limit_is_let_in(gates: TwoGates, limit: int) -> None:
    hits = await asyncio.gather(*(gates.limiter.hit("alice", limit) for _ in range(200)))
    assert sum(hit.allowed for hit in hits) == limit
    assert sorted(hit.remaining for hit in hits if hit.allowed) == list(range(limit))


async def test_a_hit_reports_what_remains_and_until_when(gates: TwoGates) -> None:
    first = await gates.limiter.hit("alice", 2)
    await gates.limiter.hit("alice", 2)
    refused = await gates.limiter.hit("alice", 2)
    assert (first.allowed, first.limit, first.remaining, first.retry_after_s) == (True, 2, 1, 0)
    assert (refused.allowed, refused.remaining) == (False, 0)
    assert 55 < refused.retry_after_s <= refused.reset_s <= 60


async def test_each_client_has_its_own_limit(gates: TwoGates) -> None:
    assert (await gates.limiter.hit("alice", 1)).allowed
    assert (await gates.limiter.hit("bob", 1)).allowed


async def test_a_client_with_a_lowered_limit_waits_until_enough_hits_have_expired(gates: TwoGates) -> None:
    for _ in range(5):
        await gates.limiter.hit("alice", 5)
    hit = await gates.limiter.hit("alice", 2)
    assert (hit.allowed, hit.remaining) == (False, 0)


async def test_a_window_slides(clock: FakeClock) -> None:
    limiter = Limiter(MemoryGate(clock), None)
    for _ in range(2):
        assert (await limiter.hit("alice", 2, WINDOW_S)).allowed
        clock.advance(WINDOW_S / 2)
    assert (await limiter.hit("alice", 2, WINDOW_S)).allowed  # the first one is a window ago
    refused = await limiter.hit("alice", 2, WINDOW_S)
    assert (refused.allowed, refused.retry_after_s) == (False, WINDOW_S / 2)


async def test_a_window_slides_in_redis_too(redis_url: str, clock: FakeClock) -> None:
    async with build_gate(redis_url, clock) as redis:
        started_at = time.monotonic()
        assert (await redis.hit("alice", 1, 0.3)).allowed  # type: ignore[union-attr]
        while not (await redis.hit("alice", 1, 0.3)).allowed:  # type: ignore[union-attr]
            assert time.monotonic() - started_at < 20
            await asyncio.sleep(0.01)
        assert time.monotonic() - started_at >= 0.29


async def test_hits_that_were_refused_do_not_count(clock: FakeClock) -> None:
    limiter = Limiter(MemoryGate(clock), None)
    await limiter.hit("alice", 1, WINDOW_S)
    for _ in range(10):
        clock.advance(WINDOW_S / 11)
        assert not (await limiter.hit("alice", 1, WINDOW_S)).allowed
    clock.advance(WINDOW_S / 11)
    assert (await limiter.hit("alice", 1, WINDOW_S)).allowed


async def test_a_clock_that_is_set_back_locks_no_client_out(clock: FakeClock) -> None:
    limiter = Limiter(MemoryGate(clock), None)
    await limiter.hit("alice", 1, WINDOW_S)
    clock.advance(-3600)
    assert (await limiter.hit("alice", 1, WINDOW_S)).allowed


async def test_all_processes_count_together_in_redis(redis_url: str, clock: FakeClock) -> None:
    names = new_names()
    async with build_gate(redis_url, clock, names) as one, build_gate(redis_url, clock, names) as other:
        gates = [TwoGates(clock, gate).limiter for gate in (one, other)]
        hits = await asyncio.gather(*(gates[number % 2].hit("alice", 10) for number in range(100)))
    assert sum(hit.allowed for hit in hits) == 10


async def test_without_an_answer_memory_counts(clock: FakeClock) -> None:
    with RedisServer() as server:
        async with build_gate(server.url, clock, timeout_s=0.2) as redis:
            limiter = TwoGates(clock, redis).limiter
            assert (await limiter.hit("alice", 1)).allowed
            server.kill()
            hits = [await limiter.hit("alice", 3) for _ in range(10)]
    assert [hit.allowed for hit in hits] == [True] * 3 + [False] * 7


async def test_memory_is_bounded_however_many_addresses_come(clock: FakeClock) -> None:
    memory = MemoryGate(clock)
    for number in range(ENTRIES + 500):
        memory.hit(f"address {number}", 10, WINDOW_S)
        memory.attempt([LoginSubject(key=f"name {number}", free=5)])
    assert len(memory._hits) <= ENTRIES
    assert len(memory._failures) <= ENTRIES


async def test_five_failures_of_a_name_make_an_address_wait(gates: TwoGates) -> None:
    assert await count_attempts(gates.throttle, "alice", "192.0.2.1", 40) == 5
    wait_s = await find_wait(gates.throttle, "ALICE", "192.0.2.1")
    assert FIRST_WAIT_S - 5 < wait_s <= FIRST_WAIT_S


async def test_failures_elsewhere_lock_no_user_out(gates: TwoGates) -> None:
    await count_attempts(gates.throttle, "alice", "192.0.2.1", 40)
    await gates.throttle.enter(attempt_of("alice", "192.0.2.9"))


async def test_many_addresses_together_are_slowed_down(gates: TwoGates) -> None:
    allowed = [await count_attempts(gates.throttle, "alice", f"192.0.2.{n}", 4) for n in range(20)]
    assert sum(allowed) == NAME_PER_MIN
    assert 0 < await find_wait(gates.throttle, "alice", "198.51.100.1") <= 60
    await gates.throttle.enter(attempt_of("bob", "198.51.100.1"))


async def test_a_known_browser_is_not_locked_out_by_attackers(gates: TwoGates) -> None:
    for number in range(20):
        await count_attempts(gates.throttle, "alice", f"192.0.2.{number}", 40)
    home = attempt_of("alice", "192.0.2.1", device="a browser of hers")
    for _ in range(5):
        await gates.throttle.enter(home)
    with pytest.raises(TooManyAttempts):
        await gates.throttle.enter(home)


async def test_twenty_failures_of_an_address_make_it_wait(gates: TwoGates) -> None:
    for number in range(20):
        await gates.throttle.enter(attempt_of(f"user{number}", "192.0.2.1"))
    await find_wait(gates.throttle, "another user", "192.0.2.1")
    await gates.throttle.enter(attempt_of("another user", "192.0.2.2"))


async def test_an_attempt_that_has_to_wait_does_not_count(gates: TwoGates) -> None:
    await count_attempts(gates.throttle, "alice", "192.0.2.1", 200)
    await gates.throttle.enter(attempt_of("bob", "192.0.2.1"))


async def test_a_successful_login_clears_the_failures(gates: TwoGates) -> None:
    for _ in range(3):
        assert await count_attempts(gates.throttle, "alice", "192.0.2.1", 4) == 4
        gates.throttle.clear_failures(attempt_of("alice", "192.0.2.1"))


async def test_a_successful_login_does_not_clear_failures_of_other_names(gates: TwoGates) -> None:
    for number in range(19):
        await gates.throttle.enter(attempt_of(f"victim{number}", "192.0.2.1"))
    await gates.throttle.enter(attempt_of("mallory", "192.0.2.1"))
    gates.throttle.clear_failures(attempt_of("mallory", "192.0.2.1"))
    await gates.throttle.enter(attempt_of("mallory", "192.0.2.1"))
    await find_wait(gates.throttle, "victim", "192.0.2.1")


async def test_an_attempt_that_is_taken_back_never_was(gates: TwoGates) -> None:
    for _ in range(30):
        await gates.throttle.enter(attempt_of("alice", "192.0.2.1"))
        gates.throttle.undo_attempt(attempt_of("alice", "192.0.2.1"))


async def test_the_wait_doubles_up_to_a_quarter_of_an_hour_and_is_forgotten(clock: FakeClock) -> None:
    throttle = TwoGates(clock, None).throttle
    waits = []
    await count_attempts(throttle, "alice", "192.0.2.1", 5)
    for _ in range(7):
        waits.append(await find_wait(throttle, "alice", "192.0.2.1"))
        clock.advance(waits[-1])
        await throttle.enter(attempt_of("alice", "192.0.2.1"))
    assert waits == [30, 60, 120, 240, 480, 900, 900]
    clock.advance(2 * LONGEST_WAIT_S)
    assert await count_attempts(throttle, "alice", "192.0.2.1", 10) == 5


async def test_other_names_do_not_push_a_wait_out_of_memory(clock: FakeClock) -> None:
    memory = MemoryGate(clock)
    alice = LoginSubject(key="alice", free=5)
    for _ in range(5):
        memory.attempt([alice])
    for number in range(ENTRIES + 10):
        memory.attempt([LoginSubject(key=str(number), free=5)])
    assert memory.attempt([alice]) > 0


async def test_attempts_are_forgotten_in_redis_too(redis_url: str, clock: FakeClock) -> None:
    with RedisServer() as server:
        async with build_gate(server.url, clock) as redis:
            await count_attempts(TwoGates(clock, redis).throttle, "alice", "192.0.2.1", 10)
            keys = server.ask("KEYS", "*")
            lives = {server.ask("PTTL", key.decode()) for key in keys}
    assert len(keys) == 3  # the name there, the address, the name anywhere
    assert all(0 < ms <= 1_800_000 for ms in lives)
    assert not any(b"alice" in key for key in keys)
