--
-- PostgreSQL database dump
--

\restrict AjjaWfmzpYBk9JHZsWnGBRJKuFojMXypJhoJliWLsdtxmbMf9iZmPNvCuzZQJ1T

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: tenax_now(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tenax_now() RETURNS double precision
    LANGUAGE sql
    AS $$SELECT extract(epoch FROM clock_timestamp())::double precision$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alembic_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    id bigint NOT NULL,
    at double precision NOT NULL,
    actor text NOT NULL,
    kind text NOT NULL,
    address text,
    action text NOT NULL,
    target text,
    detail text NOT NULL,
    outcome text NOT NULL
);


--
-- Name: audit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: audit_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.audit_id_seq OWNED BY public.audit.id;


--
-- Name: changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.changes (
    id bigint NOT NULL,
    url_id bigint NOT NULL,
    domain_id bigint NOT NULL,
    run_id integer NOT NULL,
    at double precision NOT NULL,
    kind text NOT NULL,
    old_hash bigint NOT NULL,
    new_hash bigint,
    old_bytes integer NOT NULL,
    new_bytes integer,
    title text
);


--
-- Name: changes_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: changes_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.changes_id_seq OWNED BY public.changes.id;


--
-- Name: copies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.copies (
    id integer NOT NULL,
    source text NOT NULL,
    fingerprint text NOT NULL,
    started_at double precision NOT NULL,
    ended_at double precision,
    reached text NOT NULL
);


--
-- Name: copies_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.copies_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: copies_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.copies_id_seq OWNED BY public.copies.id;


--
-- Name: discovered_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.discovered_links (
    id bigint NOT NULL,
    domain text NOT NULL,
    url text NOT NULL,
    discovered_from bigint NOT NULL,
    links bigint NOT NULL,
    pages bigint NOT NULL,
    first_seen_at double precision NOT NULL,
    last_seen_at double precision NOT NULL,
    is_hidden integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');


--
-- Name: discovered_links_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.discovered_links_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: discovered_links_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.discovered_links_id_seq OWNED BY public.discovered_links.id;


--
-- Name: domain_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.domain_events (
    id bigint NOT NULL,
    domain_id bigint NOT NULL,
    at double precision NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    cause text NOT NULL,
    detail text NOT NULL,
    run_id integer,
    worker_id integer
);


--
-- Name: domain_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.domain_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: domain_events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.domain_events_id_seq OWNED BY public.domain_events.id;


--
-- Name: domains; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.domains (
    id bigint NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    block_code text,
    block_reason text,
    first_blocked_at double precision,
    next_crawl_after double precision,
    pages_discovered integer DEFAULT 0 NOT NULL,
    pages_crawled integer DEFAULT 0 NOT NULL,
    queued integer DEFAULT 0 NOT NULL,
    requests integer DEFAULT 0 NOT NULL,
    wire_bytes bigint DEFAULT 0 NOT NULL,
    total_errors integer DEFAULT 0 NOT NULL,
    depth_reached integer DEFAULT 0 NOT NULL,
    first_seen_at double precision NOT NULL,
    last_crawled_at double precision,
    last_run_id integer,
    run_pages integer DEFAULT 0 NOT NULL,
    robots_delay_s double precision,
    last_start_at double precision,
    last_answer_at double precision,
    last_response_s double precision DEFAULT 0 NOT NULL,
    backoff_level integer DEFAULT 0 NOT NULL,
    backoff_until double precision,
    last_backoff_at double precision,
    pushback_streak integer DEFAULT 0 NOT NULL,
    forbidden_streak integer DEFAULT 0 NOT NULL,
    breaker_state text DEFAULT 'closed'::text NOT NULL,
    breaker_failures integer DEFAULT 0 NOT NULL,
    breaker_successes integer DEFAULT 0 NOT NULL,
    breaker_trips integer DEFAULT 0 NOT NULL,
    breaker_reopen_at double precision,
    claimed_by integer,
    claim_expires_at double precision,
    version integer DEFAULT 0 NOT NULL,
    ready_at double precision,
    avail_at double precision,
    retries integer DEFAULT 0 NOT NULL,
    login_streak integer DEFAULT 0 NOT NULL,
    images_found bigint DEFAULT 0 NOT NULL,
    images_stored bigint DEFAULT 0 NOT NULL,
    seed_rank integer,
    source text,
    image_yield_rate double precision,
    avg_images_per_page double precision,
    error_rate double precision,
    priority_score integer DEFAULT 0 NOT NULL,
    priority_computed_at double precision,
    tier integer DEFAULT 5 NOT NULL,
    revisit_at double precision,
    pages_changed integer DEFAULT 0 NOT NULL,
    source_id integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');


--
-- Name: domains_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.domains_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: domains_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.domains_id_seq OWNED BY public.domains.id;


--
-- Name: executions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.executions (
    id bigint NOT NULL,
    job_id integer NOT NULL,
    number integer NOT NULL,
    scheduled_at double precision NOT NULL,
    trigger text NOT NULL,
    state text NOT NULL,
    run_id integer,
    retry_number integer DEFAULT 0 NOT NULL,
    started_at double precision NOT NULL,
    ended_at double precision,
    items_crawled bigint DEFAULT 0 NOT NULL,
    items_changed bigint DEFAULT 0 NOT NULL,
    items_failed bigint DEFAULT 0 NOT NULL,
    error text,
    traceback text,
    cpu_ms bigint DEFAULT 0 NOT NULL,
    peak_rss_bytes bigint DEFAULT 0 NOT NULL
);


--
-- Name: executions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.executions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: executions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.executions_id_seq OWNED BY public.executions.id;


--
-- Name: feeds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feeds (
    id bigint NOT NULL,
    source_id integer NOT NULL,
    url text NOT NULL,
    domain text NOT NULL,
    kind text,
    title text,
    state text NOT NULL,
    etag text,
    last_modified text,
    interval_s double precision NOT NULL,
    next_poll_at double precision,
    last_polled_at double precision,
    last_status integer,
    error text,
    failures integer DEFAULT 0 NOT NULL,
    entries_new bigint DEFAULT 0 NOT NULL,
    created_at double precision NOT NULL,
    lock_token text,
    lock_until double precision
);


--
-- Name: feeds_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.feeds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: feeds_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.feeds_id_seq OWNED BY public.feeds.id;


--
-- Name: images; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.images (
    id bigint NOT NULL,
    key bigint NOT NULL,
    url text NOT NULL,
    url_id bigint NOT NULL,
    domain_id bigint NOT NULL,
    run_id integer NOT NULL,
    alt text NOT NULL,
    discovery text NOT NULL,
    first_seen_at double precision NOT NULL
);


--
-- Name: images_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.images_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: images_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.images_id_seq OWNED BY public.images.id;


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    id integer NOT NULL,
    source_id integer NOT NULL,
    url text,
    state text NOT NULL,
    interval_minutes integer,
    interval_type text DEFAULT 'minutes'::text NOT NULL,
    schedule_enabled integer NOT NULL,
    adaptive_scheduling integer DEFAULT 1 NOT NULL,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    active_hours text,
    next_run_at double precision,
    phase_at double precision,
    slot_moved_at double precision,
    priority integer DEFAULT 5 NOT NULL,
    content_hash text,
    unchanged_count integer DEFAULT 0 NOT NULL,
    max_retries integer DEFAULT 3 NOT NULL,
    retry_backoff_seconds integer DEFAULT 60 NOT NULL,
    current_retry_count integer DEFAULT 0 NOT NULL,
    lock_token text,
    lock_acquired_at double precision,
    lock_heartbeat_at double precision,
    stale_locks integer DEFAULT 0 NOT NULL,
    paused_at double precision,
    cancelled_at double precision,
    last_error text,
    metadata text DEFAULT '{}'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL
);


--
-- Name: jobs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.jobs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: jobs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.jobs_id_seq OWNED BY public.jobs.id;


--
-- Name: marks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.marks (
    name text NOT NULL,
    "position" bigint NOT NULL
);


--
-- Name: pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pages (
    url_id bigint NOT NULL,
    domain_id bigint NOT NULL,
    status integer NOT NULL,
    content_type text,
    charset text NOT NULL,
    language text,
    body_bytes integer NOT NULL,
    title text,
    description text,
    canonical text,
    content_hash bigint NOT NULL,
    text bytea NOT NULL,
    links_count integer NOT NULL,
    links bytea NOT NULL,
    fetched_at double precision NOT NULL,
    changed_at double precision NOT NULL,
    first_fetched_at double precision,
    images_count integer DEFAULT 0 NOT NULL,
    images bytea
);
ALTER TABLE ONLY public.pages ALTER COLUMN text SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.pages ALTER COLUMN links SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.pages ALTER COLUMN images SET STORAGE EXTERNAL;


--
-- Name: pages_url_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.pages_url_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: pages_url_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.pages_url_id_seq OWNED BY public.pages.url_id;


--
-- Name: receipts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.receipts (
    domain_id bigint NOT NULL,
    until double precision NOT NULL,
    requests bigint NOT NULL,
    first_at double precision NOT NULL,
    last_at double precision NOT NULL,
    smallest_gap_s double precision,
    smallest_gap_at double precision,
    gaps text NOT NULL,
    failures text NOT NULL,
    unlogged integer DEFAULT 0 NOT NULL
);


--
-- Name: robots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.robots (
    origin text NOT NULL,
    domain_id bigint NOT NULL,
    status integer,
    body bytea NOT NULL,
    fetched_at double precision NOT NULL,
    expires_at double precision NOT NULL,
    error text
);


--
-- Name: runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.runs (
    id integer NOT NULL,
    state text NOT NULL,
    settings text NOT NULL,
    started_at double precision NOT NULL,
    ended_at double precision,
    requests bigint DEFAULT 0 NOT NULL,
    pages bigint DEFAULT 0 NOT NULL,
    wire_bytes bigint DEFAULT 0 NOT NULL,
    paused_at double precision,
    cancelled_at double precision,
    first_visit_id bigint DEFAULT 0 NOT NULL,
    first_event_id bigint DEFAULT 0 NOT NULL,
    source_id integer DEFAULT 0 NOT NULL,
    execution_id bigint,
    visits bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    leftover text
)
WITH (fillfactor='50');


--
-- Name: runs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.runs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: runs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.runs_id_seq OWNED BY public.runs.id;


--
-- Name: seeds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.seeds (
    id integer NOT NULL,
    url text NOT NULL,
    cause text NOT NULL,
    added_at double precision NOT NULL,
    source text,
    rank integer,
    host text DEFAULT ''::text NOT NULL,
    site text DEFAULT ''::text NOT NULL,
    source_id integer DEFAULT 0 NOT NULL
);


--
-- Name: seeds_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.seeds_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: seeds_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.seeds_id_seq OWNED BY public.seeds.id;


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id bigint NOT NULL,
    key bytea NOT NULL,
    user_id integer NOT NULL,
    version integer NOT NULL,
    expires_at double precision NOT NULL,
    ended_at double precision
);


--
-- Name: sessions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sessions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.sessions_id_seq OWNED BY public.sessions.id;


--
-- Name: sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sources (
    id integer NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    definition text NOT NULL,
    enabled integer NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    headers text
);


--
-- Name: sources_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.sources_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sources_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.sources_id_seq OWNED BY public.sources.id;


--
-- Name: stats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stats (
    id bigint NOT NULL,
    span text NOT NULL,
    at bigint NOT NULL,
    worker_id integer NOT NULL,
    is_rolled integer DEFAULT 0 NOT NULL,
    requests bigint NOT NULL,
    wire_bytes bigint NOT NULL,
    duration_s double precision NOT NULL,
    dns_lookups bigint NOT NULL,
    dns_s double precision NOT NULL,
    robots_denials bigint NOT NULL,
    discovered bigint NOT NULL,
    outcomes text NOT NULL,
    statuses text NOT NULL,
    failures text NOT NULL,
    durations text NOT NULL
)
WITH (fillfactor='50');


--
-- Name: stats_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.stats_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: stats_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.stats_id_seq OWNED BY public.stats.id;


--
-- Name: store_clock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.store_clock (
    name text NOT NULL,
    offset_s double precision NOT NULL,
    since double precision NOT NULL,
    seen_at double precision NOT NULL,
    revision integer DEFAULT 0 NOT NULL
);


--
-- Name: tasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tasks (
    id bigint NOT NULL,
    run_id integer NOT NULL,
    queue text NOT NULL,
    priority integer NOT NULL,
    state text NOT NULL,
    deliveries integer DEFAULT 0 NOT NULL,
    error text,
    created_at double precision NOT NULL,
    publish_after double precision,
    queued_at double precision,
    started_at double precision,
    ended_at double precision
);


--
-- Name: tasks_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.tasks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: tasks_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.tasks_id_seq OWNED BY public.tasks.id;


--
-- Name: tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tokens (
    id integer NOT NULL,
    user_id integer NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text NOT NULL,
    created_at double precision NOT NULL,
    expires_at double precision,
    last_used_at double precision
);


--
-- Name: tokens_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.tokens_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: tokens_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.tokens_id_seq OWNED BY public.tokens.id;


--
-- Name: urls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.urls (
    id bigint NOT NULL,
    domain_id bigint NOT NULL,
    key bigint NOT NULL,
    url text NOT NULL,
    depth integer NOT NULL,
    priority integer NOT NULL,
    due_at double precision,
    fate text NOT NULL,
    reason text,
    detail text,
    to_url text,
    attempts integer DEFAULT 0 NOT NULL,
    hops integer DEFAULT 0 NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    is_seed integer DEFAULT 0 NOT NULL,
    discovered_at double precision NOT NULL,
    discovered_from bigint,
    status integer,
    fetched_at double precision,
    etag text,
    last_modified text,
    content_hash bigint,
    revisit_at double precision,
    unchanged_count integer DEFAULT 0 NOT NULL,
    misses integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');


--
-- Name: urls_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.urls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: urls_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.urls_id_seq OWNED BY public.urls.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id integer NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    role text NOT NULL,
    password_hash text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    founder integer,
    created_at double precision NOT NULL,
    disabled_at double precision
);


--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;


--
-- Name: visits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visits (
    id bigint NOT NULL,
    run_id integer NOT NULL,
    worker_id integer NOT NULL,
    domain_id bigint NOT NULL,
    url_id bigint,
    at double precision NOT NULL,
    duration_s double precision NOT NULL,
    outcome text NOT NULL,
    status integer,
    wire_bytes integer NOT NULL,
    error_kind text,
    error_detail text
)
PARTITION BY RANGE (at);


--
-- Name: visits_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.visits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: visits_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.visits_id_seq OWNED BY public.visits.id;


--
-- Name: visits_2026_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visits_2026_11 (
    id bigint DEFAULT nextval('public.visits_id_seq'::regclass) NOT NULL,
    run_id integer NOT NULL,
    worker_id integer NOT NULL,
    domain_id bigint NOT NULL,
    url_id bigint,
    at double precision NOT NULL,
    duration_s double precision NOT NULL,
    outcome text NOT NULL,
    status integer,
    wire_bytes integer NOT NULL,
    error_kind text,
    error_detail text
);


--
-- Name: visits_other; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visits_other (
    id bigint DEFAULT nextval('public.visits_id_seq'::regclass) NOT NULL,
    run_id integer NOT NULL,
    worker_id integer NOT NULL,
    domain_id bigint NOT NULL,
    url_id bigint,
    at double precision NOT NULL,
    duration_s double precision NOT NULL,
    outcome text NOT NULL,
    status integer,
    wire_bytes integer NOT NULL,
    error_kind text,
    error_detail text
);


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    id bigint NOT NULL,
    webhook_id integer NOT NULL,
    event text NOT NULL,
    subject text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_try_at double precision,
    last_status integer,
    last_error text,
    created_at double precision NOT NULL,
    delivered_at double precision,
    lock_token text,
    lock_until double precision
);


--
-- Name: webhook_deliveries_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: webhook_deliveries_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.webhook_deliveries_id_seq OWNED BY public.webhook_deliveries.id;


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id integer NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    events text NOT NULL,
    source_id integer,
    enabled integer NOT NULL,
    enabled_at double precision NOT NULL,
    created_at double precision NOT NULL,
    old_secret text,
    old_secret_until double precision
);


--
-- Name: webhooks_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.webhooks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: webhooks_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.webhooks_id_seq OWNED BY public.webhooks.id;


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id integer NOT NULL,
    uuid text NOT NULL,
    run_id integer NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    started_at double precision NOT NULL,
    heartbeat_at double precision NOT NULL,
    ended_at double precision,
    granted integer DEFAULT 0 NOT NULL,
    is_hungry integer DEFAULT 0 NOT NULL,
    last_batch bigint DEFAULT 0 NOT NULL,
    pages bigint DEFAULT 0 NOT NULL,
    pages_per_min double precision DEFAULT 0 NOT NULL,
    trouble text,
    rss_bytes bigint DEFAULT 0 NOT NULL,
    is_buried integer DEFAULT 0 NOT NULL,
    peak_rss_bytes bigint DEFAULT 0 NOT NULL,
    cpu_ms bigint DEFAULT 0 NOT NULL,
    lease_s double precision DEFAULT 600 NOT NULL,
    silent_domains integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');


--
-- Name: workers_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.workers_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: workers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.workers_id_seq OWNED BY public.workers.id;


--
-- Name: visits_2026_11; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits ATTACH PARTITION public.visits_2026_11 FOR VALUES FROM ('1793491200') TO ('1796083200');


--
-- Name: visits_other; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits ATTACH PARTITION public.visits_other DEFAULT;


--
-- Name: audit id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit ALTER COLUMN id SET DEFAULT nextval('public.audit_id_seq'::regclass);


--
-- Name: changes id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.changes ALTER COLUMN id SET DEFAULT nextval('public.changes_id_seq'::regclass);


--
-- Name: copies id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copies ALTER COLUMN id SET DEFAULT nextval('public.copies_id_seq'::regclass);


--
-- Name: discovered_links id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.discovered_links ALTER COLUMN id SET DEFAULT nextval('public.discovered_links_id_seq'::regclass);


--
-- Name: domain_events id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domain_events ALTER COLUMN id SET DEFAULT nextval('public.domain_events_id_seq'::regclass);


--
-- Name: domains id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domains ALTER COLUMN id SET DEFAULT nextval('public.domains_id_seq'::regclass);


--
-- Name: executions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions ALTER COLUMN id SET DEFAULT nextval('public.executions_id_seq'::regclass);


--
-- Name: feeds id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feeds ALTER COLUMN id SET DEFAULT nextval('public.feeds_id_seq'::regclass);


--
-- Name: images id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.images ALTER COLUMN id SET DEFAULT nextval('public.images_id_seq'::regclass);


--
-- Name: jobs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs ALTER COLUMN id SET DEFAULT nextval('public.jobs_id_seq'::regclass);


--
-- Name: pages url_id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pages ALTER COLUMN url_id SET DEFAULT nextval('public.pages_url_id_seq'::regclass);


--
-- Name: runs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs ALTER COLUMN id SET DEFAULT nextval('public.runs_id_seq'::regclass);


--
-- Name: seeds id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seeds ALTER COLUMN id SET DEFAULT nextval('public.seeds_id_seq'::regclass);


--
-- Name: sessions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions ALTER COLUMN id SET DEFAULT nextval('public.sessions_id_seq'::regclass);


--
-- Name: sources id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources ALTER COLUMN id SET DEFAULT nextval('public.sources_id_seq'::regclass);


--
-- Name: stats id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stats ALTER COLUMN id SET DEFAULT nextval('public.stats_id_seq'::regclass);


--
-- Name: tasks id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks ALTER COLUMN id SET DEFAULT nextval('public.tasks_id_seq'::regclass);


--
-- Name: tokens id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens ALTER COLUMN id SET DEFAULT nextval('public.tokens_id_seq'::regclass);


--
-- Name: urls id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.urls ALTER COLUMN id SET DEFAULT nextval('public.urls_id_seq'::regclass);


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Name: visits id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits ALTER COLUMN id SET DEFAULT nextval('public.visits_id_seq'::regclass);


--
-- Name: webhook_deliveries id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries ALTER COLUMN id SET DEFAULT nextval('public.webhook_deliveries_id_seq'::regclass);


--
-- Name: webhooks id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks ALTER COLUMN id SET DEFAULT nextval('public.webhooks_id_seq'::regclass);


--
-- Name: workers id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers ALTER COLUMN id SET DEFAULT nextval('public.workers_id_seq'::regclass);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alembic_version VALUES ('0026');


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit VALUES (1, 1794966220.628092, 'root', 'cli', NULL, 'user.add', 'ada', '{"role": "admin"}', 'done');


--
-- Data for Name: changes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: copies; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: discovered_links; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: domain_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.domain_events VALUES (1, 1, 1794966217.652905, 'pending', 'active', 'answered', 'it is being asked', 1, 1);
INSERT INTO public.domain_events VALUES (2, 2, 1794966217.653229, 'pending', 'active', 'answered', 'it is being asked', 1, 1);
INSERT INTO public.domain_events VALUES (3, 2, 1794966217.9033303, 'active', 'exhausted', 'all_done', 'every known url has its fate', 1, 1);


--
-- Data for Name: domains; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.domains VALUES (1, 'a.test:38399', 'active', NULL, NULL, NULL, NULL, 13, 4, 3, 10, 4281, 0, 2, 1794966217.5607839, 1794966217.8861287, 1, 4, NULL, 1794966217.8859615, 1794966217.8904219, 0.003966, 0, NULL, NULL, 0, 0, 'closed', 0, 0, 0, NULL, NULL, NULL, 2, 1794966217.910479, 1794966217.910479, 0, 0, 8, 5, NULL, NULL, 1.25, 2, 0, 1268, 1794966217.911204, 1, 1795044931.3759022, 0, 0);
INSERT INTO public.domains VALUES (2, 'b.test:38399', 'exhausted', NULL, NULL, NULL, NULL, 9, 9, 0, 10, 8886, 0, 2, 1794966217.5607839, 1794966217.8921666, 1, 9, NULL, 1794966217.8920658, 1794966217.8933213, 0.000991, 0, NULL, NULL, 0, 0, 'closed', 0, 0, 0, NULL, NULL, NULL, 2, 1794966217.9140806, NULL, 0, 0, 18, 10, NULL, NULL, 1.1111111111111112, 2, 0, 1111, 1794966217.911204, 4, 1795043980.6719587, 0, 0);


--
-- Data for Name: executions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: feeds; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: images; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.images VALUES (1, -8912080745218392054, 'http://a.test:38399/logo.png', 1, 1, 1, 'Logo of a.test', 'discovery', 1794966217.6963255);
INSERT INTO public.images VALUES (2, -8476120456078249136, 'http://a.test:38399/img/0.jpg', 1, 1, 1, 'Image 0', 'discovery', 1794966217.6963255);
INSERT INTO public.images VALUES (3, -1538919540087974013, 'http://b.test:38399/img/0.jpg', 2, 2, 1, 'Image 0', 'discovery', 1794966217.6963255);
INSERT INTO public.images VALUES (4, 7277763422536998001, 'http://b.test:38399/logo.png', 2, 2, 1, 'Logo of b.test', 'discovery', 1794966217.6963255);
INSERT INTO public.images VALUES (5, -287370686383062506, 'http://b.test:38399/img/2.jpg', 11, 2, 1, 'Image 2', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (6, -22175287192141349, 'http://b.test:38399/img/4.jpg', 10, 2, 1, 'Image 4', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (7, 2601883459288627951, 'http://a.test:38399/img/1.jpg', 5, 1, 1, 'Image 1', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (8, 2783928657919264485, 'http://b.test:38399/img/3.jpg', 13, 2, 1, 'Image 3', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (9, 6793098036065695453, 'http://b.test:38399/img/1.jpg', 12, 2, 1, 'Image 1', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (10, 8458542976554266267, 'http://a.test:38399/img/2.jpg', 4, 1, 1, 'Image 2', 'discovery', 1794966217.815871);
INSERT INTO public.images VALUES (11, -8823634566209929189, 'http://b.test:38399/img/8.jpg', 19, 2, 1, 'Image 8', 'discovery', 1794966217.8949175);
INSERT INTO public.images VALUES (12, 1999869240228760619, 'http://b.test:38399/img/5.jpg', 20, 2, 1, 'Image 5', 'discovery', 1794966217.8949175);
INSERT INTO public.images VALUES (13, 2945063502977745568, 'http://b.test:38399/img/6.jpg', 21, 2, 1, 'Image 6', 'discovery', 1794966217.8949175);
INSERT INTO public.images VALUES (14, 3381549117493587937, 'http://a.test:38399/img/7.jpg', 15, 1, 1, 'Image 7', 'discovery', 1794966217.8949175);
INSERT INTO public.images VALUES (15, 5955913031250592446, 'http://b.test:38399/img/7.jpg', 22, 2, 1, 'Image 7', 'discovery', 1794966217.8949175);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES (1, 1, NULL, 'scheduled', 6, 'hours', 1, 1, 'UTC', NULL, 1794966300, 1794966300, NULL, 5, NULL, 0, 3, 60, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, '{"made_by": "source"}', 1, 1794966218.91248, 1794966218.91248);


--
-- Data for Name: marks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.marks VALUES ('slots', 0);


--
-- Data for Name: pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pages VALUES (1, 1, 200, 'text/html', 'utf-8', 'en', 1206, 'Page 0 of a.test', 'What page 0 of a.test says about amber.', NULL, -4348638039049086736, '\x28b52ffd6031016d0800a692351f7047cd01c05b942471e52ea064dbe612ebd95561a85c007fdca928fd6b78012b0029002b00fab4f7643dc41b9f9ec550109082cfdf0cb09851fa2b9dd8a9727acc4db9a9a4206cfb2267940ef09523085f8a79b9eb361fac1ec3c0c785dee2a3978ca6f5ce8d8fbb5f8e44bcf5ca540ebd5211ba663d63691c49df48343ebf1e17b7cd0fcd86fa1e363f142185e6abd6a9e25d5f92d16346548b72f8ca79f332169ec301b86c42040e065c36218584a1c390a34297b04c34249a20108781432249126c3739150464e991f54c2d46c162b96d6fe8051400a011d05c60f3a1401e14587c004286f04078d8a47b7a960119c6b841bccb487262f813aeb6aae64db8909f2200325bcb941e', 7, '\x28b52ffd60f9006d030062840f15805907085638c31e947a19ecb6bdfff94094815d058c390574e0b1cf045757a869d070798d117a15e60422e162179f234f090d486dd2d6e4af74f779ad1300a080803cc0021410900758800202f2000b6000b8b9093690c660899b9360c3a8068c701740970d5b3d01', 1794966217.6747303, 1794966217.6747303, 1794966217.6747303, 2, '\x28b52ffd206b7d0200f204111690a73aa82d11061b26c7890a6dce0d9c53439366a64d4af9c97c2ea3f84a80cf6f0452f0c94ef9c97c1e021d7a0df87c43237a2de0398630680fc5928588daeec0290502005ba9a331a832');
INSERT INTO public.pages VALUES (2, 2, 200, 'text/html', 'utf-8', 'en', 1031, 'Page 0 of b.test', 'What page 0 of b.test says about slate.', NULL, -5667917977424222770, '\x28b52ffd60c5007d070096d02f1e6067db063038b2d72b3fb8c57aa9515647af3284ec8383c3a099820e8238270024002600f873c7d7357605c651f8b95b075075b43fdda332568c4d7da5af8409a3d7f5911ced037e8a1904eb683825ef5be42dce76ce3c332de7536acd5b53a21f3634bcd765846cfd3231743e6cbb7ad04f603e74dd552cdfeb166ca8b03d5f3296ca8f5aaef4cbee534dcb92f3b526846b264507b9341e0306815c1a8f02a290c3c140604020084275e337611c97bd12f611f6d82dbfb65c8b46edc6271100a011d05c436dc5c7629237326961831c731766188039e471b62f1e7a0e206ac0cd84edab6680136bae2a03', 4, '\x28b52ffd60290085020054035b5b22687474703a2f2f622e746573743a33383339392f702f312e68746d6c222c22222c22546f2061225d2c5b2232333461225d5d0b00a080803cc002141090075840014d6000880b9402d4a832', 1794966217.6767573, 1794966217.6767573, 1794966217.6767573, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd1c6dca9ed2c0ecca5044af9c97c2e635d90009fdf0ca4e0939df293f93c083af41af0f98846f47ac0734c61d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (4, 1, 200, 'text/html', 'utf-8', 'en', 990, 'Page 2 of a.test', 'What page 2 of a.test says about reed.', NULL, -228784991727491528, '\x28b52ffd60b500ad07008651321f8037cd0108865eaec4deb2a1106a249bf86e8fa1fb5fc6174b23b8b08d7102290027002700478f39972274cd05375038029cfccd00c98c969fcb899d2aa7c7dc949b4a8bc2b6ef7146cb065f39827879c75712a5d6954e9e1152789ce46153fa837bc3c76d2aad1b2bb92f3e9adbe6a762defc9202df3cf40f435973ae7337c6d3758ca07ae4a339b4ed077ac909abc730706321de3af9d59b0a9103b86c3a1002b86c3a0c0843128903e2a0d8f63d0e41146c37792d0ac7531d8d39733aaa4caea51c5a6f963b350f00a011196a9f080c4a10005842c91a90983760be44461fd4e102f8c2b316cd82a7f80159ac65aa0c', 3, '\x28b52ffd20df55020044035b5b22687474703a2f2f612e746573743a33383339392f702f322e68746d6c222c22222c22546f2061225d2c5b22343861225d5d0800a080803cc0020a680203405ca014a0469501', 1794966217.7222388, 1794966217.7222388, 1794966217.7222388, 2, '\x28b52ffd206b7d0200f204111690a73aa82d11061b26c7890a6dce0d9e5b439366a64d4af9c97c2ea3f84a80cf6f0452f0c94ef9c97c1e021d7a0df87c43237a2de0398630680fc5928588daeec0290502005ba9a331a832');
INSERT INTO public.pages VALUES (5, 1, 200, 'text/html', 'utf-8', 'en', 1077, 'Page 1 of a.test', 'What page 1 of a.test says about velvet.', NULL, 3944355950208518464, '\x28b52ffd60cc00dd07008651331f70b7690308d126bbda687b510b31da4df9cfce70383e6a7d2f7a15a5ff35382a0028002800898cdb2aeaf419698aa07018aedcf101b4795a3f5d578ded626bcd19cfa81685e6ebc39ed60dbfc50a027be97b0daa63a06b2d964f09133d6d17fade93c8d753cc2bb2254fe835e7e0b728b8c96f518eaf01894c36a342df4364b95cb9db76340d41d7a664fc3435f4b5dec534763df8bd564478e332ed796303c9b43a100302c9b43a02900649240e88830241144db7fa5a148e3376db7c9958f37521bbe4d796dc7ccf9a7a061000a011d05c436d3559a46c6b3b301ce64c0e45336559796d365417a400426149c95f41450cc8622d5365', 4, '\x28b52ffd60290085020054035b5b22687474703a2f2f612e746573743a33383339392f702f352e68746d6c222c22222c22546f2061225d2c5b2236373861225d5d0b00a080803cc002141090075840014d6000880b9402d4a832', 1794966217.7452307, 1794966217.7452307, 1794966217.7452307, 2, '\x28b52ffd206b7d0200f204111690a73aa82d11061b26c7890a6dce0d6acb469366a64d4af9c97c2ea3f84a80cf6f0452f0c94ef9c97c1e021d7a0df87c43237a2de0398630680fc5928588daeec0290502005ba9a331a832');
INSERT INTO public.pages VALUES (10, 2, 200, 'text/html', 'utf-8', 'en', 943, 'Page 4 of b.test', 'What page 4 of b.test says about marble.', NULL, 7029770779711176841, '\x28b52ffd60b300cd07002611321f70b7cd0101864caefc5e6974962c2691fc6727ac0c625481d88d65a5ff0d38290025002800074efde6a1d3515550380c467f3340322f969fcb899d2aa7c7dc949b4a8ac2b6ef9178b11ce02b67104f853e26b7cda72899f515f4a6877e74a593f7c3286bd6a7bd276f7e49478f2546bf3a5105cb245e637db2dc08aac7308c97778cf4d2d1e563929c3961f518c6f7b0b95988aac9b594d35b9c01b86c3a0c03b86c3a04108620100782430241126c3779290a87be81aa59cfd83a08ba1acacd42f7c5fa4dd5381100a01186dadab2985e59fe4160e4b058ab588b3308e0554e375307b3b9aaa2567985a3706c6723c08935579501', 3, '\x28b52ffd20df55020044035b5b22687474703a2f2f622e746573743a33383339392f702f362e68746d6c222c22222c22546f2061225d2c5b22373161225d5d0800a080803cc0020a680203405ca014a0469501', 1794966217.722339, 1794966217.722339, 1794966217.722339, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd146d799ed2c0ecca5044af9c97c36635d90009fdf0cc4e0939df293f93c083af41af0f98846f47ac0734a51d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (11, 2, 200, 'text/html', 'utf-8', 'en', 950, 'Page 2 of b.test', 'What page 2 of b.test says about amber.', NULL, 9099499280607210225, '\x28b52ffd60b2008d070016d02f1f70b7cd0108d85a92c4ee3651ddb59b465a303b6165f03b8cb25351fadf21042700240025006f5a22b3f550c038084efe6700e69c9acf9a95435550d1f92dbfa512c6beef719c9a037c05070204c7478cbaa73f0b5aef5c435ef6452145e7ccb558dfe47a5e686b96af244bad578b57d66a17aa4f4e6925f295e48a96e097e7eed917f3a1268cd906aff09e292a2e4854c87ab71813b9ac3a08865c561d04c4218743c150402008c2ed2ab784713ccfb93b5845c6c029adf33c98fcdcb7021200a01186da8a65b19d2377dc32cb35e5618e4029b2962a05901255d62a525aa38c244c247557a3d304c86c2d537a', 2, '\x28b52ffd20951d020034035b5b22687474703a2f2f622e746573743a33383339392f702f312e68746d6c222c22222c22546f2061225d2c5b223861225d5d05005040131800e202a50035aa0c', 1794966217.7466543, 1794966217.7466543, 1794966217.7466543, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd1c6e819c4591c984b094af9c97c2e635d90009fdf0ca4e0939df293f93c083af41af0f98846f47ac0734c61d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (12, 2, 200, 'text/html', 'utf-8', 'en', 1093, 'Page 1 of b.test', 'What page 1 of b.test says about willow.', NULL, 6096897617426686672, '\x28b52ffd60d500e507005652341f6067db060366bfbdd3245679e969adfba03a34e005c61888e3a199824e82272b0028002a007a7be8bc14da4b473dd70505c37004b11d60d9d33aeeba62c7c9f1b1b77c4bb52874c336ced3bae1981c417acc1919cd6364973e2373d81cfbb49d31d169f265ec3d3d6a37ee113e85781d1324f9bc9151641e4b359ba7948a14e23cef4d4d881666edbb5672fa5e5414e2634f68bee5008119d351bba5eaaba67204d4aab432100302aab432020e76241207c441711c0ad6adbe160563b3ddc1ce3d4edecbea35d7e385ce7894d53478130f00a011d05c436dfdb2188818b63ec8644db679c89a91787b24ee16136f7eae91d22c7062cd5565', 4, '\x28b52ffd60290085020054035b5b22687474703a2f2f622e746573743a33383339392f702f352e68746d6c222c22222c22546f2061225d2c5b2236373861225d5d0b00a080803cc002141090075840014d6000880b9402d4a832', 1794966217.771568, 1794966217.771568, 1794966217.771568, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd1c62c01c4591c984b094af9c97c2e635d90009fdf0ca4e0939df293f93c083af41af0f98846f47ac0734c61d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (13, 2, 200, 'text/html', 'utf-8', 'en', 955, 'Page 3 of b.test', 'What page 3 of b.test says about pebble.', NULL, 19281472343668767, '\x28b52ffd60a300ad0700f692341e80a7cd0180ad25096e922d18b4cdd2480b5f8c5cd4cfecb346f0444fea042c002900290078e484ea3106dea79e62e41f201405237f33403227cbcfe5c44e95d3636eca4d250461dbb7384e960f5f3981ed8e915fad2ba13c278942e4e3b96dd633950c81f556d7e25ce87eac6f50352379d894f569efc97a18ba1ae5cd2f09e93144b5389f0a9749bc031f779fde5498f8a998f567b98fe7125f41941ee3e521a70ab86c2a0a06c365537118cc30188e80e3601807b69bbc1084420f69f08d539ff87bd85c8097908f1865cdc76d2a6d220b003b416028a84b16ab8c1b4ece3475aadc233582e6b00d9d4340666b99d203', 3, '\x28b52ffd20cf3d020034035b5b22687474703a2f2f622e746573743a33383339392f702f332e68746d6c222c22222c22546f2061225d2c5b22702f31315d0600608807434ed71b8a70034017a0469501', 1794966217.7939997, 1794966217.7939997, 1794966217.7939997, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd1c64200e22c0ecca50408f9a96cc6912e4880cd5f0682f75486fc54360f820ebd066c3e6211bd1eae142cd06c222d19dc99b55bf0390102005ba9a331a832');
INSERT INTO public.pages VALUES (15, 1, 200, 'text/html', 'utf-8', 'en', 974, 'Page 7 of a.test', 'What page 7 of a.test says about mill.', NULL, 9209937842559691955, '\x28b52ffd60a500ad0700a6d1321f60679c03c0db902b7a653734d25afa6bb01a121c08542d74f62530c89182032a002800280089a69f44548f57267702e308b0f237032ce625fd954eec94393de6a6dc544218dbbec77949177ce60a024f2af7c60bd52fd6a3e64e5cae2f85d65bcdc66794371fac9ec2e07bd8bc77f08e9f2894352b7a298e5a99cca1f5cefdb1b20e9bf24a5d966bfe52cc47748b53a20a79d79b94e831eb1d54ed8ca21439056c361d0208430c06c200e1b0ed7b1c821cd86e72228ce388d059e212195135d6abe490f1b63b7ac90bcd0e00e0161fca7e8d03ba7ff334070bc3f0b57187630ca723efd6407257113c2979832cd6325506', 3, '\x28b52ffd20cf55020064035b5b22687474703a2f2f612e746573743a33383339392f702f362e68746d6c222c22222c22546f2061225d2c5b2237222c2261225d5d07000f7303b0001a348101202e500a50a3ca', 1794966217.8861287, 1794966217.8861287, 1794966217.8861287, 2, '\x28b52ffd206b7d0200f204111690a73aa82d11061b26c7890a6dce4d0cca469366a64d4af9c97c36a3f84a80cf6f0462f0c94ef9c97c1e021d7a0df87c43237a2de0398528680fc5928588daeec0290502005ba9a331a832');
INSERT INTO public.pages VALUES (19, 2, 200, 'text/html', 'utf-8', 'en', 1001, 'Page 8 of b.test', 'What page 8 of b.test says about clover.', NULL, 6132746286977980086, '\x28b52ffd60b200950700d690301e6067db06038328b4f3b47458e47badfb4047af32c4e556af4532019c404f2800260026005fbe5ed3e3e11c2818014feed601763952bf55c7c55831b6e52bbf1213855ed786395237fc14230889fd0395d8a5f3e53155beb9cc1ca1d483c06a915fcd822f1f7aef253c6ccb0f94aac2ef6d6ae6a724b7f84cb29f1ab6743556e7b4fbf609cda630e84d456ccd2a1927abe8f361dbe14f7b059a1a0d444053a3811ccb7138200604711c88a51baf1205834df5ce59e159bb6a2673be85e63a25490e1100a01186dacab2987a262f3164d37f23d5146a6ab1af40be544533ad8ae282384342ce163cc501706ccd557a', 2, '\x28b52ffd20951d020034035b5b22687474703a2f2f622e746573743a33383339392f702f332e68746d6c222c22222c22546f2061225d2c5b223461225d5d05005040131800e202a50035aa0c', 1794966217.8265996, 1794966217.8265996, 1794966217.8265996, 2, '\x28b52ffd206b7d0200f204111690a73aa82d11061b66d9c21ca020a221a78d26cd4c9b4af9c97c36631d9084cf6f0462f0c94ef9c97c1e021d7a2d7cbea111bd16f09c620adac35a1240446d77e0940202005ba9a331a832');
INSERT INTO public.pages VALUES (20, 2, 200, 'text/html', 'utf-8', 'en', 996, 'Page 5 of b.test', 'What page 5 of b.test says about meadow.', NULL, -6835934737612769827, '\x28b52ffd60ad008d070096d0301f7037d501018fdf2491d248a09bb68911b264bf3000670414157359e9af372628002500260067b1cd199f625f820309b082e80cc09a911a993ab5eff27db353762a258ee7f021c6486d302e2f0866ba08dd192195f89eee3933d5e589698edcd04c4dceaf1eafa6c36e845586b2c29e4e19038bea3c17631a83cdebb8cf619afd72c2db2f0ef2ecc78a7c3a565c8d8ba2d6ec153c5e34eb0102b95e420c494b0e87c24001912488f65eb2260e64ff5697179b620b03f532d5724395e3f273c8d827071000c0230cb5d593c5e836d9466dcb47c3b942947ce42f08d9301b80283daeaa77f3cab79937c8622d5365', 2, '\x28b52ffd20951d020034035b5b22687474703a2f2f622e746573743a33383339392f702f352e68746d6c222c22222c22546f2061225d2c5b223261225d5d05005040131800e202a50035aa0c', 1794966217.8475244, 1794966217.8475244, 1794966217.8475244, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd1c6c903e22c0ecca5044af9c97c36635d90009fdf0cc4e0939df293f93c083af41af0f98846f47ac0734a51d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (21, 2, 200, 'text/html', 'utf-8', 'en', 982, 'Page 6 of b.test', 'What page 6 of b.test says about cedar.', NULL, 8721381529742939257, '\x28b52ffd60ac006d0700e20f2e205069db060866bf5ded95d81922b3fdaed301d44c18a03a402b7375320bb61302a96875040852d1ea180e761c0e860203a21bf641c78160ddea9b300e2642c8aebbca65e34330e9a643d40d193ef5052f34dfa2f06344973ee34a97ca514116a3eb6a8798c3264f2ff5a2790d23b3998e892e79b399ab39235bba20ac4a7a6f64129927dc1e7be9b1f2053326e76b5ec551173b2393ebc038014710db01943dd9a3ee153b568e8fbdadb7a5124637ec839eec078eca19041300a0111e6a8bdd60811920c4449f92b0b1522b2340850180222495fbbc5a42d334c02eb848d9aa3bf6a9bc41166b992a03', 3, '\x28b52ffd20df55020044035b5b22687474703a2f2f622e746573743a33383339392f702f332e68746d6c222c22222c22546f2061225d2c5b22373561225d5d0800a080803cc0020a680203405ca014a0469501', 1794966217.869744, 1794966217.869744, 1794966217.869744, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd166f6b9ed2c0ecca5044af9c97c36635d90009fdf0cc4e0939df293f93c083af41af0f98846f47ac0734a51d026d69201226abb05a71402005ba9a331a832');
INSERT INTO public.pages VALUES (22, 2, 200, 'text/html', 'utf-8', 'en', 912, 'Page 7 of b.test', 'What page 7 of b.test says about fable.', NULL, -4656855631024337364, '\x28b52ffd60b900b507006691311e6087d306836824b40791dcd0924867bbc5fd822d0063c3bb160a0aba0c6128002600270047d62f983bf59b2640380a56fe6580545e929fc948991e53535ee7754841d8f53d165e920ffeb18188b6de3c831235e51fe5cb0647b4c63fcae9c2f93c74ea173376dd65034dcda9213eb11ead057b697a8ebbcf7daa1dab294f9c291d43b47ef31a46d394dcfa60d518055e46a235bc2c87891b29c82c3a0a0764161d054421088421c090409084da454e0ac2a16ff0f4ea924160250dd7e52d5b78dfe01bf3031100a01186da7a6661502ba280a41304226640cc3da9cfb54406df2061c5647dba306da119e3740438b1e6aa32', 2, '\x28b52ffd20951d020034035b5b22687474703a2f2f622e746573743a33383339392f702f312e68746d6c222c22222c22546f2061225d2c5b223761225d5d05005040131800e202a50035aa0c', 1794966217.8921666, 1794966217.8921666, 1794966217.8921666, 2, '\x28b52ffd206b850200f244111780a93ac0950ffa86bc1f6d800dd156cf03e22c0ecca5044af9c97c36635d90009fdf0cc4e0939df293f93c083af41af0f98846f47ac0734a51d026d69201226abb05a71402005ba9a331a832');


--
-- Data for Name: receipts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: robots; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.robots VALUES ('http://a.test:38399', 1, 200, '\x557365722d6167656e743a202a0a446973616c6c6f773a202f702f342e68746d6c0a', 1794966217.652994, 1794969817.652994, NULL);
INSERT INTO public.robots VALUES ('http://b.test:38399', 2, 200, '\x557365722d6167656e743a202a0a416c6c6f773a202f0a', 1794966217.653252, 1794969817.653252, NULL);


--
-- Data for Name: runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.runs VALUES (1, 'budget', '{"store":{"url":"postgresql://tenax@127.0.0.1:60127/tenax_release_6fd72f1b"},"scope":{"kind":"domain","include":[],"exclude":[],"keep_parameters":[]},"limits":{"max_pages":13,"pages_per_domain":1000,"max_depth":10,"links_per_page":1000,"url_length":2000,"max_hops":5},"politeness":{"delay_s":0.02,"per_domain":1,"max_crawl_delay_s":60.0,"jitter":0.1,"backoff_s":60.0,"max_backoff_s":86400.0,"forgive_s":1800.0,"longest_wait_s":900.0,"longest_retry_wait_s":75.0},"robots":{"cache_s":3600.0,"max_cache_s":86400.0,"max_bytes":512000,"timeout_s":10.0,"retry_s":60.0,"skip_s":3600.0},"fetch":{"user_agent":null,"contact":null,"timeout_s":30.0,"connect_timeout_s":10.0,"max_bytes":10000000,"max_header_bytes":65536,"allow_private":true,"resolve":["*:127.0.0.1"],"dns_timeout_s":5.0,"dns_servers":[],"headers":[],"header_origins":[]},"extract":{"only":[],"without":[]},"retry":{"attempts":3,"base_s":1.0,"jitter_s":0.5},"breaker":{"failures":5,"open_s":60.0,"successes":2,"trips":3},"refresh":{"enabled":true,"first_s":86400.0,"min_s":3600.0,"max_s":2592000.0},"domains":{"rests_before_block":5,"forbidden_before_block":10,"logins_before_block":10,"login_s":2592000.0,"rate_limited_s":604800.0,"forbidden_s":1209600.0,"robots_denied_s":7776000.0,"unreachable_s":604800.0,"retries":3},"worker":{"processes":1,"runs":8,"concurrency":100,"lease_s":60.0,"batch_pages":500,"batch_s":1.0,"queue_head":64,"memory_mb":300,"drain_s":15.0,"disk_full_wait_s":300.0},"redis":{"url":null,"timeout_s":0.1,"seen_urls":5000000},"server":{"host":"127.0.0.1","port":8060,"hosts":[],"trusted_proxies":[],"anonymous_per_min":10,"user_per_min":100,"admin_per_min":500,"seeds_per_min":10,"requests_at_once":3,"connections_per_address":100,"max_body_bytes":1000000,"session_s":86400.0,"public_metrics":false,"jwt_secret":null,"jwt_issuer":"tenax"},"jobs":{"poll_s":10.0,"stale_lock_s":300.0,"max_running":10,"keep_executions":100,"keep_days":30.0},"dispatch":{"kind":"inline","broker":null,"queue":"crawl"},"tracing":{"url":null,"ratio":0.01}}', 1794966217.619499, 1794966217.906645, 20, 13, 13167, NULL, NULL, 0, 0, 0, NULL, 19, 0, '{"due":0,"held":0,"later":3,"resting":0,"capped":0,"next_at":1794966217.910479}');


--
-- Data for Name: seeds; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.seeds VALUES (1, 'http://a.test:38399/', 'user', 1794966217.5607839, NULL, NULL, 'a.test:38399', 'a.test', 0);
INSERT INTO public.seeds VALUES (2, 'http://b.test:38399/', 'user', 1794966217.5607839, NULL, NULL, 'b.test:38399', 'b.test', 0);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sources; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sources VALUES (1, 'News', 'news', '{"name":"News","seeds":["http://news.test/"],"headers":{"X-Key":"***"},"schedule":{"interval_minutes":6,"interval_type":"hours"}}', 1, 1, 1794966218.91248, 1794966218.91248, 'enc:v1:f4d61983:Zm/AHhXM0JddyWDA8yvuHkGGWbWACGWOO+Y4sVoG37vUWN75B49kCpgI2KUJwc09X4tQ3eeaf7DB/FZW');


--
-- Data for Name: stats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stats VALUES (1, 'minute', 1794966180, 1, 0, 20, 13167, 0.028851, 0, 0, 1, 20, '{"skipped":1,"redirected":3,"fetched":13,"refused":1,"gone":1}', '{"200":16,"301":3,"404":1}', '{}', '{"0.01":20}');


--
-- Data for Name: store_clock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.store_clock VALUES ('database', 0, 0, 1794966220.189751, 0);
INSERT INTO public.store_clock VALUES ('e91db0ea-be63-4196-b881-fc128314765b:4026531834', 1794965101.4941628, 0, 1794966220.189751, 0);


--
-- Data for Name: tasks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: tokens; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: urls; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.urls VALUES (1, 1, 354394849183851454, 'http://a.test:38399/', 0, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 1, 1794966217.5607839, NULL, 200, 1794966217.6747303, '"1-a.test-0"', 'Mon, 06 Jan 2025 10:00:00 GMT', -4348638039049086736, 1795044931.3759022, 0, 0);
INSERT INTO public.urls VALUES (2, 2, 1538063186765290412, 'http://b.test:38399/', 0, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 1, 1794966217.5607839, NULL, 200, 1794966217.6767573, NULL, NULL, -5667917977424222770, 1795051683.750976, 0, 0);
INSERT INTO public.urls VALUES (3, 1, -8247677634500212193, 'http://a.test:38399/p/4.html', 1, 3, NULL, 'refused', 'robots', 'robots.txt line 2: Disallow: /p/4.html', NULL, 0, 0, 0, 0, 1794966217.6963255, 1, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (4, 1, -6679907032547750108, 'http://a.test:38399/p/2.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 1, 200, 1794966217.7222388, '"1-a.test-2"', 'Mon, 06 Jan 2025 10:00:00 GMT', -228784991727491528, 1795047786.726145, 0, 0);
INSERT INTO public.urls VALUES (5, 1, -6115491632093685079, 'http://a.test:38399/p/1.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 1, 200, 1794966217.7452307, '"1-a.test-1"', 'Mon, 06 Jan 2025 10:00:00 GMT', 3944355950208518464, 1795047397.9649572, 0, 0);
INSERT INTO public.urls VALUES (6, 1, -5773037931404907794, 'http://a.test:38399/loop/a', 1, 3, NULL, 'redirected', NULL, NULL, 'http://a.test:38399/loop/b', 0, 0, 0, 0, 1794966217.6963255, 1, 301, 1794966217.767566, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (7, 1, -3014237233644478789, 'http://a.test:38399/p/3.html', 1, 3, NULL, 'gone', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 1, 404, 1794966217.7901485, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (10, 2, -7482871882373492220, 'http://b.test:38399/p/4.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 2, 200, 1794966217.722339, NULL, NULL, 7029770779711176841, 1795047689.6949952, 0, 0);
INSERT INTO public.urls VALUES (11, 2, -5194078917610034034, 'http://b.test:38399/p/2.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 2, 200, 1794966217.7466543, NULL, NULL, 9099499280607210225, 1795051114.0259511, 0, 0);
INSERT INTO public.urls VALUES (12, 2, 4827663041374650346, 'http://b.test:38399/p/1.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 2, 200, 1794966217.771568, NULL, NULL, 6096897617426686672, 1795043980.6719587, 0, 0);
INSERT INTO public.urls VALUES (13, 2, 7385349749229683074, 'http://b.test:38399/p/3.html', 1, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.6963255, 2, 200, 1794966217.7939997, NULL, NULL, 19281472343668767, 1795052566.9053278, 0, 0);
INSERT INTO public.urls VALUES (16, 1, 2314441203789109084, 'http://a.test:38399/p/6.html', 2, 3, 1794966217.815871, 'queued', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 5, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (17, 1, 5799397400129465285, 'http://a.test:38399/p/8.html', 2, 3, 1794966217.815871, 'queued', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 4, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (18, 1, 7738805654978425300, 'http://a.test:38399/p/5.html', 2, 3, 1794966217.815871, 'queued', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 5, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (8, 1, 767930494593200068, 'http://a.test:38399/file.pdf', 1, 3, NULL, 'skipped', 'type', 'application/pdf', NULL, 0, 0, 0, 0, 1794966217.6963255, 1, 200, 1794966217.8117812, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (9, 1, 3142341031831513398, 'http://a.test:38399/r/2', 1, 3, NULL, 'redirected', NULL, NULL, 'http://a.test:38399/p/2.html', 0, 0, 0, 0, 1794966217.6963255, 1, 301, 1794966217.8390944, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (14, 1, -6667288210153437479, 'http://a.test:38399/loop/b', 1, 3, NULL, 'redirected', NULL, NULL, 'http://a.test:38399/loop/a', 0, 1, 0, 0, 1794966217.815871, 6, 301, 1794966217.8647394, NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO public.urls VALUES (15, 1, -2651266105051925529, 'http://a.test:38399/p/7.html', 2, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 5, 200, 1794966217.8861287, '"1-a.test-7"', 'Mon, 06 Jan 2025 10:00:00 GMT', 9209937842559691955, 1795046546.182027, 0, 0);
INSERT INTO public.urls VALUES (19, 2, -6209190824003748579, 'http://b.test:38399/p/8.html', 2, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 11, 200, 1794966217.8265996, NULL, NULL, 6132746286977980086, 1795050555.2533574, 0, 0);
INSERT INTO public.urls VALUES (20, 2, -1120882847410262023, 'http://b.test:38399/p/5.html', 2, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 12, 200, 1794966217.8475244, NULL, NULL, -6835934737612769827, 1795048838.770376, 0, 0);
INSERT INTO public.urls VALUES (21, 2, -142596332596512676, 'http://b.test:38399/p/6.html', 2, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 10, 200, 1794966217.869744, NULL, NULL, 8721381529742939257, 1795046395.7408378, 0, 0);
INSERT INTO public.urls VALUES (22, 2, 421965549129260114, 'http://b.test:38399/p/7.html', 2, 3, NULL, 'fetched', NULL, NULL, NULL, 0, 0, 0, 0, 1794966217.815871, 10, 200, 1794966217.8921666, NULL, NULL, -4656855631024337364, 1795049502.0816197, 0, 0);


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES (1, 'ada', 'ada', 'admin', '$argon2id$v=19$m=65536,t=3,p=4$CN5Sx7nIaUMJPiLBJPI2zA$IdFGIWCy6j+sepFdvIYuil1rImWk5CZ43bl90WlQhQ4', 0, 1, 1794966220.628092, NULL);


--
-- Data for Name: visits_2026_11; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.visits_2026_11 VALUES (1, 1, 1, 1, 1, 1794966217.6747303, 0.000724, 'fetched', 200, 1206, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (2, 1, 1, 2, 2, 1794966217.6767573, 0.001546, 'fetched', 200, 1031, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (3, 1, 1, 1, NULL, 1794966217.6510816, 0.001506, 'robots', 200, 34, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (4, 1, 1, 2, NULL, 1794966217.6512527, 0.00117, 'robots', 200, 23, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (5, 1, 1, 1, 4, 1794966217.7222388, 0.00151, 'fetched', 200, 990, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (6, 1, 1, 1, 5, 1794966217.7452307, 0.000568, 'fetched', 200, 1077, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (7, 1, 1, 1, 6, 1794966217.767566, 0.000374, 'redirected', 301, 0, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (8, 1, 1, 1, 7, 1794966217.7901485, 0.000353, 'gone', 404, 0, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (9, 1, 1, 2, 10, 1794966217.722339, 0.001455, 'fetched', 200, 943, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (10, 1, 1, 2, 11, 1794966217.7466543, 0.002923, 'fetched', 200, 950, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (11, 1, 1, 2, 12, 1794966217.771568, 0.000435, 'fetched', 200, 1093, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (12, 1, 1, 2, 13, 1794966217.7939997, 0.000468, 'fetched', 200, 955, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (13, 1, 1, 1, 8, 1794966217.8117812, 0.00578, 'skipped', 200, 0, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (14, 1, 1, 1, 9, 1794966217.8390944, 0.003413, 'redirected', 301, 0, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (15, 1, 1, 1, 14, 1794966217.8647394, 0.000398, 'redirected', 301, 0, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (16, 1, 1, 1, 15, 1794966217.8861287, 0.003966, 'fetched', 200, 974, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (17, 1, 1, 2, 19, 1794966217.8265996, 0.00046, 'fetched', 200, 1001, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (18, 1, 1, 2, 20, 1794966217.8475244, 0.000383, 'fetched', 200, 996, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (19, 1, 1, 2, 21, 1794966217.869744, 0.000428, 'fetched', 200, 982, NULL, NULL);
INSERT INTO public.visits_2026_11 VALUES (20, 1, 1, 2, 22, 1794966217.8921666, 0.000991, 'fetched', 200, 912, NULL, NULL);


--
-- Data for Name: visits_other; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workers VALUES (1, 'd32c534b-b9d5-4f5a-b987-89ad623948ab', 1, 'vm', 2601, 1794966217.622531, 1794966217.8949175, 1794966217.905255, 0, 0, 3, 13, 2878.0930228466364, NULL, 70569984, 0, 102584320, 381, 60, 0);


--
-- Name: audit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_id_seq', 1, true);


--
-- Name: changes_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.changes_id_seq', 1, false);


--
-- Name: copies_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.copies_id_seq', 1, false);


--
-- Name: discovered_links_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.discovered_links_id_seq', 1, false);


--
-- Name: domain_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.domain_events_id_seq', 3, true);


--
-- Name: domains_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.domains_id_seq', 2, true);


--
-- Name: executions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.executions_id_seq', 1, false);


--
-- Name: feeds_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.feeds_id_seq', 1, false);


--
-- Name: images_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.images_id_seq', 15, true);


--
-- Name: jobs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.jobs_id_seq', 1, true);


--
-- Name: pages_url_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.pages_url_id_seq', 1, false);


--
-- Name: runs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.runs_id_seq', 1, true);


--
-- Name: seeds_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.seeds_id_seq', 2, true);


--
-- Name: sessions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.sessions_id_seq', 1, false);


--
-- Name: sources_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.sources_id_seq', 1, true);


--
-- Name: stats_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.stats_id_seq', 3, true);


--
-- Name: tasks_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.tasks_id_seq', 1, false);


--
-- Name: tokens_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.tokens_id_seq', 1, false);


--
-- Name: urls_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.urls_id_seq', 22, true);


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.users_id_seq', 1, true);


--
-- Name: visits_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.visits_id_seq', 20, true);


--
-- Name: webhook_deliveries_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.webhook_deliveries_id_seq', 1, false);


--
-- Name: webhooks_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.webhooks_id_seq', 1, false);


--
-- Name: workers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.workers_id_seq', 1, true);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (id);


--
-- Name: copies copies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copies
    ADD CONSTRAINT copies_pkey PRIMARY KEY (id);


--
-- Name: discovered_links discovered_links_domain_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.discovered_links
    ADD CONSTRAINT discovered_links_domain_key UNIQUE (domain);


--
-- Name: discovered_links discovered_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.discovered_links
    ADD CONSTRAINT discovered_links_pkey PRIMARY KEY (id);


--
-- Name: domain_events domain_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domain_events
    ADD CONSTRAINT domain_events_pkey PRIMARY KEY (id);


--
-- Name: domains domains_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_name_key UNIQUE (name);


--
-- Name: domains domains_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);


--
-- Name: executions executions_job_id_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_job_id_number_key UNIQUE (job_id, number);


--
-- Name: executions executions_job_id_scheduled_at_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_job_id_scheduled_at_key UNIQUE (job_id, scheduled_at);


--
-- Name: executions executions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_pkey PRIMARY KEY (id);


--
-- Name: feeds feeds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feeds
    ADD CONSTRAINT feeds_pkey PRIMARY KEY (id);


--
-- Name: feeds feeds_source_id_url_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feeds
    ADD CONSTRAINT feeds_source_id_url_key UNIQUE (source_id, url);


--
-- Name: images images_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_pkey PRIMARY KEY (id);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);


--
-- Name: marks marks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.marks
    ADD CONSTRAINT marks_pkey PRIMARY KEY (name);


--
-- Name: pages pages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (url_id);


--
-- Name: receipts receipts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (domain_id);


--
-- Name: robots robots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_pkey PRIMARY KEY (origin);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);


--
-- Name: seeds seeds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seeds
    ADD CONSTRAINT seeds_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_key_key UNIQUE (key);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: sources sources_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_key_key UNIQUE (key);


--
-- Name: sources sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (id);


--
-- Name: stats stats_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stats
    ADD CONSTRAINT stats_pkey PRIMARY KEY (id);


--
-- Name: store_clock store_clock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.store_clock
    ADD CONSTRAINT store_clock_pkey PRIMARY KEY (name);


--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);


--
-- Name: tasks tasks_run_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_run_id_key UNIQUE (run_id);


--
-- Name: tokens tokens_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_key_key UNIQUE (key);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);


--
-- Name: urls urls_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.urls
    ADD CONSTRAINT urls_pkey PRIMARY KEY (id);


--
-- Name: users users_founder_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_founder_key UNIQUE (founder);


--
-- Name: users users_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_key_key UNIQUE (key);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: visits visits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (id, at);


--
-- Name: visits_2026_11 visits_2026_11_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits_2026_11
    ADD CONSTRAINT visits_2026_11_pkey PRIMARY KEY (id, at);


--
-- Name: visits_other visits_other_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits_other
    ADD CONSTRAINT visits_other_pkey PRIMARY KEY (id, at);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);


--
-- Name: webhook_deliveries webhook_deliveries_webhook_id_event_subject_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_event_subject_key UNIQUE (webhook_id, event, subject);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: workers workers_uuid_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_uuid_key UNIQUE (uuid);


--
-- Name: audit_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_at ON public.audit USING btree (at);


--
-- Name: changes_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX changes_at ON public.changes USING btree (at);


--
-- Name: domain_events_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX domain_events_domain ON public.domain_events USING btree (domain_id, id);


--
-- Name: domains_avail; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX domains_avail ON public.domains USING btree (source_id, tier, avail_at) WHERE (avail_at IS NOT NULL);


--
-- Name: domains_claimed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX domains_claimed ON public.domains USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);


--
-- Name: executions_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_open ON public.executions USING btree (job_id) WHERE (ended_at IS NULL);


--
-- Name: executions_started; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_started ON public.executions USING btree (started_at);


--
-- Name: feeds_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX feeds_domain ON public.feeds USING btree (domain);


--
-- Name: feeds_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX feeds_due ON public.feeds USING btree (next_poll_at) WHERE (next_poll_at IS NOT NULL);


--
-- Name: images_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX images_domain ON public.images USING btree (domain_id);


--
-- Name: images_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX images_key ON public.images USING btree (key);


--
-- Name: jobs_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_due ON public.jobs USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);


--
-- Name: jobs_source; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_source ON public.jobs USING btree (source_id);


--
-- Name: pages_content; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pages_content ON public.pages USING btree (domain_id, content_hash);


--
-- Name: pages_first; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pages_first ON public.pages USING btree (first_fetched_at) WHERE (first_fetched_at IS NOT NULL);


--
-- Name: robots_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX robots_domain ON public.robots USING btree (domain_id);


--
-- Name: runs_execution; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX runs_execution ON public.runs USING btree (execution_id);


--
-- Name: runs_source; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_source ON public.runs USING btree (source_id, id);


--
-- Name: runs_under_way; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_under_way ON public.runs USING btree (id) WHERE (state = ANY (ARRAY['running'::text, 'paused'::text]));


--
-- Name: seeds_roots; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX seeds_roots ON public.seeds USING btree (source_id, site, host);


--
-- Name: seeds_url; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX seeds_url ON public.seeds USING btree (source_id, url);


--
-- Name: sessions_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);


--
-- Name: sessions_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);


--
-- Name: stats_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX stats_key ON public.stats USING btree (span, at, worker_id);


--
-- Name: stats_unrolled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stats_unrolled ON public.stats USING btree (at) WHERE ((span = 'minute'::text) AND (is_rolled = 0));


--
-- Name: tasks_outbox; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_outbox ON public.tasks USING btree (publish_after) WHERE (publish_after IS NOT NULL);


--
-- Name: tokens_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX tokens_name ON public.tokens USING btree (user_id, name);


--
-- Name: urls_frontier; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX urls_frontier ON public.urls USING btree (domain_id, priority, due_at) WITH (fillfactor='100') WHERE (due_at IS NOT NULL);


--
-- Name: urls_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX urls_key ON public.urls USING btree (domain_id, key);


--
-- Name: visits_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX visits_domain ON ONLY public.visits USING btree (domain_id, at);


--
-- Name: visits_2026_11_domain_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX visits_2026_11_domain_id_at_idx ON public.visits_2026_11 USING btree (domain_id, at);


--
-- Name: visits_other_domain_id_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX visits_other_domain_id_at_idx ON public.visits_other USING btree (domain_id, at);


--
-- Name: webhook_deliveries_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_created ON public.webhook_deliveries USING btree (created_at);


--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_try_at) WHERE (next_try_at IS NOT NULL);


--
-- Name: webhook_deliveries_webhook; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_webhook ON public.webhook_deliveries USING btree (webhook_id, id);


--
-- Name: workers_live; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workers_live ON public.workers USING btree (run_id) WHERE (ended_at IS NULL);


--
-- Name: visits_2026_11_domain_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.visits_domain ATTACH PARTITION public.visits_2026_11_domain_id_at_idx;


--
-- Name: visits_2026_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.visits_pkey ATTACH PARTITION public.visits_2026_11_pkey;


--
-- Name: visits_other_domain_id_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.visits_domain ATTACH PARTITION public.visits_other_domain_id_at_idx;


--
-- Name: visits_other_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.visits_pkey ATTACH PARTITION public.visits_other_pkey;


--
-- PostgreSQL database dump complete
--

\unrestrict AjjaWfmzpYBk9JHZsWnGBRJKuFojMXypJhoJliWLsdtxmbMf9iZmPNvCuzZQJ1T

