"""Statements that are the same in both databases, but for how parameters are written.

They are written for SQLite; `to_postgres` translates them once, when a module is imported. Those that differ
in more than their parameters are beside the code that executes them.
"""

from typing import Final

from tenax.stores.hot.column_lists import REPLACED_STATS_COLUMNS, STATS_COLUMNS, STATS_NAMES, join_marks
from tenax.stores.hot.merging import QUEUED_AGAIN, STANDS
from tenax.stores.hot.report_rows import DOMAIN_ROW_COLUMNS, URL_ROW_COLUMNS
from tenax.stores.hot.rows import ROBOTS_COLUMNS, RULE_COLUMNS
from tenax.stores.hot.run_states import IS_OPENED, IS_RESERVED, RUN_COLUMNS
from tenax.stores.hot.takeover import CRAWLED_BY_OTHERS, IS_ASIDE
from tenax.stores.hot.vitals import assign_vitals

# Any table.
COUNT_ROWS: Final = "SELECT count(*) FROM {table}"
FIND_ANY_ROW: Final = "SELECT 1 FROM {table} LIMIT 1"
FIND_REVISION: Final = "SELECT version_num FROM alembic_version"
CLEAR_CLOCK: Final = "DELETE FROM store_clock"
SAVE_REACHED: Final = "UPDATE copies SET reached = ?"

# Domains.
FIND_DOMAIN: Final = "SELECT id, source_id FROM domains WHERE name = ?"
FIND_STATUS: Final = "SELECT status FROM domains WHERE id = ?"
LIST_HELD_SITES: Final = "SELECT site FROM domains WHERE claimed_by IS NOT NULL AND source_id = ?"
CORRECT_COUNTER: Final = "UPDATE domains SET {counter} = ? WHERE id = ?"
EXPIRE_ROBOTS: Final = "UPDATE robots SET expires_at = ? WHERE domain_id = ?"
FIND_ROBOTS: Final = f"SELECT {ROBOTS_COLUMNS} FROM robots WHERE origin = ?"
LIST_RULES: Final = f"""
    SELECT id, version, {RULE_COLUMNS}
    FROM domains
    WHERE claimed_by = ? AND rules_at IS NOT NULL
"""
FIND_DOMAIN_ROW: Final = f"""
    SELECT {DOMAIN_ROW_COLUMNS}
    FROM domains d
    LEFT JOIN workers w ON w.id = d.claimed_by
    WHERE d.id = ?
"""
RESET_DOMAIN: Final = """
    UPDATE domains
    SET
        last_run_id = NULL,
        run_pages = 0,
        queued = (
            SELECT count(*)
            FROM urls
            WHERE domain_id = domains.id AND due_at IS NOT NULL
        )
    WHERE id = ?
"""
# The parameter is the source.
FIND_SHARING: Final = f"""
    SELECT
        EXISTS (SELECT 1 FROM set_aside WHERE source_id = ?1),
        EXISTS (
            SELECT 1
            FROM domains
            WHERE source_id = ?1
                AND mixed > 0
                AND mixed = {CRAWLED_BY_OTHERS}
        )
"""

# Urls.
# What a site answers where there is no page matters for everything that waits: a day ahead of it.
HURRY_PROBE: Final = "UPDATE urls SET due_at = due_at - 86400 WHERE domain_id = ? AND key = ?"
COUNT_CRASH: Final = "UPDATE urls SET crashes = crashes + 1 WHERE id = ?"
# What has a page keeps its fate, as its page is still there. What crashed its reader stays away.
QUEUE_ALL_URLS: Final = f"""
    UPDATE urls
    SET
        due_at = ?,
        attempts = 0,
        reason = CASE WHEN fate IN ('fetched', 'duplicate') THEN reason END,
        detail = CASE WHEN fate IN ('fetched', 'duplicate') THEN detail END,
        fate = CASE WHEN fate IN ('fetched', 'duplicate') THEN fate ELSE 'queued' END
    WHERE domain_id = ?
        AND fate <> 'quarantined'
        AND NOT ({IS_ASIDE})
"""
FIND_URL: Final = f"""
    SELECT {URL_ROW_COLUMNS}
    FROM urls u
    LEFT JOIN urls parent ON parent.id = u.discovered_from
    LEFT JOIN pages p ON p.url_id = u.id
    WHERE u.domain_id = ? AND u.key = ?
"""
# The parameters are the domain, the priority, the due instant and the id of a url.
COUNT_AHEAD: Final = """
    SELECT count(*)
    FROM urls
    WHERE domain_id = ?1
        AND due_at IS NOT NULL
        AND (priority > ?2 OR (priority = ?2 AND (due_at < ?3 OR (due_at = ?3 AND id < ?4))))
"""
LIST_WAITING_SOURCES: Final = """
    SELECT s.name, s.kind
    FROM set_aside a
    JOIN sources s ON s.id = a.source_id
    WHERE a.url_id = ?
    ORDER BY s.name
"""
# The links of the page p, packed; before schema 0033 apart from its content.
PACKED_LINKS: Final = "CASE WHEN length(p.links) = 0 THEN p.content ELSE p.links END"
# The parameters are the last id, the source and the limit.
LIST_STORED_LINKS: Final = f"""
    SELECT p.url_id, u.depth, {PACKED_LINKS}
    FROM pages p
    JOIN urls u ON u.id = p.url_id
    WHERE p.url_id > ?
        AND p.domain_id IN (SELECT id FROM domains WHERE source_id = ?)
    ORDER BY p.url_id
    LIMIT ?
"""

# Classes of urls.
CLEAR_CLASSES: Final = """
    UPDATE urls
    SET
        reason = CASE WHEN fate = 'redirected' THEN NULL ELSE reason END,
        class_key = NULL
    WHERE (class_key IS NOT NULL OR fate = 'redirected' AND reason = 'merged')
        AND domain_id IN (SELECT id FROM domains WHERE source_id = ?)
"""
# In a domain that others have crawled, too, it is not known who found a url that was merged. It waits until
# it is found again: crawl/run/retracing.py follows the links of each crawl.
LEAVE_TO_OTHERS: Final = f"""
    UPDATE urls
    SET {QUEUED_AGAIN}
    WHERE merged_key IS NOT NULL
        AND due_at IS NULL
        AND domain_id IN (
            SELECT id
            FROM domains
            WHERE source_id = ? AND mixed = {CRAWLED_BY_OTHERS}
        )
"""
# The parameters are the last id, the source and the limit.
LIST_MEMBERS: Final = f"""
    SELECT u.id, u.url, u.key, d.name, CASE WHEN u.fate = 'redirected' THEN u.to_url END
    FROM urls u
    JOIN domains d ON d.id = u.domain_id
    WHERE u.id > ?
        AND d.source_id = ?
        AND {STANDS}
    ORDER BY u.id
    LIMIT ?
"""
# The parameters are the domain, the last key and the limit.
LIST_DOMAIN_MEMBERS: Final = f"""
    SELECT u.id, u.url, u.key, d.name, CASE WHEN u.fate = 'redirected' THEN u.to_url END
    FROM urls u
    JOIN domains d ON d.id = u.domain_id
    WHERE u.domain_id = ?
        AND u.key > ?
        AND {STANDS}
    ORDER BY u.key
    LIMIT ?
"""
LIST_LEARNED: Final = """
    SELECT d.name, t.shape
    FROM traps t
    JOIN domains d ON d.id = t.domain_id
    WHERE t.state = 'merged' AND d.source_id = ?
"""

# Seeds.
LIST_NAMED_SEEDS: Final = "SELECT url FROM seeds WHERE source_id = ? AND cause = 'user'"
LOAD_SEEDS: Final = "SELECT url, id FROM seeds WHERE source_id = ? AND id > ? ORDER BY id LIMIT ?"
COUNT_SEEDS: Final = "SELECT count(*), coalesce(max(id), 0) FROM seeds WHERE source_id = ?"

# Runs and their sources.
FIND_STATE: Final = "SELECT state FROM runs WHERE id = ?"
FIND_SOURCE: Final = "SELECT name, kind FROM sources WHERE id = ?"
FIND_LAST_SOURCE: Final = "SELECT source_id FROM runs ORDER BY id DESC LIMIT 1"
FIND_LAST_SETTINGS: Final = "SELECT settings FROM runs WHERE source_id = ? ORDER BY id DESC LIMIT 1"
FIND_LAST_RUN: Final = """
    SELECT id, state, settings
    FROM runs
    WHERE source_id = ?
    ORDER BY id DESC
    LIMIT 1
"""
FIND_RESERVED: Final = f"SELECT {RUN_COLUMNS}, {IS_OPENED} FROM runs WHERE execution_id = ?"
LIST_RUNNING: Final = "SELECT source_id, max(id) FROM runs WHERE state = 'running' GROUP BY source_id"
RESUME_RUN: Final = "UPDATE runs SET state = 'running', paused_at = NULL WHERE id = ?"
# A worker joins: the last of the others may have closed the run since it was opened.
CONTINUE_RUN: Final = "UPDATE runs SET state = 'running', ended_at = NULL, leftover = NULL WHERE id = ?"
RESERVE_RUN: Final = "UPDATE runs SET paused_at = started_at, execution_id = ? WHERE id = ?"
WITHDRAW_RUN: Final = f"DELETE FROM runs WHERE id = ? AND {IS_RESERVED}"
SAVE_LEFTOVER: Final = "UPDATE runs SET leftover = ? WHERE id = ?"

# Workers.
SAVE_HUNGER: Final = "UPDATE workers SET is_hungry = ?1 WHERE id = ?2 AND is_hungry <> ?1"
# The parameters are now, the worker and its vitals.
BEAT: Final = f"UPDATE workers SET heartbeat_at = ?1, {assign_vitals('?', 3)} WHERE id = ?2"

# Statistics. The parameters are the minute and the worker; then the counts.
FIND_COUNTS: Final = f"""
    SELECT {STATS_COLUMNS}
    FROM stats
    WHERE span = 'minute'
        AND at = ?
        AND worker_id = ?
        AND is_rolled = 0
"""
# A clock that was set back reaches minutes that were rolled up: what they held is kept elsewhere.
SAVE_COUNTS: Final = f"""
    INSERT INTO stats (span, at, worker_id, {STATS_COLUMNS})
    VALUES ('minute', ?, ?, {join_marks(STATS_NAMES)})
    ON CONFLICT (span, at, worker_id) DO UPDATE SET
        is_rolled = 0,
        {REPLACED_STATS_COLUMNS}
"""

# What a run has taken in.
FIND_INTAKE: Final = "SELECT intake_at FROM runs WHERE id = ?"
# Of the last run of a source.
FIND_LAST_INTAKE: Final = "SELECT intake_at FROM runs WHERE source_id = ? ORDER BY id DESC LIMIT 1"
# Domains of a source with urls that wait.
LIST_WAITING: Final = "SELECT id FROM domains WHERE source_id = ?1 AND queued > 0 ORDER BY id"
COUNT_BODIES = "SELECT count(*) FROM visit_bodies WHERE url_id = ?"
