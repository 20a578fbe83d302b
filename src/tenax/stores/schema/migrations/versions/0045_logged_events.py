"""Events for webhooks are entries of the change log. Those near the old cursors are logged now: they may not
have been collected. What has a delivery does not get another one.
"""

from alembic import op

revision = "0045"
down_revision = "0044"

_XID = {"postgresql": "pg_current_xact_id()::text::bigint", "sqlite": "0"}
# How far before its cursors the collector of before looked back.
_OVERLAP_S = 600
_OVERLAP_EVENTS = 10_000
_ENDED = f"""
    > (
        SELECT coalesce(max(position), 0) / 1000.0 - {_OVERLAP_S}
        FROM marks
        WHERE name = 'webhooks'
    )
    AND EXISTS (SELECT 1 FROM webhooks WHERE enabled = 1)
"""
_LOG_RUNS = f"""
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT {{xid}}, ended_at, 'run', source_id, id
    FROM runs
    WHERE ended_at {_ENDED}
    ORDER BY ended_at
"""
_LOG_EXECUTIONS = f"""
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT {{xid}}, e.ended_at, 'execution', j.source_id, e.id
    FROM executions e
    JOIN jobs j ON j.id = e.job_id
    WHERE e.items_changed > 0 AND e.ended_at {_ENDED}
    ORDER BY e.ended_at
"""
_LOG_BLOCKS = f"""
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT {{xid}}, e.at, 'domain_event', d.source_id, e.id
    FROM domain_events e
    JOIN domains d ON d.id = e.domain_id
    WHERE e.to_status = 'blocked'
        AND e.id > (
            SELECT coalesce(max(position), 0) - {_OVERLAP_EVENTS}
            FROM marks
            WHERE name = 'webhooks.domain_events'
        )
        AND EXISTS (SELECT 1 FROM webhooks WHERE enabled = 1)
    ORDER BY e.id
"""


def upgrade() -> None:
    xid = _XID[op.get_bind().dialect.name]
    for statement in (_LOG_RUNS, _LOG_EXECUTIONS, _LOG_BLOCKS):
        op.execute(statement.format(xid=xid))
    op.execute("DELETE FROM marks WHERE name IN ('webhooks', 'webhooks.domain_events')")
