"""Items: what parsers make of pages, where it was seen, how it changed; products; and how the parsers do."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from tenax.stores.schema.columns import COUNTER_STORAGE, ExactPrice, Folded, Id, metadata

items = Table(
    "items",
    metadata,
    # The newest observation of each key, and when there was none any more.
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),  # of the run that made it first
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    # of the newest observation
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("data", Text, nullable=False),  # a JSON object with sorted names
    Column("content_hash", BigInteger, nullable=False),  # of the data
    Column("confidence", Double),  # NULL: the parser does not say
    Column("field_confidence", Text),  # a JSON object: field → confidence
    Column("first_seen_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),  # of its last row in `item_changes`
    Column("gone_at", Double),  # NULL: a page shows it
    Column("changes", Integer, nullable=False),  # how many rows it has there
    sqlite_autoincrement=True,  # readers know an item by it
)
Index("items_key", items.c.source_id, items.c.kind, items.c.key, unique=True)
Index("items_kind", items.c.kind, items.c.id)
Index("items_source", items.c.source_id, items.c.id)
Index("items_changed", items.c.changed_at)
Index("items_url", items.c.url_id)
Index("items_domain", items.c.domain_id, items.c.id)

observations = Table(
    "observations",
    metadata,
    # That a url showed an item when it was last parsed.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("item_id", Id, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("at", Double, nullable=False),  # when the url was last seen to show it
    Column("content_hash", BigInteger, nullable=False),
    Column("confidence", Double),
    Column("data", Text),  # NULL: as in the item
)
Index("observations_url", observations.c.url_id, observations.c.item_id, unique=True)
Index("observations_item", observations.c.item_id, observations.c.at)
Index("observations_domain", observations.c.domain_id)

item_changes = Table(
    "item_changes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("item_id", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),  # records/items.py: ItemChangeKind
    Column("fields", Text),  # a JSON object: field → [old, new]; NULL: gone
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    sqlite_autoincrement=True,  # the change log refers to it
)
Index("item_changes_item", item_changes.c.item_id, item_changes.c.id)

products = Table(
    "products",
    metadata,
    # One row per item of the kind `product`, in columns that lists can search and sort: see
    # stores/hot/items/products.py.
    Column("item_id", Id, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    # What its data says. NULL: nothing that fits.
    Column("name", Text),
    Column("name_key", Folded, nullable=False),  # folded, to sort and search by; "": it has no name
    Column("price", ExactPrice),
    Column("currency", Text),  # of all its prices; if a page does not say, that of the page before
    Column("list_price", ExactPrice),
    Column("availability", Text),  # records/products.py: Availability
    Column("rating", Double),
    Column("review_count", Integer),
    Column("brand", Text),
    Column("brand_key", Folded),
    Column("category", Text),
    Column("category_key", Folded),
    Column("sku", Text),
    Column("gtin", Text),
    # The last ones that a page named: they outlive a page that names none.
    Column("known_price", ExactPrice),
    Column("known_availability", Text),
    # How the price changed; in its currency: all of this starts again with another one.
    Column("price_changed_at", Double),  # NULL: never
    Column("previous_price", ExactPrice),
    Column("reduced_by", Double),  # the share by which the last change lowered it; NULL: it did not
    Column("lowest_price", ExactPrice),
    Column("lowest_at", Double),
    Column("highest_price", ExactPrice),
    Column("highest_at", Double),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),  # when the item last changed, went or came back
    Column("gone_at", Double),  # NULL: a page shows it
)
Index("products_domain", products.c.domain_id, products.c.item_id)
Index("products_name", products.c.name_key, products.c.item_id)
Index("products_price", products.c.currency, products.c.price, products.c.item_id)
Index("products_availability", products.c.availability, products.c.item_id)
Index("products_brand", products.c.brand_key, products.c.item_id)
Index("products_category", products.c.category_key, products.c.item_id)
Index("products_created", products.c.created_at, products.c.item_id)
Index("products_updated", products.c.updated_at, products.c.item_id)
for _name, _column in (
    ("rating", products.c.rating),
    ("reduced", products.c.reduced_by),
    ("gtin", products.c.gtin),
    ("sku", products.c.sku),
):
    _given = _column.is_not(None)
    Index(f"products_{_name}", _column, products.c.item_id, sqlite_where=_given, postgresql_where=_given)
_is_reduced = products.c.reduced_by.is_not(None)
Index(
    "products_reduced_at",
    products.c.price_changed_at,
    products.c.item_id,
    sqlite_where=_is_reduced,
    postgresql_where=_is_reduced,
)

product_changes = Table(
    "product_changes",
    metadata,
    # The changes of items after which the price or the stock is another one.
    Column("id", Id, primary_key=True, autoincrement=False),  # of `item_changes`
    Column("item_id", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),  # records/items.py: ItemChangeKind
    # from then on; NULL: not known, or gone
    Column("price", ExactPrice),
    Column("currency", Text),
    Column("list_price", ExactPrice),
    Column("availability", Text),
    # The last ones known before; NULL: none, or the currency of the old price.
    Column("old_price", ExactPrice),
    Column("old_currency", Text),
    Column("old_availability", Text),
    Column("lowest_price", ExactPrice),  # of all prices before, in this currency
)
Index("product_changes_item", product_changes.c.item_id, product_changes.c.id)
stock_differs = product_changes.c.availability != product_changes.c.old_availability
Index(
    "product_changes_stock",
    product_changes.c.at,
    product_changes.c.id,
    sqlite_where=stock_differs,
    postgresql_where=stock_differs,
)

invalid_items = Table(
    "invalid_items",
    metadata,
    # What broke the schema of its parser when its url was last parsed.
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("faults", Text, nullable=False),  # a JSON list of sentences
    Column("at", Double, nullable=False),
    Column("run_id", Integer, nullable=False),
)
Index(
    "invalid_items_key",
    invalid_items.c.url_id,
    invalid_items.c.source_id,
    invalid_items.c.parser,
    invalid_items.c.kind,
    invalid_items.c.key,
    unique=True,
)
Index("invalid_items_domain", invalid_items.c.domain_id)

follow_ups = Table(
    "follow_ups",
    metadata,
    # Handlers that are to see a url, as pages asked for it.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("source_id", Integer, nullable=False),  # whose runs have the handler
    Column("parser", Text, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("data", Text, nullable=False),  # JSON
    Column("from_url_id", BigInteger, nullable=False),
    Column("at", Double, nullable=False),
)
Index("follow_ups_url", follow_ups.c.url_id, follow_ups.c.source_id, follow_ups.c.parser, unique=True)
Index("follow_ups_domain", follow_ups.c.domain_id)

parsed_urls = Table(
    "parsed_urls",
    metadata,
    # Which parsers made the items of a url: see records/urls.py, Target.parsed_by.
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),  # which has these items; the last one, if there are several
    Column("domain_id", Id, nullable=False),
    Column("parsed_by", BigInteger, nullable=False),
    # what its page showed: see records/items.py, PageItems
    Column("items_hash", BigInteger),  # NULL: it was parsed before this was kept
    Column("kinds", Text),  # a JSON list
)
Index("parsed_urls_domain", parsed_urls.c.domain_id)

parser_stats = Table(
    "parser_stats",
    metadata,
    # What was settled in an hour.
    Column("id", Id, primary_key=True),
    Column("hour", Id, nullable=False),  # its start
    Column("domain_id", Id, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("pages", Integer, nullable=False),  # that it was given
    Column("items", Integer, nullable=False),  # valid ones
    Column("invalid", Integer, nullable=False),
    Column("empty", Integer, nullable=False),  # pages without an item, valid or not, or a follow-up
    Column("errors", Integer, nullable=False),  # pages on which it failed
    Column("confidence_sum", Double, nullable=False),  # of the items that have a confidence
    Column("rated", Integer, nullable=False),  # items that have one
    postgresql_with=COUNTER_STORAGE,
)
Index(
    "parser_stats_key",
    parser_stats.c.hour,
    parser_stats.c.domain_id,
    parser_stats.c.parser,
    parser_stats.c.parser_version,
    unique=True,
)
Index("parser_stats_domain", parser_stats.c.domain_id)

parser_alerts = Table(
    "parser_alerts",
    metadata,
    # Drops of parsers against their own past: see policy/parser_health.py.
    Column("id", Id, primary_key=True),
    Column("parser", Text, nullable=False),
    Column("domain_id", Id, nullable=False),  # 0: all its domains together
    Column("measure", Text, nullable=False),  # policy/parser_health.py: Measure
    Column("past", Double, nullable=False),
    Column("recent", Double, nullable=False),
    Column("past_count", Integer, nullable=False),
    Column("recent_count", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("ended_at", Double),  # NULL: it is still below
    sqlite_autoincrement=True,  # webhooks know a drop by it
)
Index("parser_alerts_parser", parser_alerts.c.parser, parser_alerts.c.id)
Index("parser_alerts_domain", parser_alerts.c.domain_id)

item_audits = Table(
    "item_audits",
    metadata,
    # Audits whose results were kept: of all items of a source, or of all sources.
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),  # 0: all
    Column("at", Double, nullable=False),
    Column("since", Double, nullable=False),  # compared with how items were then
    Column("items", Integer, nullable=False),  # that were read
    Column("is_complete", Integer, nullable=False),  # 0: there are more items
    Column("counts", Text, nullable=False),  # a JSON object: code → {"findings": …, "items": …}
    Column("findings", Text, nullable=False),  # the first of them, as JSON
    sqlite_autoincrement=True,  # lists go on after it
)
Index("item_audits_source", item_audits.c.source_id, item_audits.c.id)
Index("item_audits_at", item_audits.c.at)

parser_trials = Table(
    "parser_trials",
    metadata,
    # How the fields that a candidate version found compare with those of the current version. The field ""
    # counts pages: `only_current` are those on which the candidate failed.
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
    # the newest difference, as JSON; NULL: there is none
    Column("example_url_id", BigInteger),
    Column("example_current", Text),
    Column("example_candidate", Text),
    postgresql_with=COUNTER_STORAGE,
)
Index(
    "parser_trials_key",
    parser_trials.c.source_id,
    parser_trials.c.parser,
    parser_trials.c.version,
    parser_trials.c.candidate,
    parser_trials.c.field,
    unique=True,
)
