"""The frontier in PostgreSQL. See contracts/frontier.py."""

import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from tenax.clock import Instant
from tenax.records.domains import DomainRules, Lease
from tenax.records.jobs import NO_SOURCE
from tenax.records.traps import Trap
from tenax.records.urls import NewUrl
from tenax.stores.contracts.batches import Batch, LoadedDomain, QueueHead, Release, Settled
from tenax.stores.contracts.overview import Overview, RemainingWork, Summary
from tenax.stores.contracts.vitals import Vitals
from tenax.stores.hot.items.loading import complete_domains
from tenax.stores.hot.items.versions import LIST_VERSIONS, find_outdated
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.rows import read_rules
from tenax.stores.hot.statements import LIST_RULES
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.connection.stuck_sessions import end_stuck_sessions
from tenax.stores.postgres.frontier.claims import claim_domains
from tenax.stores.postgres.frontier.items.loading import add_parser_facts
from tenax.stores.postgres.frontier.learned.traps import list_decided
from tenax.stores.postgres.frontier.loading import load_domains, load_heads
from tenax.stores.postgres.frontier.outlook import find_horizon, has_untried, summarise, take_overview
from tenax.stores.postgres.frontier.releases import release_domains
from tenax.stores.postgres.frontier.renewal import renew_leases
from tenax.stores.postgres.frontier.revival import requeue
from tenax.stores.postgres.frontier.settle import settle_batch
from tenax.stores.postgres.frontier.urls import add_urls
from tenax.stores.postgres.schema.partitions import Partitions

_LIST_RULES = to_postgres(LIST_RULES)

OVERVIEW_SHARE = 20


class PostgresFrontier:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id
        self._partitions = Partitions(database)
        self._overview: Overview | None = None
        self._overview_until = 0.0

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        added = await self._database.write(
            lambda connection: add_urls(connection, urls, now, self._database.clock, self._source_id),
            is_slow=True,
        )
        self._overview = None  # from before the first seeds, it would say that one worker is enough
        return added

    async def requeue(self, urls: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: requeue(connection, urls, self._database.clock, self._source_id), is_slow=True
        )

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        if self._database.clock.is_in_doubt:
            return []
        return await self._database.write(
            lambda connection: claim_domains(
                connection,
                self._database.clock,
                self._source_id,
                worker_id,
                run_id,
                limit,
                lease_s,
                site_gap_s,
            )
        )

    async def load(
        self, leases: Sequence[Lease], head_limit: int, known_limit: int, *, has_parsers: bool = False
    ) -> list[LoadedDomain]:
        async def load(connection: Connection) -> list[LoadedDomain]:
            now = self._database.clock.now()
            loaded = await load_domains(connection, leases, head_limit, known_limit, now)
            if not has_parsers:
                return loaded
            heads = [domain.head for domain in loaded]
            return complete_domains(loaded, await add_parser_facts(connection, heads, self._source_id))

        return await self._database.read(load)

    async def heads(self, wanted: Sequence[tuple[int, int]], *, has_parsers: bool = False) -> list[QueueHead]:
        async def load(connection: Connection) -> list[QueueHead]:
            heads = await load_heads(connection, wanted, self._database.clock.now())
            return await add_parser_facts(connection, heads, self._source_id) if has_parsers else heads

        return await self._database.read(load)

    async def settle(self, batch: Batch) -> Settled:
        return await self._database.write(
            lambda connection: settle_batch(connection, batch, self._source_id, self._database.clock)
        )

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        await self._database.read(end_stuck_sessions)
        settled = await self._database.write(
            lambda connection: renew_leases(
                connection,
                self._source_id,
                worker_id,
                run_id,
                leases,
                lease_s,
                vitals,
                self._database.clock.now(),
            )
        )
        await self._partitions.make_ahead()
        return settled

    async def release(self, releases: Sequence[Release]) -> None:
        await self._database.write(
            lambda connection: release_domains(connection, releases, self._database.clock)
        )

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        return await self._database.read(lambda connection: _list_rules(connection, worker_id))

    async def list_decided_traps(self, worker_id: int) -> list[tuple[int, int, Trap]]:
        return await self._database.read(lambda connection: list_decided(connection, worker_id))

    async def horizon(self, worker_id: int) -> RemainingWork:
        return await self._database.read(
            lambda connection: find_horizon(
                connection, self._source_id, worker_id, self._database.clock.now()
            )
        )

    async def has_untried(self, before: Instant) -> bool:
        return await self._database.read(lambda connection: has_untried(connection, self._source_id, before))

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        now = self._database.clock.now()
        return await self._database.read_snapshot(
            lambda connection: summarise(connection, self._source_id, domains, now)
        )

    async def find_outdated_parsers(self, versions: Mapping[str, str]) -> list[str]:
        statement = LIST_VERSIONS.format(source="$1")
        rows = await self._database.read(lambda connection: connection.fetch(statement, self._source_id))
        return find_outdated(((row[0], row[1], row[2]) for row in rows), versions)

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        """It reads every domain, so it is cached for a while: many workers then take at most a twentieth of a
        reader's time."""
        started_at = time.monotonic()
        if self._overview is None or started_at >= self._overview_until:
            self._overview = await self._database.read(
                partial(
                    take_overview,
                    source_id=self._source_id,
                    delay_s=delay_s,
                    pages_per_domain=pages_per_domain,
                    now=self._database.clock.now(),
                )
            )
            self._overview_until = started_at + OVERVIEW_SHARE * (time.monotonic() - started_at)
        return self._overview


async def _list_rules(connection: Connection, worker_id: int) -> list[tuple[int, int, DomainRules]]:
    rows = await connection.fetch(_LIST_RULES, worker_id)
    return [(row[0], row[1], read_rules(row[2:])) for row in map(tuple, rows)]
