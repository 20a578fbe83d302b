"""The frontier in SQLite. See contracts/frontier.py."""

from collections.abc import Collection, Mapping, Sequence

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
from tenax.stores.hot.rows import read_rules
from tenax.stores.hot.statements import LIST_RULES
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.claims import claim_domains
from tenax.stores.sqlite.frontier.items.loading import add_parser_facts
from tenax.stores.sqlite.frontier.learned.traps import list_decided
from tenax.stores.sqlite.frontier.loading import load_domains, load_head
from tenax.stores.sqlite.frontier.outlook import find_horizon, has_untried, summarise, take_overview
from tenax.stores.sqlite.frontier.releases import release_domains
from tenax.stores.sqlite.frontier.renewal import renew_leases
from tenax.stores.sqlite.frontier.revival import requeue
from tenax.stores.sqlite.frontier.settle import settle_batch
from tenax.stores.sqlite.frontier.urls import insert_urls


class SqliteFrontier:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        return await self._database.write(
            lambda connection: insert_urls(connection, urls, now, source_id=self._source_id).new
        )

    async def requeue(self, urls: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: requeue(
                connection, urls, connection.execute("SELECT now_s()").fetchone()[0], self._source_id
            )
        )

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        return await self._database.write(
            lambda connection: claim_domains(
                connection, self._source_id, worker_id, run_id, limit, lease_s, site_gap_s
            )
        )

    async def load(
        self, leases: Sequence[Lease], head_limit: int, known_limit: int, *, has_parsers: bool = False
    ) -> list[LoadedDomain]:
        def load(connection: Connection) -> list[LoadedDomain]:
            loaded = load_domains(connection, leases, head_limit, known_limit)
            if not has_parsers:
                return loaded
            heads = [domain.head for domain in loaded]
            return complete_domains(loaded, add_parser_facts(connection, heads, self._source_id))

        return await self._database.read(load)

    async def heads(self, wanted: Sequence[tuple[int, int]], *, has_parsers: bool = False) -> list[QueueHead]:
        def load(connection: Connection) -> list[QueueHead]:
            heads = [load_head(connection, domain_id, limit) for domain_id, limit in wanted]
            return add_parser_facts(connection, heads, self._source_id) if has_parsers else heads

        return await self._database.read(load)

    async def settle(self, batch: Batch) -> Settled:
        return await self._database.write(lambda connection: settle_batch(connection, batch, self._source_id))

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        return await self._database.write(
            lambda connection: renew_leases(
                connection, self._source_id, worker_id, run_id, leases, lease_s, vitals
            )
        )

    async def release(self, releases: Sequence[Release]) -> None:
        await self._database.write(lambda connection: release_domains(connection, releases))

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        return await self._database.read(lambda connection: _list_rules(connection, worker_id))

    async def list_decided_traps(self, worker_id: int) -> list[tuple[int, int, Trap]]:
        return await self._database.read(lambda connection: list_decided(connection, worker_id))

    async def horizon(self, worker_id: int) -> RemainingWork:
        return await self._database.read(
            lambda connection: find_horizon(connection, self._source_id, worker_id)
        )

    async def has_untried(self, before: Instant) -> bool:
        return await self._database.read(lambda connection: has_untried(connection, self._source_id, before))

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        return await self._database.read(lambda connection: summarise(connection, self._source_id, domains))

    async def find_outdated_parsers(self, versions: Mapping[str, str]) -> list[str]:
        statement = LIST_VERSIONS.format(source="?")
        return await self._database.read(
            lambda connection: find_outdated(connection.execute(statement, (self._source_id,)), versions)
        )

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        return await self._database.read(
            lambda connection: take_overview(connection, self._source_id, delay_s, pages_per_domain)
        )


def _list_rules(connection: Connection, worker_id: int) -> list[tuple[int, int, DomainRules]]:
    rows = connection.execute(LIST_RULES, (worker_id,))
    return [(row[0], row[1], read_rules(row[2:])) for row in rows]
