"""Domains: their counters, pace, breaker, lease and rules; how their status changed; robots.txt of their
origins; and the domains out of scope that pages link to.
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, Table, Text, text

from tenax.stores.schema.columns import DOMAIN_STORAGE, Id, metadata

domains = Table(
    "domains",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("block_code", Text),
    Column("block_reason", Text),
    Column("first_blocked_at", Double),
    # blocked and unreachable: when it is tried again, NULL: when a user says so; exhausted: its refresh
    Column("next_crawl_after", Double),
    # counters, changed in the transaction of what they count
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
    # the earliest next request that politeness allows, as planned by the last owner
    Column("ready_at", Double),
    # the instant from which the domain may be claimed; NULL: nothing to do, or not before a user says so
    Column("avail_at", Double),
    # consecutive cooldowns without a page, and consecutive responses that require a login
    Column("retries", Integer, nullable=False, server_default=text("0")),
    Column("login_streak", Integer, nullable=False, server_default=text("0")),
    Column("images_found", BigInteger, nullable=False, server_default=text("0")),
    Column("images_stored", BigInteger, nullable=False, server_default=text("0")),
    # its priority as last computed: policy/scoring.py
    Column("seed_rank", Integer),
    Column("source", Text),
    Column("image_yield_rate", Double),
    Column("avg_images_per_page", Double),
    Column("error_rate", Double),
    Column("priority_score", Integer, nullable=False, server_default=text("0")),
    Column("priority_computed_at", Double),
    Column("tier", Integer, nullable=False, server_default=text("5")),
    # refresh: not later than the earliest revisit_at of its urls; pages seen to have changed or gone
    Column("revisit_at", Double),
    Column("pages_changed", Integer, nullable=False, server_default=text("0")),
    # the source or crawl that it belongs to; 0: none, as that was removed
    Column("source_id", Integer, nullable=False, server_default=text("0")),
    # the site that it is part of: its name without subdomains and port
    Column("site", Text, nullable=False, server_default=text("''")),
    # rules set by a user, NULL: those of its source apply; see policy/rules.py
    Column("rule_delay_s", Double),
    Column("rule_per_domain", Integer),
    Column("rule_pages", Integer),  # 0: no limit
    Column("is_active", Integer, nullable=False, server_default=text("1")),  # 0: nothing is requested from it
    # who changed the rules last, and when; NULL: they were never changed
    Column("rules_by", Text),
    Column("rules_at", Double),
    # 1: urls of it are set aside for other sources; 2: and other sources have crawled it, too
    Column("mixed", Integer, nullable=False, server_default=text("0")),
    # how it answers where there is no page: policy/guards/soft_404.py, as JSON; NULL: not known yet
    Column("soft_404", Text),
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

# Workers check every second whether a rule of a domain they hold has changed. Few domains have rules.
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
    Column("run_id", Integer),  # NULL, like worker_id: a user did it
    Column("worker_id", Integer),
)
Index("domain_events_domain", domain_events.c.domain_id, domain_events.c.id)

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

discovered_links = Table(
    "discovered_links",
    metadata,
    # Domains out of scope that pages link to. Each worker counts a url when it first sees it, so a link that
    # is on every page costs nothing.
    Column("id", Id, primary_key=True),
    Column("domain", Text, nullable=False, unique=True),
    Column("url", Text, nullable=False),  # the first of its links
    Column("discovered_from", BigInteger, nullable=False),  # the url of the page with that link
    Column("links", Id, nullable=False),  # different urls of the domain
    Column("pages", Id, nullable=False),  # that were the first to link to one of them
    Column("first_seen_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    # 1: a user has hidden it
    Column("is_hidden", Integer, nullable=False, server_default=text("0")),
    postgresql_with=DOMAIN_STORAGE,
)
