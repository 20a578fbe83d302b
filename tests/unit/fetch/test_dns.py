import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from tenax.config.fetch import FetchSettings
from tenax.coordination.memory import MemoryCoordination
from tenax.errors import ConfigError
from tenax.fetch.dns import DnsFailure, Lookup, Resolver
from tenax.records.requests import Addresses
from tests.support.clock import FakeClock
from tests.support.nameserver import (
    AAAA,
    NXDOMAIN,
    SERVFAIL,
    A,
    NameServer,
    Reply,
    Zone,
    name_server,
)

V4, OTHER_V4, V6 = "198.51.100.7", "198.51.100.8", "2001:db8::7"


Scenario = Callable[[Resolver, FakeClock, NameServer], Awaitable[None]]


def play(zone: Zone, scenario: Scenario, timeout_s: float = 2.0) -> None:
    """Run a scenario with a resolver that asks a name server of its own."""

    async def run(server: NameServer) -> None:
        settings = FetchSettings(dns_servers=(server.address,), dns_timeout_s=timeout_s)
        clock = FakeClock()
        resolver = Resolver(settings, clock)
        resolver.open()
        try:
            await scenario(resolver, clock, server)
        finally:
            resolver.close()

    with name_server(zone) as server:
        asyncio.run(run(server))


async def look_up(resolver: Resolver, host: str) -> Lookup:
    found = resolver.cached(host)
    if found is not None:
        return found
    future: asyncio.Future[Lookup] = asyncio.get_running_loop().create_future()
    resolver.lookup(host, future.set_result)
    return await future


async def addresses_of(resolver: Resolver, host: str) -> tuple[str, ...]:
    found = await look_up(resolver, host)
    assert isinstance(found, Addresses)
    return found.ips


async def failure_of(resolver: Resolver, host: str) -> DnsFailure:
    found = await look_up(resolver, host)
    assert isinstance(found, DnsFailure)
    return found


def always(reply: Reply) -> Zone:
    return lambda name, kind, times: reply


def test_ipv4_addresses_come_first() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert await addresses_of(resolver, "both.example") == (V4, V6)

    play(always(Reply(ips=[V6, V4])), scenario)


def test_a_host_may_have_only_ipv6() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert await addresses_of(resolver, "six.example") == (V6,)

    play(always(Reply(ips=[V6])), scenario)


def test_a_silent_aaaa_does_not_hide_the_ipv4_address() -> None:
    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(ips=[V4]) if kind == A else Reply(is_silent=True)

    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert await addresses_of(resolver, "half.example") == (V4,)

    play(zone, scenario, timeout_s=1.0)


def test_a_name_that_does_not_exist_fails_for_good() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert (await failure_of(resolver, "no.example")).is_no_such_host

    play(always(Reply(code=NXDOMAIN)), scenario)


def test_a_name_without_addresses_fails_for_good() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert (await failure_of(resolver, "empty.example")).is_no_such_host

    play(always(Reply()), scenario)


def test_a_server_failure_is_temporary() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert not (await failure_of(resolver, "ill.example")).is_no_such_host

    play(always(Reply(code=SERVFAIL)), scenario)


def test_silence_is_temporary_and_ends_at_the_deadline() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        failure = await failure_of(resolver, "silent.example")
        assert not failure.is_no_such_host
        assert loop.time() - begin < 0.8

    play(always(Reply(is_silent=True)), scenario, timeout_s=0.4)


def test_an_answer_that_came_while_the_loop_was_held_up_counts() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        looking = asyncio.create_task(look_up(resolver, "a.example"))
        await asyncio.sleep(0)
        while sum(server.asked.values()) < 2:
            time.sleep(0.01)  # noqa: ASYNC251
        time.sleep(0.25)  # noqa: ASYNC251
        assert isinstance(await looking, Addresses)

    play(always(Reply(ips=[V4])), scenario, timeout_s=0.2)


def test_a_flapping_name_is_found_by_a_later_look_up() -> None:
    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(code=SERVFAIL) if times < 2 else Reply(ips=[V4])

    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        await failure_of(resolver, "flap.example")
        clock.advance(11)
        assert await addresses_of(resolver, "flap.example") == (V4,)

    play(zone, scenario)


def test_look_ups_of_one_host_share_a_query() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        found = await asyncio.gather(*(look_up(resolver, "one.example") for _ in range(50)))
        assert len({id(answer) for answer in found}) == 1
        assert server.asked == {("one.example", A): 1, ("one.example", AAAA): 1}

    play(always(Reply(ips=[V4])), scenario)


@pytest.mark.parametrize(("ttl_s", "kept_s"), [(0, 30), (300, 300), (1_000_000, 3600)])
def test_an_answer_is_kept_for_its_time_within_bounds(ttl_s: int, kept_s: int) -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        await addresses_of(resolver, "kept.example")
        clock.advance(kept_s - 1)
        assert resolver.cached("kept.example") is not None
        clock.advance(1)
        assert resolver.cached("kept.example") is None

    play(always(Reply(ips=[V4], ttl_s=ttl_s)), scenario)


@pytest.mark.parametrize(("code", "kept_s"), [(NXDOMAIN, 60), (SERVFAIL, 10)])
def test_a_failure_is_kept_for_a_while(code: int, kept_s: int) -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        await failure_of(resolver, "kept.example")
        clock.advance(kept_s - 1)
        assert resolver.cached("kept.example") is not None
        clock.advance(1)
        assert resolver.cached("kept.example") is None

    play(always(Reply(code=code)), scenario)


def test_a_clock_that_goes_back_ends_an_answer() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        await addresses_of(resolver, "kept.example")
        clock.advance(-1)
        assert resolver.cached("kept.example") is None

    play(always(Reply(ips=[V4])), scenario)


def test_a_lost_query_is_repeated_within_the_timeout() -> None:
    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(is_silent=True) if times == 0 else Reply(ips=[V4])

    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert await addresses_of(resolver, "lost.example") == (V4,)

    play(zone, scenario, timeout_s=1.0)


def test_a_host_has_no_more_addresses_than_are_ever_dialled() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert len(await addresses_of(resolver, "many.example")) == 16

    play(always(Reply(ips=[f"198.51.100.{i}" for i in range(60)])), scenario)


@pytest.mark.parametrize(
    ("host", "ips"),
    [
        ("localhost", ("127.0.0.1", "::1")),
        ("app.localhost", ("127.0.0.1", "::1")),
        ("198.51.100.7", ("198.51.100.7",)),
        ("2001:db8::7", ("2001:db8::7",)),
    ],
)
def test_some_hosts_need_no_look_up(host: str, ips: tuple[str, ...]) -> None:
    found = Resolver(FetchSettings(), FakeClock()).cached(host)
    assert isinstance(found, Addresses)
    assert found.ips == ips


@pytest.mark.parametrize("host", ["example.com", "1.2.3.4.5", "a1", "", "x:y"])
def test_other_hosts_do(host: str) -> None:
    assert Resolver(FetchSettings(), FakeClock()).cached(host) is None


def test_the_users_own_addresses_come_before_everything() -> None:
    resolver = Resolver(FetchSettings(resolve=(f"*:{OTHER_V4}",)), FakeClock())
    found = [resolver.cached(host) for host in ("example.com", "localhost", "10.0.0.1")]
    assert [answer.ips for answer in found if isinstance(answer, Addresses)] == [(OTHER_V4,)] * 3


def test_names_of_the_hosts_file_are_found_without_a_name_server() -> None:
    with open("/etc/hosts", encoding="utf-8") as hosts:
        entries = [line.split("#")[0].split() for line in hosts]
    names = {name for entry in entries for name in entry[1:]} - {"localhost"}
    if not names:
        pytest.skip("the hosts file names no other host")

    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        assert await addresses_of(resolver, min(names))
        assert not server.asked

    play(always(Reply(code=NXDOMAIN)), scenario)


@pytest.mark.parametrize("host", ["a" * 300 + ".example", "a..b", "under_score.example", "é.test"])
def test_odd_names_do_not_raise(host: str) -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        await failure_of(resolver, host)

    play(always(Reply(code=NXDOMAIN)), scenario)


def test_a_dead_name_server_is_a_temporary_failure() -> None:
    async def run() -> None:
        settings = FetchSettings(dns_servers=("127.0.0.1:1",), dns_timeout_s=1.0)
        resolver = Resolver(settings, FakeClock())
        resolver.open()
        failure = await failure_of(resolver, "any.example")
        resolver.close()
        assert not failure.is_no_such_host

    asyncio.run(run())


def test_a_bad_name_server_is_named_in_the_error() -> None:
    async def run() -> None:
        Resolver(FetchSettings(dns_servers=("not a server",)), FakeClock()).open()

    with pytest.raises(ConfigError, match="not a server"):
        asyncio.run(run())


def test_closing_twice_and_while_a_look_up_runs_is_safe() -> None:
    async def scenario(resolver: Resolver, clock: FakeClock, server: NameServer) -> None:
        resolver.lookup("silent.example", lambda found: pytest.fail("called after closing"))
        resolver.close()
        resolver.close()

    play(always(Reply(is_silent=True)), scenario)


# --- what other workers have looked up ---------------------------------------------------------------


def play_together(
    zone: Zone, scenario: Callable[[Resolver, MemoryCoordination, NameServer], Awaitable[None]]
) -> None:
    async def run(server: NameServer) -> None:
        clock = FakeClock()
        shared = MemoryCoordination(clock)
        resolver = Resolver(FetchSettings(dns_servers=(server.address,)), clock, shared)
        resolver.open()
        try:
            await scenario(resolver, shared, server)
        finally:
            resolver.close()

    with name_server(zone) as server:
        asyncio.run(run(server))


def test_addresses_that_another_worker_found_are_not_looked_up() -> None:
    async def scenario(resolver: Resolver, shared: MemoryCoordination, server: NameServer) -> None:
        now = FakeClock().now()
        shared.save_addresses("a.test", Addresses(ips=(OTHER_V4,), stored_at=now, expires_at=now + 60))
        assert await addresses_of(resolver, "a.test") == (OTHER_V4,)
        assert not server.asked

    play_together(lambda name, kind, times: Reply(ips=[V4], ttl_s=300), scenario)


def test_addresses_that_were_looked_up_are_shared() -> None:
    async def scenario(resolver: Resolver, shared: MemoryCoordination, server: NameServer) -> None:
        assert await addresses_of(resolver, "a.test") == (V4,)
        found = await shared.find_addresses("a.test")
        assert found is not None
        assert found.ips == (V4,)

    play_together(lambda name, kind, times: Reply(ips=[V4], ttl_s=300), scenario)


def test_a_failed_look_up_is_not_shared() -> None:
    async def scenario(resolver: Resolver, shared: MemoryCoordination, server: NameServer) -> None:
        await failure_of(resolver, "a.test")
        assert await shared.find_addresses("a.test") is None

    play_together(lambda name, kind, times: Reply(code=NXDOMAIN), scenario)


def test_closing_ends_lookups_of_shared_addresses() -> None:
    async def scenario(resolver: Resolver, shared: MemoryCoordination, server: NameServer) -> None:
        resolver.lookup("a.test", lambda found: pytest.fail("called after the end"))
        resolver.close()
        await asyncio.sleep(0.01)

    play_together(lambda name, kind, times: Reply(ips=[V4], ttl_s=300), scenario)
