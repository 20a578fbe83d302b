CREATE TABLE archive_patterns (
  id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  pattern TEXT NOT NULL,
  state TEXT NOT NULL,
  hits INTEGER DEFAULT 0 NOT NULL,
  misses INTEGER DEFAULT 0 NOT NULL,
  set_by TEXT,
  changed_at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX archive_patterns_domain ON archive_patterns (domain_id, pattern);
CREATE TABLE audit (
  id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  address TEXT,
  action TEXT NOT NULL,
  target TEXT,
  detail TEXT NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX audit_at ON audit (at);
CREATE TABLE bodies (
  id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  segment_id INTEGER NOT NULL,
  position BIGINT NOT NULL,
  length INTEGER NOT NULL,
  size INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX bodies_hash ON bodies (hash);
CREATE INDEX bodies_segment ON bodies (segment_id, position);
CREATE TABLE change_log (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  xid BIGINT NOT NULL,
  at DOUBLE NOT NULL,
  topic TEXT NOT NULL,
  source_id INTEGER NOT NULL,
  subject_id INTEGER NOT NULL
);
CREATE INDEX change_log_at ON change_log (at);
CREATE INDEX change_log_order ON change_log (xid, id);
CREATE TABLE changes (
  id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  domain_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  kind TEXT NOT NULL,
  old_hash BIGINT NOT NULL,
  new_hash BIGINT,
  old_bytes INTEGER NOT NULL,
  new_bytes INTEGER,
  title TEXT,
  PRIMARY KEY (id)
);
CREATE INDEX changes_at ON changes (at);
CREATE TABLE copies (
  id INTEGER NOT NULL,
  source TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  started_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  reached TEXT NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE discovered_links (
  id INTEGER NOT NULL,
  domain TEXT NOT NULL,
  url TEXT NOT NULL,
  discovered_from BIGINT NOT NULL,
  links INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  first_seen_at DOUBLE NOT NULL,
  last_seen_at DOUBLE NOT NULL,
  is_hidden INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (domain)
);
CREATE TABLE domain_events (
  id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  from_status TEXT NOT NULL,
  to_status TEXT NOT NULL,
  cause TEXT NOT NULL,
  detail TEXT NOT NULL,
  run_id INTEGER,
  worker_id INTEGER,
  PRIMARY KEY (id)
);
CREATE INDEX domain_events_domain ON domain_events (domain_id, id);
CREATE TABLE domains (
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  block_code TEXT,
  block_reason TEXT,
  first_blocked_at DOUBLE,
  next_crawl_after DOUBLE,
  pages_discovered INTEGER DEFAULT 0 NOT NULL,
  pages_crawled INTEGER DEFAULT 0 NOT NULL,
  queued INTEGER DEFAULT 0 NOT NULL,
  requests INTEGER DEFAULT 0 NOT NULL,
  wire_bytes BIGINT DEFAULT 0 NOT NULL,
  total_errors INTEGER DEFAULT 0 NOT NULL,
  depth_reached INTEGER DEFAULT 0 NOT NULL,
  first_seen_at DOUBLE NOT NULL,
  last_crawled_at DOUBLE,
  last_run_id INTEGER,
  run_pages INTEGER DEFAULT 0 NOT NULL,
  robots_delay_s DOUBLE,
  last_start_at DOUBLE,
  last_answer_at DOUBLE,
  last_response_s DOUBLE DEFAULT 0 NOT NULL,
  backoff_level INTEGER DEFAULT 0 NOT NULL,
  backoff_until DOUBLE,
  last_backoff_at DOUBLE,
  pushback_streak INTEGER DEFAULT 0 NOT NULL,
  forbidden_streak INTEGER DEFAULT 0 NOT NULL,
  breaker_state TEXT DEFAULT 'closed' NOT NULL,
  breaker_failures INTEGER DEFAULT 0 NOT NULL,
  breaker_successes INTEGER DEFAULT 0 NOT NULL,
  breaker_trips INTEGER DEFAULT 0 NOT NULL,
  breaker_reopen_at DOUBLE,
  claimed_by INTEGER,
  claim_expires_at DOUBLE,
  version INTEGER DEFAULT 0 NOT NULL,
  ready_at DOUBLE,
  avail_at DOUBLE,
  retries INTEGER DEFAULT 0 NOT NULL,
  login_streak INTEGER DEFAULT 0 NOT NULL,
  images_found BIGINT DEFAULT 0 NOT NULL,
  images_stored BIGINT DEFAULT 0 NOT NULL,
  seed_rank INTEGER,
  source TEXT,
  image_yield_rate DOUBLE,
  avg_images_per_page DOUBLE,
  error_rate DOUBLE,
  priority_score INTEGER DEFAULT 0 NOT NULL,
  priority_computed_at DOUBLE,
  tier INTEGER DEFAULT 5 NOT NULL,
  revisit_at DOUBLE,
  pages_changed INTEGER DEFAULT 0 NOT NULL,
  source_id INTEGER DEFAULT 0 NOT NULL,
  site TEXT DEFAULT '' NOT NULL,
  rule_delay_s DOUBLE,
  rule_per_domain INTEGER,
  rule_pages INTEGER,
  is_active INTEGER DEFAULT 1 NOT NULL,
  rules_by TEXT,
  rules_at DOUBLE,
  mixed INTEGER DEFAULT 0 NOT NULL,
  soft_404 TEXT,
  PRIMARY KEY (id),
  UNIQUE (name)
);
CREATE INDEX domains_avail ON domains (source_id, tier, avail_at) WHERE avail_at IS NOT NULL;
CREATE INDEX domains_claimed ON domains (claimed_by) WHERE claimed_by IS NOT NULL;
CREATE INDEX domains_mixed ON domains (source_id) WHERE mixed > 0;
CREATE INDEX domains_ruled ON domains (claimed_by) WHERE claimed_by IS NOT NULL AND rules_at IS NOT NULL;
CREATE INDEX domains_site ON domains (site);
CREATE TABLE error_groups (
  id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  fingerprint BIGINT NOT NULL,
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  message TEXT NOT NULL,
  parser TEXT,
  count INTEGER NOT NULL,
  first_at DOUBLE NOT NULL,
  last_at DOUBLE NOT NULL,
  last_error_id INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX error_groups_key ON error_groups (source_id, fingerprint);
CREATE TABLE errors (
  id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  run_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  message TEXT NOT NULL,
  stack TEXT,
  fingerprint BIGINT NOT NULL,
  parser TEXT,
  parser_version TEXT,
  PRIMARY KEY (id)
);
CREATE INDEX errors_at ON errors (at);
CREATE INDEX errors_domain ON errors (domain_id, id);
CREATE INDEX errors_group ON errors (source_id, fingerprint, id);
CREATE TABLE executions (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  scheduled_at DOUBLE NOT NULL,
  "trigger" TEXT NOT NULL,
  state TEXT NOT NULL,
  run_id INTEGER,
  retry_number INTEGER DEFAULT 0 NOT NULL,
  started_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  items_crawled INTEGER DEFAULT 0 NOT NULL,
  items_changed INTEGER DEFAULT 0 NOT NULL,
  items_failed INTEGER DEFAULT 0 NOT NULL,
  error TEXT,
  traceback TEXT,
  cpu_ms INTEGER DEFAULT 0 NOT NULL,
  peak_rss_bytes INTEGER DEFAULT 0 NOT NULL,
  UNIQUE (job_id, scheduled_at),
  UNIQUE (job_id, number)
);
CREATE INDEX executions_open ON executions (job_id) WHERE ended_at IS NULL;
CREATE INDEX executions_started ON executions (started_at);
CREATE TABLE feeds (
  id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  domain TEXT NOT NULL,
  kind TEXT,
  title TEXT,
  state TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  interval_s DOUBLE NOT NULL,
  next_poll_at DOUBLE,
  last_polled_at DOUBLE,
  last_status INTEGER,
  error TEXT,
  failures INTEGER DEFAULT 0 NOT NULL,
  entries_new INTEGER DEFAULT 0 NOT NULL,
  created_at DOUBLE NOT NULL,
  lock_token TEXT,
  lock_until DOUBLE,
  PRIMARY KEY (id),
  UNIQUE (source_id, url)
);
CREATE INDEX feeds_domain ON feeds (domain);
CREATE INDEX feeds_due ON feeds (next_poll_at) WHERE next_poll_at IS NOT NULL;
CREATE TABLE follow_ups (
  id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  source_id INTEGER NOT NULL,
  parser TEXT NOT NULL,
  domain_id INTEGER NOT NULL,
  data TEXT NOT NULL,
  from_url_id BIGINT NOT NULL,
  at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX follow_ups_domain ON follow_ups (domain_id);
CREATE UNIQUE INDEX follow_ups_url ON follow_ups (url_id, source_id, parser);
CREATE TABLE guess_budgets (
  domain_id INTEGER NOT NULL,
  since DOUBLE NOT NULL,
  pages INTEGER NOT NULL,
  archives INTEGER NOT NULL,
  searched_at DOUBLE,
  PRIMARY KEY (domain_id)
);
CREATE TABLE images (
  id INTEGER NOT NULL,
  "key" BIGINT NOT NULL,
  url TEXT NOT NULL,
  url_id BIGINT NOT NULL,
  domain_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  alt TEXT NOT NULL,
  discovery TEXT NOT NULL,
  first_seen_at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX images_domain ON images (domain_id);
CREATE UNIQUE INDEX images_key ON images ("key");
CREATE TABLE invalid_items (
  id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  "key" TEXT NOT NULL,
  parser TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  data TEXT NOT NULL,
  faults TEXT NOT NULL,
  at DOUBLE NOT NULL,
  run_id INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX invalid_items_domain ON invalid_items (domain_id);
CREATE UNIQUE INDEX invalid_items_key ON invalid_items (url_id, source_id, parser, kind, "key");
CREATE TABLE item_audits (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  since DOUBLE NOT NULL,
  items INTEGER NOT NULL,
  is_complete INTEGER NOT NULL,
  counts TEXT NOT NULL,
  findings TEXT NOT NULL
);
CREATE INDEX item_audits_at ON item_audits (at);
CREATE INDEX item_audits_source ON item_audits (source_id, id);
CREATE TABLE item_changes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  run_id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  fields TEXT,
  parser TEXT NOT NULL,
  parser_version TEXT NOT NULL
);
CREATE INDEX item_changes_item ON item_changes (item_id, id);
CREATE TABLE items (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  "key" TEXT NOT NULL,
  domain_id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  run_id INTEGER NOT NULL,
  parser TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  data TEXT NOT NULL,
  content_hash BIGINT NOT NULL,
  confidence DOUBLE,
  field_confidence TEXT,
  first_seen_at DOUBLE NOT NULL,
  last_seen_at DOUBLE NOT NULL,
  changed_at DOUBLE NOT NULL,
  gone_at DOUBLE,
  changes INTEGER NOT NULL
);
CREATE INDEX items_changed ON items (changed_at);
CREATE INDEX items_domain ON items (domain_id, id);
CREATE UNIQUE INDEX items_key ON items (source_id, kind, "key");
CREATE INDEX items_kind ON items (kind, id);
CREATE INDEX items_source ON items (source_id, id);
CREATE INDEX items_url ON items (url_id);
CREATE TABLE jobs (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL,
  url TEXT,
  state TEXT NOT NULL,
  interval_minutes INTEGER,
  interval_type TEXT DEFAULT 'minutes' NOT NULL,
  schedule_enabled INTEGER NOT NULL,
  adaptive_scheduling INTEGER DEFAULT 1 NOT NULL,
  timezone TEXT DEFAULT 'UTC' NOT NULL,
  active_hours TEXT,
  next_run_at DOUBLE,
  phase_at DOUBLE,
  slot_moved_at DOUBLE,
  priority INTEGER DEFAULT 5 NOT NULL,
  content_hash TEXT,
  unchanged_count INTEGER DEFAULT 0 NOT NULL,
  max_retries INTEGER DEFAULT 3 NOT NULL,
  retry_backoff_seconds INTEGER DEFAULT 60 NOT NULL,
  current_retry_count INTEGER DEFAULT 0 NOT NULL,
  lock_token TEXT,
  lock_acquired_at DOUBLE,
  lock_heartbeat_at DOUBLE,
  stale_locks INTEGER DEFAULT 0 NOT NULL,
  paused_at DOUBLE,
  cancelled_at DOUBLE,
  last_error TEXT,
  metadata TEXT DEFAULT '{}' NOT NULL,
  version INTEGER DEFAULT 1 NOT NULL,
  created_at DOUBLE NOT NULL,
  updated_at DOUBLE NOT NULL
);
CREATE INDEX jobs_due ON jobs (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX jobs_source ON jobs (source_id);
CREATE TABLE log_cursors (
  name TEXT NOT NULL,
  xid BIGINT NOT NULL,
  log_id INTEGER NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE marks (
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE observations (
  id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  item_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  parser TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  at DOUBLE NOT NULL,
  content_hash BIGINT NOT NULL,
  confidence DOUBLE,
  data TEXT,
  PRIMARY KEY (id)
);
CREATE INDEX observations_domain ON observations (domain_id);
CREATE INDEX observations_item ON observations (item_id, at);
CREATE UNIQUE INDEX observations_url ON observations (url_id, item_id);
CREATE TABLE pages (
  url_id BIGINT NOT NULL,
  domain_id INTEGER NOT NULL,
  status INTEGER NOT NULL,
  content_type TEXT,
  charset TEXT NOT NULL,
  language TEXT,
  body_bytes INTEGER NOT NULL,
  title TEXT,
  description TEXT,
  canonical TEXT,
  content_hash BIGINT NOT NULL,
  content BLOB NOT NULL,
  links_count INTEGER NOT NULL,
  links BLOB NOT NULL,
  fetched_at DOUBLE NOT NULL,
  changed_at DOUBLE NOT NULL,
  first_fetched_at DOUBLE,
  images_count INTEGER DEFAULT 0 NOT NULL,
  images BLOB,
  simhash BIGINT,
  near_url_id BIGINT,
  band_1 INTEGER,
  band_2 INTEGER,
  band_3 INTEGER,
  band_4 INTEGER,
  PRIMARY KEY (url_id)
);
CREATE INDEX pages_band_1 ON pages (domain_id, band_1, simhash, url_id) WHERE band_1 IS NOT NULL;
CREATE INDEX pages_band_2 ON pages (domain_id, band_2, simhash, url_id) WHERE band_2 IS NOT NULL;
CREATE INDEX pages_band_3 ON pages (domain_id, band_3, simhash, url_id) WHERE band_3 IS NOT NULL;
CREATE INDEX pages_band_4 ON pages (domain_id, band_4, simhash, url_id) WHERE band_4 IS NOT NULL;
CREATE INDEX pages_content ON pages (domain_id, content_hash);
CREATE INDEX pages_first ON pages (first_fetched_at) WHERE first_fetched_at IS NOT NULL;
CREATE INDEX pages_near ON pages (near_url_id) WHERE near_url_id IS NOT NULL;
CREATE TABLE pagination_rules (
  id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  pattern TEXT NOT NULL,
  state TEXT NOT NULL,
  step INTEGER DEFAULT 1 NOT NULL,
  last_n INTEGER DEFAULT 1 NOT NULL,
  hits INTEGER DEFAULT 0 NOT NULL,
  misses INTEGER DEFAULT 0 NOT NULL,
  is_linked INTEGER DEFAULT 0 NOT NULL,
  set_by TEXT,
  changed_at DOUBLE NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX pagination_rules_domain ON pagination_rules (domain_id, pattern);
CREATE TABLE parsed_urls (
  url_id BIGINT NOT NULL,
  source_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  parsed_by BIGINT NOT NULL,
  items_hash BIGINT,
  kinds TEXT,
  PRIMARY KEY (url_id)
);
CREATE INDEX parsed_urls_domain ON parsed_urls (domain_id);
CREATE TABLE parser_alerts (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  parser TEXT NOT NULL,
  domain_id INTEGER NOT NULL,
  measure TEXT NOT NULL,
  past DOUBLE NOT NULL,
  recent DOUBLE NOT NULL,
  past_count INTEGER NOT NULL,
  recent_count INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  ended_at DOUBLE
);
CREATE INDEX parser_alerts_domain ON parser_alerts (domain_id);
CREATE INDEX parser_alerts_parser ON parser_alerts (parser, id);
CREATE TABLE parser_stats (
  id INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  parser TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  pages INTEGER NOT NULL,
  items INTEGER NOT NULL,
  invalid INTEGER NOT NULL,
  empty INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  confidence_sum DOUBLE NOT NULL,
  rated INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX parser_stats_domain ON parser_stats (domain_id);
CREATE UNIQUE INDEX parser_stats_key ON parser_stats (hour, domain_id, parser, parser_version);
CREATE TABLE parser_trials (
  id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  parser TEXT NOT NULL,
  version TEXT NOT NULL,
  candidate TEXT NOT NULL,
  field TEXT NOT NULL,
  same INTEGER NOT NULL,
  different INTEGER NOT NULL,
  only_current INTEGER NOT NULL,
  only_candidate INTEGER NOT NULL,
  example_url_id BIGINT,
  example_current TEXT,
  example_candidate TEXT,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX parser_trials_key ON parser_trials (source_id, parser, version, candidate, field);
CREATE TABLE product_changes (
  id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  kind TEXT NOT NULL,
  price BIGINT,
  currency TEXT,
  list_price BIGINT,
  availability TEXT,
  old_price BIGINT,
  old_currency TEXT,
  old_availability TEXT,
  lowest_price BIGINT,
  PRIMARY KEY (id)
);
CREATE INDEX product_changes_item ON product_changes (item_id, id);
CREATE INDEX product_changes_stock ON product_changes (at, id) WHERE availability != old_availability;
CREATE TABLE products (
  item_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  name TEXT,
  name_key TEXT NOT NULL,
  price BIGINT,
  currency TEXT,
  list_price BIGINT,
  availability TEXT,
  rating DOUBLE,
  review_count INTEGER,
  brand TEXT,
  brand_key TEXT,
  category TEXT,
  category_key TEXT,
  sku TEXT,
  gtin TEXT,
  known_price BIGINT,
  known_availability TEXT,
  price_changed_at DOUBLE,
  previous_price BIGINT,
  reduced_by DOUBLE,
  lowest_price BIGINT,
  lowest_at DOUBLE,
  highest_price BIGINT,
  highest_at DOUBLE,
  created_at DOUBLE NOT NULL,
  updated_at DOUBLE NOT NULL,
  gone_at DOUBLE,
  PRIMARY KEY (item_id)
);
CREATE INDEX products_availability ON products (availability, item_id);
CREATE INDEX products_brand ON products (brand_key, item_id);
CREATE INDEX products_category ON products (category_key, item_id);
CREATE INDEX products_created ON products (created_at, item_id);
CREATE INDEX products_domain ON products (domain_id, item_id);
CREATE INDEX products_gtin ON products (gtin, item_id) WHERE gtin IS NOT NULL;
CREATE INDEX products_name ON products (name_key, item_id);
CREATE INDEX products_price ON products (currency, price, item_id);
CREATE INDEX products_rating ON products (rating, item_id) WHERE rating IS NOT NULL;
CREATE INDEX products_reduced ON products (reduced_by, item_id) WHERE reduced_by IS NOT NULL;
CREATE INDEX products_reduced_at ON products (price_changed_at, item_id) WHERE reduced_by IS NOT NULL;
CREATE INDEX products_sku ON products (sku, item_id) WHERE sku IS NOT NULL;
CREATE INDEX products_updated ON products (updated_at, item_id);
CREATE TABLE receipts (
  domain_id INTEGER NOT NULL,
  until DOUBLE NOT NULL,
  requests INTEGER NOT NULL,
  first_at DOUBLE NOT NULL,
  last_at DOUBLE NOT NULL,
  smallest_gap_s DOUBLE,
  smallest_gap_at DOUBLE,
  gaps TEXT NOT NULL,
  failures TEXT NOT NULL,
  unlogged INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (domain_id)
);
CREATE TABLE robots (
  origin TEXT NOT NULL,
  domain_id INTEGER NOT NULL,
  status INTEGER,
  body BLOB NOT NULL,
  fetched_at DOUBLE NOT NULL,
  expires_at DOUBLE NOT NULL,
  error TEXT,
  PRIMARY KEY (origin)
);
CREATE INDEX robots_domain ON robots (domain_id);
CREATE TABLE runs (
  id INTEGER NOT NULL,
  state TEXT NOT NULL,
  settings TEXT NOT NULL,
  started_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  requests INTEGER DEFAULT 0 NOT NULL,
  pages INTEGER DEFAULT 0 NOT NULL,
  wire_bytes BIGINT DEFAULT 0 NOT NULL,
  paused_at DOUBLE,
  cancelled_at DOUBLE,
  first_visit_id INTEGER DEFAULT 0 NOT NULL,
  first_event_id INTEGER DEFAULT 0 NOT NULL,
  source_id INTEGER DEFAULT 0 NOT NULL,
  execution_id INTEGER,
  visits INTEGER DEFAULT 0 NOT NULL,
  failed INTEGER DEFAULT 0 NOT NULL,
  leftover TEXT,
  intake_at DOUBLE,
  postponed INTEGER DEFAULT 0 NOT NULL,
  items INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX runs_execution ON runs (execution_id);
CREATE INDEX runs_source ON runs (source_id, id);
CREATE INDEX runs_under_way ON runs (id) WHERE state IN ('running', 'paused');
CREATE TABLE seeds (
  id INTEGER NOT NULL,
  url TEXT NOT NULL,
  cause TEXT NOT NULL,
  added_at DOUBLE NOT NULL,
  source TEXT,
  rank INTEGER,
  host TEXT DEFAULT '' NOT NULL,
  site TEXT DEFAULT '' NOT NULL,
  source_id INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX seeds_roots ON seeds (source_id, site, host);
CREATE UNIQUE INDEX seeds_url ON seeds (source_id, url);
CREATE TABLE segments (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "key" TEXT NOT NULL,
  machine TEXT NOT NULL,
  worker_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  bodies INTEGER NOT NULL,
  created_at DOUBLE NOT NULL,
  sealed_at DOUBLE
);
CREATE UNIQUE INDEX segments_key ON segments ("key");
CREATE TABLE sessions (
  id INTEGER NOT NULL,
  "key" BLOB NOT NULL,
  user_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  expires_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  PRIMARY KEY (id),
  UNIQUE ("key")
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE set_aside (
  id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  source_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  due_at DOUBLE NOT NULL,
  revisit_since DOUBLE,
  PRIMARY KEY (id)
);
CREATE INDEX set_aside_source ON set_aside (source_id, domain_id);
CREATE UNIQUE INDEX set_aside_url ON set_aside (url_id, source_id);
CREATE TABLE sitemaps (
  url_id BIGINT NOT NULL,
  domain_id INTEGER NOT NULL,
  origin TEXT NOT NULL,
  hosts TEXT DEFAULT '' NOT NULL,
  level INTEGER DEFAULT 0 NOT NULL,
  kind TEXT,
  entries INTEGER DEFAULT 0 NOT NULL,
  refused INTEGER DEFAULT 0 NOT NULL,
  added INTEGER DEFAULT 0 NOT NULL,
  images INTEGER DEFAULT 0 NOT NULL,
  body_bytes BIGINT DEFAULT 0 NOT NULL,
  lastmod TEXT DEFAULT 'none' NOT NULL,
  fresh_reads INTEGER DEFAULT 0 NOT NULL,
  read_at DOUBLE,
  error TEXT,
  PRIMARY KEY (url_id)
);
CREATE INDEX sitemaps_domain ON sitemaps (domain_id);
CREATE TABLE sources (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  "key" TEXT NOT NULL,
  definition TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  version INTEGER DEFAULT 1 NOT NULL,
  created_at DOUBLE NOT NULL,
  updated_at DOUBLE NOT NULL,
  headers TEXT,
  kind TEXT DEFAULT 'source' NOT NULL,
  UNIQUE ("key")
);
CREATE TABLE stats (
  id INTEGER NOT NULL,
  span TEXT NOT NULL,
  at INTEGER NOT NULL,
  worker_id INTEGER NOT NULL,
  is_rolled INTEGER DEFAULT 0 NOT NULL,
  requests INTEGER NOT NULL,
  wire_bytes BIGINT NOT NULL,
  duration_s DOUBLE NOT NULL,
  dns_lookups INTEGER NOT NULL,
  dns_s DOUBLE NOT NULL,
  robots_denials INTEGER NOT NULL,
  discovered INTEGER NOT NULL,
  outcomes TEXT NOT NULL,
  statuses TEXT NOT NULL,
  failures TEXT NOT NULL,
  durations TEXT NOT NULL,
  rejections TEXT DEFAULT '{}' NOT NULL,
  near_duplicates INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX stats_key ON stats (span, at, worker_id);
CREATE INDEX stats_unrolled ON stats (at) WHERE span = 'minute' AND is_rolled = 0;
CREATE TABLE store_clock (
  name TEXT NOT NULL,
  offset_s DOUBLE NOT NULL,
  since DOUBLE NOT NULL,
  seen_at DOUBLE NOT NULL,
  revision INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (name)
);
CREATE TABLE tasks (
  id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  deliveries INTEGER DEFAULT 0 NOT NULL,
  error TEXT,
  created_at DOUBLE NOT NULL,
  publish_after DOUBLE,
  queued_at DOUBLE,
  started_at DOUBLE,
  ended_at DOUBLE,
  PRIMARY KEY (id),
  UNIQUE (run_id)
);
CREATE INDEX tasks_outbox ON tasks (publish_after) WHERE publish_after IS NOT NULL;
CREATE TABLE tokens (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  "key" TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at DOUBLE NOT NULL,
  expires_at DOUBLE,
  last_used_at DOUBLE,
  UNIQUE ("key")
);
CREATE UNIQUE INDEX tokens_name ON tokens (user_id, name);
CREATE TABLE traps (
  id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  shape TEXT NOT NULL,
  state TEXT NOT NULL,
  rule TEXT,
  visits INTEGER DEFAULT 0 NOT NULL,
  novel INTEGER DEFAULT 0 NOT NULL,
  recent BIGINT DEFAULT 0 NOT NULL,
  spent INTEGER DEFAULT 0 NOT NULL,
  led_on INTEGER DEFAULT 0 NOT NULL,
  first_seen_at DOUBLE NOT NULL,
  last_seen_at DOUBLE NOT NULL,
  changed_at DOUBLE NOT NULL,
  decided_by TEXT,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX traps_shape ON traps (domain_id, shape);
CREATE TABLE urls (
  id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  "key" BIGINT NOT NULL,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  due_at DOUBLE,
  fate TEXT NOT NULL,
  reason TEXT,
  detail TEXT,
  to_url TEXT,
  attempts INTEGER DEFAULT 0 NOT NULL,
  hops INTEGER DEFAULT 0 NOT NULL,
  crashes INTEGER DEFAULT 0 NOT NULL,
  is_seed INTEGER DEFAULT 0 NOT NULL,
  discovered_at DOUBLE NOT NULL,
  discovered_from BIGINT,
  status INTEGER,
  fetched_at DOUBLE,
  etag TEXT,
  last_modified TEXT,
  content_hash BIGINT,
  revisit_at DOUBLE,
  unchanged_count INTEGER DEFAULT 0 NOT NULL,
  misses INTEGER DEFAULT 0 NOT NULL,
  class_key BIGINT,
  merged_key BIGINT,
  run_id INTEGER,
  response_headers TEXT,
  found_by INTEGER DEFAULT 0 NOT NULL,
  is_sitemap INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX urls_class ON urls (domain_id, class_key) WHERE class_key IS NOT NULL;
CREATE INDEX urls_frontier ON urls (domain_id, priority, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX urls_key ON urls (domain_id, "key");
CREATE INDEX urls_merged ON urls (domain_id, merged_key, id) WHERE merged_key IS NOT NULL;
CREATE TABLE users (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  "key" TEXT NOT NULL,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  version INTEGER DEFAULT 0 NOT NULL,
  founder INTEGER,
  created_at DOUBLE NOT NULL,
  disabled_at DOUBLE,
  UNIQUE ("key"),
  UNIQUE (founder)
);
CREATE TABLE visit_bodies (
  id INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  domain_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  at DOUBLE NOT NULL,
  body_id INTEGER NOT NULL,
  heads BLOB NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX visit_bodies_domain ON visit_bodies (domain_id);
CREATE INDEX visit_bodies_url ON visit_bodies (url_id, at);
CREATE TABLE visits (
  id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  worker_id INTEGER NOT NULL,
  domain_id INTEGER NOT NULL,
  url_id BIGINT,
  at DOUBLE NOT NULL,
  duration_s DOUBLE NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  wire_bytes INTEGER NOT NULL,
  error_kind TEXT,
  error_detail TEXT,
  PRIMARY KEY (id)
);
CREATE INDEX visits_domain ON visits (domain_id, at);
CREATE TABLE webhook_deliveries (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER DEFAULT 0 NOT NULL,
  next_try_at DOUBLE,
  last_status INTEGER,
  last_error TEXT,
  created_at DOUBLE NOT NULL,
  delivered_at DOUBLE,
  lock_token TEXT,
  lock_until DOUBLE,
  UNIQUE (webhook_id, event, subject)
);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_try_at) WHERE next_try_at IS NOT NULL;
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE TABLE webhooks (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  events TEXT NOT NULL,
  source_id INTEGER,
  enabled INTEGER NOT NULL,
  enabled_at DOUBLE NOT NULL,
  created_at DOUBLE NOT NULL,
  old_secret TEXT,
  old_secret_until DOUBLE,
  min_drop DOUBLE
);
CREATE TABLE workers (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at DOUBLE NOT NULL,
  heartbeat_at DOUBLE NOT NULL,
  ended_at DOUBLE,
  granted INTEGER DEFAULT 0 NOT NULL,
  is_hungry INTEGER DEFAULT 0 NOT NULL,
  last_batch INTEGER DEFAULT 0 NOT NULL,
  pages INTEGER DEFAULT 0 NOT NULL,
  pages_per_min DOUBLE DEFAULT 0 NOT NULL,
  trouble TEXT,
  rss_bytes BIGINT DEFAULT 0 NOT NULL,
  is_buried INTEGER DEFAULT 0 NOT NULL,
  peak_rss_bytes BIGINT DEFAULT 0 NOT NULL,
  cpu_ms BIGINT DEFAULT 0 NOT NULL,
  lease_s DOUBLE DEFAULT 600 NOT NULL,
  silent_domains INTEGER DEFAULT 0 NOT NULL,
  longest_url TEXT,
  longest_started_at DOUBLE,
  stall TEXT,
  exit_code INTEGER,
  UNIQUE (uuid)
);
CREATE INDEX workers_live ON workers (run_id) WHERE ended_at IS NULL;
CREATE TABLE yields (
  domain_id BIGINT NOT NULL,
  seed_urls INTEGER DEFAULT 0 NOT NULL,
  seed_pages INTEGER DEFAULT 0 NOT NULL,
  sitemap_urls INTEGER DEFAULT 0 NOT NULL,
  sitemap_pages INTEGER DEFAULT 0 NOT NULL,
  feed_urls INTEGER DEFAULT 0 NOT NULL,
  feed_pages INTEGER DEFAULT 0 NOT NULL,
  archive_urls INTEGER DEFAULT 0 NOT NULL,
  archive_pages INTEGER DEFAULT 0 NOT NULL,
  pagination_urls INTEGER DEFAULT 0 NOT NULL,
  pagination_pages INTEGER DEFAULT 0 NOT NULL,
  probe_urls INTEGER DEFAULT 0 NOT NULL,
  probe_pages INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (domain_id)
);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0049');
