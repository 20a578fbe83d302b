"""Items, the errors that are kept, and the change log."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, Text, text

revision = "0043"
down_revision = "0042"

Id = BigInteger().with_variant(Integer(), "sqlite")
COUNTER_STORAGE = {"fillfactor": 50}


def upgrade() -> None:
    op.add_column("runs", Column("items", Id, nullable=False, server_default=text("0")))
    _create_items()
    _create_observations()
    _create_item_changes()
    _create_invalid_items()
    _create_follow_ups()
    _create_parsed_urls()
    _create_parser_stats()
    _create_parser_trials()
    _create_errors()
    _create_error_groups()
    _create_change_log()
    _create_log_cursors()


def _create_items() -> None:
    op.create_table(
        "items",
        Column("id", Id, primary_key=True),
        Column("source_id", Integer, nullable=False),
        Column("kind", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("parser", Text, nullable=False),
        Column("parser_version", Text, nullable=False),
        Column("data", Text, nullable=False),
        Column("content_hash", BigInteger, nullable=False),
        Column("confidence", Double),
        Column("field_confidence", Text),
        Column("first_seen_at", Double, nullable=False),
        Column("last_seen_at", Double, nullable=False),
        Column("changed_at", Double, nullable=False),
        Column("gone_at", Double),
        Column("changes", Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("items_key", "items", ["source_id", "kind", "key"], unique=True)
    op.create_index("items_kind", "items", ["kind", "id"])
    op.create_index("items_source", "items", ["source_id", "id"])
    op.create_index("items_changed", "items", ["changed_at"])
    op.create_index("items_url", "items", ["url_id"])
    op.create_index("items_domain", "items", ["domain_id", "id"])


def _create_observations() -> None:
    op.create_table(
        "observations",
        Column("id", Id, primary_key=True),
        Column("url_id", BigInteger, nullable=False),
        Column("item_id", Id, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("parser", Text, nullable=False),
        Column("parser_version", Text, nullable=False),
        Column("at", Double, nullable=False),
        Column("content_hash", BigInteger, nullable=False),
        Column("confidence", Double),
        Column("data", Text),
    )
    op.create_index("observations_url", "observations", ["url_id", "item_id"], unique=True)
    op.create_index("observations_item", "observations", ["item_id", "at"])
    op.create_index("observations_domain", "observations", ["domain_id"])


def _create_item_changes() -> None:
    op.create_table(
        "item_changes",
        Column("id", Id, primary_key=True),
        Column("item_id", Id, nullable=False),
        Column("at", Double, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("kind", Text, nullable=False),
        Column("fields", Text),
        Column("parser", Text, nullable=False),
        Column("parser_version", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("item_changes_item", "item_changes", ["item_id", "id"])


def _create_invalid_items() -> None:
    op.create_table(
        "invalid_items",
        Column("id", Id, primary_key=True),
        Column("source_id", Integer, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("kind", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("parser", Text, nullable=False),
        Column("parser_version", Text, nullable=False),
        Column("data", Text, nullable=False),
        Column("faults", Text, nullable=False),
        Column("at", Double, nullable=False),
        Column("run_id", Integer, nullable=False),
    )
    op.create_index(
        "invalid_items_key", "invalid_items", ["url_id", "source_id", "parser", "kind", "key"], unique=True
    )
    op.create_index("invalid_items_domain", "invalid_items", ["domain_id"])


def _create_follow_ups() -> None:
    op.create_table(
        "follow_ups",
        Column("id", Id, primary_key=True),
        Column("url_id", BigInteger, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("parser", Text, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("data", Text, nullable=False),
        Column("from_url_id", BigInteger, nullable=False),
        Column("at", Double, nullable=False),
    )
    op.create_index("follow_ups_url", "follow_ups", ["url_id", "source_id", "parser"], unique=True)
    op.create_index("follow_ups_domain", "follow_ups", ["domain_id"])


def _create_parsed_urls() -> None:
    op.create_table(
        "parsed_urls",
        Column("url_id", BigInteger, primary_key=True, autoincrement=False),
        Column("source_id", Integer, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("parsed_by", BigInteger, nullable=False),
    )
    op.create_index("parsed_urls_domain", "parsed_urls", ["domain_id"])


def _create_parser_stats() -> None:
    op.create_table(
        "parser_stats",
        Column("id", Id, primary_key=True),
        Column("hour", Id, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("parser", Text, nullable=False),
        Column("parser_version", Text, nullable=False),
        Column("pages", Integer, nullable=False),
        Column("items", Integer, nullable=False),
        Column("invalid", Integer, nullable=False),
        Column("empty", Integer, nullable=False),
        Column("errors", Integer, nullable=False),
        Column("confidence_sum", Double, nullable=False),
        Column("rated", Integer, nullable=False),
        postgresql_with=COUNTER_STORAGE,
    )
    op.create_index(
        "parser_stats_key", "parser_stats", ["hour", "domain_id", "parser", "parser_version"], unique=True
    )
    op.create_index("parser_stats_domain", "parser_stats", ["domain_id"])


def _create_parser_trials() -> None:
    op.create_table(
        "parser_trials",
        Column("id", Id, primary_key=True),
        Column("source_id", Integer, nullable=False),
        Column("parser", Text, nullable=False),
        Column("version", Text, nullable=False),
        Column("candidate", Text, nullable=False),
        Column("field", Text, nullable=False),
        Column("same", Integer, nullable=False),
        Column("different", Integer, nullable=False),
        Column("only_current", Integer, nullable=False),
        Column("only_candidate", Integer, nullable=False),
        Column("example_url_id", BigInteger),
        Column("example_current", Text),
        Column("example_candidate", Text),
        postgresql_with=COUNTER_STORAGE,
    )
    op.create_index(
        "parser_trials_key",
        "parser_trials",
        ["source_id", "parser", "version", "candidate", "field"],
        unique=True,
    )


def _create_errors() -> None:
    op.create_table(
        "errors",
        Column("id", Id, primary_key=True),
        Column("at", Double, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("category", Text, nullable=False),
        Column("type", Text, nullable=False),
        Column("message", Text, nullable=False),
        Column("stack", Text),
        Column("fingerprint", BigInteger, nullable=False),
        Column("parser", Text),
        Column("parser_version", Text),
    )
    op.create_index("errors_group", "errors", ["source_id", "fingerprint", "id"])
    op.create_index("errors_domain", "errors", ["domain_id", "id"])
    op.create_index("errors_at", "errors", ["at"])


def _create_error_groups() -> None:
    op.create_table(
        "error_groups",
        Column("id", Id, primary_key=True),
        Column("source_id", Integer, nullable=False),
        Column("fingerprint", BigInteger, nullable=False),
        Column("category", Text, nullable=False),
        Column("type", Text, nullable=False),
        Column("message", Text, nullable=False),
        Column("parser", Text),
        Column("count", Id, nullable=False),
        Column("first_at", Double, nullable=False),
        Column("last_at", Double, nullable=False),
        Column("last_error_id", Id, nullable=False),
        postgresql_with=COUNTER_STORAGE,
    )
    op.create_index("error_groups_key", "error_groups", ["source_id", "fingerprint"], unique=True)


def _create_change_log() -> None:
    op.create_table(
        "change_log",
        Column("id", Id, primary_key=True),
        Column("xid", BigInteger, nullable=False),
        Column("at", Double, nullable=False),
        Column("topic", Text, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("subject_id", Id, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("change_log_order", "change_log", ["xid", "id"])
    op.create_index("change_log_at", "change_log", ["at"])


def _create_log_cursors() -> None:
    op.create_table(
        "log_cursors",
        Column("name", Text, primary_key=True),
        Column("xid", BigInteger, nullable=False),
        Column("log_id", Id, nullable=False),
    )
