"""The schema of a crawl. SQLite's DDL (sqlite/schema/schema.sql) and the migrations are tested to equal it,
on both databases; ddl.py knows the tables of the other rooms beside it.

Instants are seconds since the epoch. Only urls with `due_at` stand in the frontier's index. PostgreSQL keeps
`visits` in partitions by time; a key of its must name `at` beside `id`.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    or_,
    text,
)

from tenax.records import RunState
from tenax.stores.hot.run_states import UNDER_WAY
from tenax.stores.schema.columns import Id, metadata

# PostgreSQL. Rows that every batch rewrites find room on their page, so that no index has to be touched.
# By default autovacuum comes after a fifth of a table has changed: for ten million urls that is never.
DOMAIN_STORAGE = {"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.02, "autovacuum_vacuum_cost_delay": 0}
URL_STORAGE = {
    "fillfactor": 90,
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_vacuum_insert_scale_factor": 0.05,
    "autovacuum_analyze_scale_factor": 0.02,
}
COUNTER_STORAGE = {"fillfactor": 50}

domains = Table(
    "domains",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("block_code", Text),
    Column("block_reason", Text),
    Column("first_blocked_at", Double),
    # blocked and unreachable: when they are tried again, NULL when a person says so; exhausted: its refresh
    Column("next_crawl_after", Double),
    # counters, moved in the transaction of what they count
    Column("pages_discovered", Integer, nullable=False, server_default=text("0")),
    Column("pages_crawled", Integer, nullable=False, server_default=text("0")),
    Column("queued", Integer, nullable=False, server_default=text("0")),
    Column("requests", Integer, nullable=False, server_default=text("0")),
    Column("wire_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("total_errors", Integer, nullable=False, server_default=text("0")),
    Column("depth_reached", Integer, nullable=False, server_default=text("0")),
    Column("first_seen_at", Double, nullable=False),
    Column("last_crawled_at", Double),
    Column("last_run_id", Integer),
    Column("run_pages", Integer, nullable=False, server_default=text("0")),
    # pace
    Column("robots_delay_s", Double),
    Column("last_start_at", Double),
    Column("last_answer_at", Double),
    Column("last_response_s", Double, nullable=False, server_default=text("0")),
    Column("backoff_level", Integer, nullable=False, server_default=text("0")),
    Column("backoff_until", Double),
    Column("last_backoff_at", Double),
    Column("pushback_streak", Integer, nullable=False, server_default=text("0")),
    Column("forbidden_streak", Integer, nullable=False, server_default=text("0")),
    # breaker
    Column("breaker_state", Text, nullable=False, server_default=text("'closed'")),
    Column("breaker_failures", Integer, nullable=False, server_default=text("0")),
    Column("breaker_successes", Integer, nullable=False, server_default=text("0")),
    Column("breaker_trips", Integer, nullable=False, server_default=text("0")),
    Column("breaker_reopen_at", Double),
    # the lease
    Column("claimed_by", Integer),
    Column("claim_expires_at", Double),
    Column("version", Integer, nullable=False, server_default=text("0")),
    # the earliest next request that politeness allows, as the last owner saw it
    Column("ready_at", Double),
    # the instant from which the domain may be claimed; NULL: nothing to do, or not before a person says so
    Column("avail_at", Double),
    # cooldowns in a row without a page, and answers in a row that ask to log in
    Column("retries", Integer, nullable=False, server_default=text("0")),
    Column("login_streak", Integer, nullable=False, server_default=text("0")),
    Column("images_found", BigInteger, nullable=False, server_default=text("0")),
    Column("images_stored", BigInteger, nullable=False, server_default=text("0")),
    # how much it is wanted, as last computed: policy/scoring.py
    Column("seed_rank", Integer),
    Column("source", Text),
    Column("image_yield_rate", Double),
    Column("avg_images_per_page", Double),
    Column("error_rate", Double),
    Column("priority_score", Integer, nullable=False, server_default=text("0")),
    Column("priority_computed_at", Double),
    Column("tier", Integer, nullable=False, server_default=text("5")),
    # refresh: the earliest of its urls' revisit_at or before; pages seen to have changed or gone
    Column("revisit_at", Double),
    Column("pages_changed", Integer, nullable=False, server_default=text("0")),
    # the source or crawl whose runs crawl it; 0: nobody's, as that was removed
    Column("source_id", Integer, nullable=False, server_default=text("0")),
    # what it is a part of: its name without subdomains and port
    Column("site", Text, nullable=False, server_default=text("''")),
    # what a person wants of it, NULL: as its source has it; see policy/rules.py
    Column("rule_delay_s", Double),
    Column("rule_per_domain", Integer),
    Column("rule_pages", Integer),  # 0: no limit
    Column("is_active", Integer, nullable=False, server_default=text("1")),  # 0: nothing is requested of it
    # who changed that last, and when; NULL: nobody ever did
    Column("rules_by", Text),
    Column("rules_at", Double),
    # 1: urls of it are set aside for others than that; 2: and others have crawled it, too
    Column("mixed", Integer, nullable=False, server_default=text("0")),
    postgresql_with=DOMAIN_STORAGE,
)
Index(
    "domains_avail",
    domains.c.source_id,
    domains.c.tier,
    domains.c.avail_at,
    sqlite_where=domains.c.avail_at.isnot(None),
    postgresql_where=domains.c.avail_at.isnot(None),
)
Index(
    "domains_claimed",
    domains.c.claimed_by,
    sqlite_where=domains.c.claimed_by.isnot(None),
    postgresql_where=domains.c.claimed_by.isnot(None),
)
# Workers look every second whether a rule of what they hold has changed. Few domains have any.
HAS_RULES = text("claimed_by IS NOT NULL AND rules_at IS NOT NULL")
Index("domains_ruled", domains.c.claimed_by, sqlite_where=HAS_RULES, postgresql_where=HAS_RULES)
Index("domains_site", domains.c.site)
Index(
    "domains_mixed",
    domains.c.source_id,
    sqlite_where=text("mixed > 0"),
    postgresql_where=text("mixed > 0"),
)

domain_events = Table(
    "domain_events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("from_status", Text, nullable=False),
    Column("to_status", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("run_id", Integer),  # NULL, and worker_id too: a person did it
    Column("worker_id", Integer),
)
Index("domain_events_domain", domain_events.c.domain_id, domain_events.c.id)

urls = Table(
    "urls",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due_at", Double),
    Column("fate", Text, nullable=False),
    Column("reason", Text),
    Column("detail", Text),
    Column("to_url", Text),  # redirect target, or what it is a duplicate of
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("hops", Integer, nullable=False, server_default=text("0")),
    Column("crashes", Integer, nullable=False, server_default=text("0")),
    Column("is_seed", Integer, nullable=False, server_default=text("0")),
    Column("discovered_at", Double, nullable=False),
    Column("discovered_from", BigInteger),
    Column("status", Integer),
    Column("fetched_at", Double),
    # what the next visit needs
    Column("etag", Text),
    Column("last_modified", Text),
    Column("content_hash", BigInteger),
    # from when `tenax refresh` queues its page again; NULL: never, or it is queued
    Column("revisit_at", Double),
    Column("unchanged_count", Integer, nullable=False, server_default=text("0")),
    Column("misses", Integer, nullable=False, server_default=text("0")),
    # merge rules: its class, where it was visited and its own key is another; the class of one that was not,
    # as another url stands for it
    Column("class_key", BigInteger),
    Column("merged_key", BigInteger),
    Column("run_id", Integer),  # of its last visit; NULL: it was never visited
    # JSON: name → value, of the answer that `status` is of; NULL: no setting asked for any, or it had none
    Column("response_headers", Text),
    postgresql_with=URL_STORAGE,
)
Index("urls_key", urls.c.domain_id, urls.c.key, unique=True)
Index(
    "urls_frontier",
    urls.c.domain_id,
    urls.c.priority,
    urls.c.due_at,
    sqlite_where=urls.c.due_at.isnot(None),
    postgresql_where=urls.c.due_at.isnot(None),
    postgresql_with={"fillfactor": 100},
)
# Neither holds a row, nor costs a write anything, where there are no merge rules.
Index(
    "urls_class",
    urls.c.domain_id,
    urls.c.class_key,
    sqlite_where=urls.c.class_key.isnot(None),
    postgresql_where=urls.c.class_key.isnot(None),
)
Index(
    "urls_merged",
    urls.c.domain_id,
    urls.c.merged_key,
    urls.c.id,
    sqlite_where=urls.c.merged_key.isnot(None),
    postgresql_where=urls.c.merged_key.isnot(None),
)

set_aside = Table(
    "set_aside",
    metadata,
    # Urls that a source or crawl wants while their domain serves another one: they come back with it.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("source_id", Integer, nullable=False),  # who wants it
    Column("domain_id", Id, nullable=False),
    # what its row said, or would say, if the domain were theirs
    Column("depth", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due_at", Double, nullable=False),
    # of a page that was to be visited again: a visit after this was for them, too; NULL: of a first visit
    Column("revisit_since", Double),
)
Index("set_aside_url", set_aside.c.url_id, set_aside.c.source_id, unique=True)
Index("set_aside_source", set_aside.c.source_id, set_aside.c.domain_id)

pages = Table(
    "pages",
    metadata,
    # No row id in SQLite: rows are appended, rather than put between others by the id of their url.
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),
    Column("domain_id", Id, nullable=False),
    Column("status", Integer, nullable=False),
    Column("content_type", Text),
    Column("charset", Text, nullable=False),
    Column("language", Text),
    Column("body_bytes", Integer, nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("canonical", Text),
    Column("content_hash", BigInteger, nullable=False),
    Column("text", LargeBinary, nullable=False),  # zstd
    Column("links_count", Integer, nullable=False),
    Column("links", LargeBinary, nullable=False),  # zstd of JSON: [[url, rel, anchor, tag], …]
    Column("fetched_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("first_fetched_at", Double),  # NULL: before this was noted
    Column("images_count", Integer, nullable=False, server_default=text("0")),
    Column("images", LargeBinary),  # zstd of JSON: [[url, alt, kind], …]; NULL: none
)
Index("pages_content", pages.c.domain_id, pages.c.content_hash)
# New pages come in this order: it grows at its end.
Index(
    "pages_first",
    pages.c.first_fetched_at,
    sqlite_where=pages.c.first_fetched_at.isnot(None),
    postgresql_where=pages.c.first_fetched_at.isnot(None),
)

changes = Table(
    "changes",
    metadata,
    # What revisits have found. Of a new page only its first_fetched_at tells, unless it was gone before.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("old_hash", BigInteger, nullable=False),
    Column("new_hash", BigInteger),  # NULL: gone
    Column("old_bytes", Integer, nullable=False),
    Column("new_bytes", Integer),
    Column("title", Text),
)
Index("changes_at", changes.c.at)

images = Table(
    "images",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    # where it was seen first; pages.images says where else
    Column("url_id", BigInteger, nullable=False),
    Column("domain_id", Id, nullable=False),  # of that page
    Column("run_id", Integer, nullable=False),
    Column("alt", Text, nullable=False),
    Column("discovery", Text, nullable=False),  # discovery, or refresh: the page had been visited before
    Column("first_seen_at", Double, nullable=False),
)
Index("images_key", images.c.key, unique=True)
Index("images_domain", images.c.domain_id)

visits = Table(
    "visits",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Integer, nullable=False),
    Column("worker_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger),  # NULL: a robots.txt request
    Column("at", Double, nullable=False),
    Column("duration_s", Double, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("status", Integer),
    Column("wire_bytes", Integer, nullable=False),
    Column("error_kind", Text),
    Column("error_detail", Text),
    postgresql_partition_by="RANGE (at)",
)
Index("visits_domain", visits.c.domain_id, visits.c.at)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("status", Integer),
    Column("body", LargeBinary, nullable=False),
    Column("fetched_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("error", Text),
)
Index("robots_domain", robots.c.domain_id)

seeds = Table(
    "seeds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False),
    Column("cause", Text, nullable=False),  # user, list, or redirect of another seed
    Column("added_at", Double, nullable=False),
    # the list that ranks it best, and its place there
    Column("source", Text),
    Column("rank", Integer),
    # its roots; its domain is its host without www: policy/roots.py
    Column("host", Text, nullable=False, server_default=text("''")),
    Column("site", Text, nullable=False, server_default=text("''")),
    Column("source_id", Integer, nullable=False, server_default=text("0")),  # as of domains
)
Index("seeds_url", seeds.c.source_id, seeds.c.url, unique=True)
Index("seeds_roots", seeds.c.source_id, seeds.c.site, seeds.c.host)

IS_UNDER_WAY = text(UNDER_WAY)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("state", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("requests", Id, nullable=False, server_default=text("0")),
    Column("pages", Id, nullable=False, server_default=text("0")),
    Column("wire_bytes", BigInteger, nullable=False, server_default=text("0")),
    # orders of a person: it rests until somebody resumes it; it is over, and nobody joins it any more
    Column("paused_at", Double),
    Column("cancelled_at", Double),
    # the greatest ids when it was opened: what belongs to it comes later; 0: not noted then
    Column("first_visit_id", Id, nullable=False, server_default=text("0")),
    Column("first_event_id", Id, nullable=False, server_default=text("0")),
    Column("source_id", Integer, nullable=False, server_default=text("0")),  # as of domains
    # what ordered it; NULL: a person. One execution has one run, however often it is started
    Column("execution_id", Id),
    Column("visits", Id, nullable=False, server_default=text("0")),
    Column("failed", Id, nullable=False, server_default=text("0")),  # of the visits
    # what waited when it ended, by what held it back: see hot/leftovers.py; NULL: it goes on, or not counted
    Column("leftover", Text),
    postgresql_with=COUNTER_STORAGE,
)
Index("runs_execution", runs.c.execution_id, unique=True)
Index("runs_source", runs.c.source_id, runs.c.id)
# Asked for twice a second, and hardly any of all runs.
Index("runs_under_way", runs.c.id, sqlite_where=IS_UNDER_WAY, postgresql_where=IS_UNDER_WAY)
# One that is reserved and not opened yet is paused since it began.
IS_OPENED = or_(runs.c.state != RunState.PAUSED, runs.c.paused_at != runs.c.started_at)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", Text, nullable=False, unique=True),
    Column("run_id", Integer, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("ended_at", Double),
    # pages of the run's budget that are set aside for it and not settled yet
    Column("granted", Integer, nullable=False, server_default=text("0")),
    # 1: it found no domain to claim while others hold more than their share
    Column("is_hungry", Integer, nullable=False, server_default=text("0")),
    # the number of its last batch that was settled: one that comes again is not counted twice
    Column("last_batch", Id, nullable=False, server_default=text("0")),
    # what it says of itself with every heartbeat; see stores/hot/vitals.py
    Column("pages", Id, nullable=False, server_default=text("0")),
    Column("pages_per_min", Double, nullable=False, server_default=text("0")),
    Column(
        "trouble", Text
    ),  # JSON: [{service, state, retry_at, reason}, …]; NULL: every service does its part
    Column("rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    # 1: it did not leave; others found it dead, or silent for so long that nobody waits for it
    Column("is_buried", Integer, nullable=False, server_default=text("0")),
    # of its process, so far
    Column("peak_rss_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("cpu_ms", BigInteger, nullable=False, server_default=text("0")),
    # its run's: one that is silent for longer holds nothing that counts
    Column("lease_s", Double, nullable=False, server_default=text("600")),
    # of its domains, those that have not answered a request under way; as it said with its last heartbeat
    Column("silent_domains", Integer, nullable=False, server_default=text("0")),
    postgresql_with=COUNTER_STORAGE,
    sqlite_autoincrement=True,  # a dead worker's id must never come back: leases name it
)
Index(
    "workers_live",
    workers.c.run_id,
    sqlite_where=workers.c.ended_at.is_(None),
    postgresql_where=workers.c.ended_at.is_(None),
)

# Minutes that no hour and no day has taken in yet: the totals are these and the days.
IS_UNROLLED = text("span = 'minute' AND is_rolled = 0")

stats = Table(
    "stats",
    metadata,
    # What was settled in a span of time; see stores/hot/stats.py.
    Column("id", Id, primary_key=True),
    Column("span", Text, nullable=False),  # minute, hour or day
    Column("at", Id, nullable=False),  # when it begins
    Column("worker_id", Integer, nullable=False),  # of a minute; 0: of all workers
    Column("is_rolled", Integer, nullable=False, server_default=text("0")),
    Column("requests", Id, nullable=False),
    Column("wire_bytes", BigInteger, nullable=False),
    Column("duration_s", Double, nullable=False),  # of all requests together
    Column("dns_lookups", Id, nullable=False),
    Column("dns_s", Double, nullable=False),
    Column("robots_denials", Id, nullable=False),
    Column("discovered", Id, nullable=False),  # urls that were new
    # JSON: what → how many
    Column("outcomes", Text, nullable=False),
    Column("statuses", Text, nullable=False),
    Column("failures", Text, nullable=False),
    Column("durations", Text, nullable=False),  # the bucket's upper bound → requests
    postgresql_with=COUNTER_STORAGE,
)
Index("stats_key", stats.c.span, stats.c.at, stats.c.worker_id, unique=True)
Index("stats_unrolled", stats.c.at, sqlite_where=IS_UNROLLED, postgresql_where=IS_UNROLLED)

users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the name as it is compared
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),  # argon2id
    # the fence of its sessions: one that names an older version has ended
    Column("version", Integer, nullable=False, server_default=text("0")),
    # 1: an administrator that was added when there was none; two at once cannot both be
    Column("founder", Integer, unique=True),
    Column("created_at", Double, nullable=False),
    Column("disabled_at", Double),
    sqlite_autoincrement=True,  # what was the business of one user must never become that of another
)

sessions = Table(
    "sessions",
    metadata,
    # Those that are not in Redis, and those that were ended before their time, wherever they are.
    Column("id", Id, primary_key=True),
    Column("key", LargeBinary, nullable=False, unique=True),  # SHA-256 of what the cookie says
    Column("user_id", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("ended_at", Double),
)
Index("sessions_user", sessions.c.user_id)
Index("sessions_expiry", sessions.c.expires_at)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the part of it that may be shown
    Column("secret_hash", LargeBinary, nullable=False),  # SHA-256
    Column("scopes", Text, nullable=False),  # separated by spaces
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
    Column("last_used_at", Double),  # to the minute
    sqlite_autoincrement=True,
)
Index("tokens_name", tokens.c.user_id, tokens.c.name, unique=True)

audit = Table(
    "audit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("kind", Text, nullable=False),  # session, token, jwt, cli, anonymous
    Column("address", Text),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("detail", Text, nullable=False),  # JSON
    Column("outcome", Text, nullable=False),
)
Index("audit_at", audit.c.at)

discovered_links = Table(
    "discovered_links",
    metadata,
    # Where links lead that scope does not admit, one row for each domain. Counted at first sight by each
    # worker, so that a link which stands on every page costs nothing.
    Column("id", Id, primary_key=True),
    Column("domain", Text, nullable=False, unique=True),
    Column("url", Text, nullable=False),  # the first of its links
    Column("discovered_from", BigInteger, nullable=False),  # the url of the page that it stood on
    Column("links", Id, nullable=False),  # different urls of the domain
    Column("pages", Id, nullable=False),  # that named one of them first
    Column("first_seen_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    # 1: a person does not want to see it any more
    Column("is_hidden", Integer, nullable=False, server_default=text("0")),
    postgresql_with=DOMAIN_STORAGE,
)

copies = Table(
    "copies",
    metadata,
    # One row, with id 1, in a store that was, or is being, copied from another one; see stores/copy/base.py.
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("reached", Text, nullable=False),  # JSON: table → key of the last row that is here
)

store_clock = Table(
    "store_clock",
    metadata,
    # What the store's clock is made of; see clock.py.
    Column("name", Text, primary_key=True),  # `database`, or what a machine calls the time since its start
    Column("offset_s", Double, nullable=False),  # from the server's calendar, or that machine's uptime
    Column("since", Double, nullable=False),  # from when on it is known to be steady
    Column("seen_at", Double, nullable=False),  # what it said when somebody last looked
    Column("revision", Integer, nullable=False, server_default=text("0")),  # of the database's offset
)
