"""What crawls learn about domains, in all its tables, written without the code that learns it."""

from collections.abc import Callable

from tenax.records.urls import FoundBy
from tests.support.store import Rows

SIMHASH = -(1 << 62) + 5  # of the two pages with the lowest ids; the second nearly repeats the first
LEARNED = ("traps", "sitemaps", "yields", "pagination_rules", "archive_patterns", "guess_budgets")

# Of a domain and one of its urls.
_STATEMENTS = (
    'UPDATE domains SET soft_404 = \'{"kind": "soft"}\' WHERE id = DOMAIN',
    "INSERT INTO traps (domain_id, shape, state, rule, recent, first_seen_at, last_seen_at, changed_at)"
    " VALUES (DOMAIN, '/calendar/*', 'closed', 'endless', 4611686018427387904, 1.5, 2.5, 2.5)",
    "INSERT INTO sitemaps (url_id, domain_id, origin, hosts, kind, entries, read_at, error)"
    " VALUES (URL, DOMAIN, 'robots', 'b.example', 'urls', 3, 2.5, 'it is cut off')",
    f"UPDATE urls SET found_by = {int(FoundBy.SITEMAP)} WHERE id = URL AND found_by = {int(FoundBy.LINK)}",
    "INSERT INTO yields (domain_id, sitemap_urls, sitemap_pages)"
    " VALUES (DOMAIN, 1, (SELECT count(*) FROM pages WHERE url_id = URL))"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO pagination_rules (domain_id, path, pattern, state, changed_at)"
    " VALUES (DOMAIN, '/list', '/list?page={n}', 'active', 2.5)",
    "INSERT INTO archive_patterns (domain_id, pattern, state, set_by, changed_at)"
    " VALUES (DOMAIN, '/{year}/', 'active', 'anna', 2.5)",
    "INSERT INTO guess_budgets (domain_id, since, pages, archives) VALUES (DOMAIN, 1.5, 4, 2)",
    f"UPDATE pages SET simhash = {SIMHASH} WHERE domain_id = DOMAIN",
    "UPDATE pages SET near_url_id = URL WHERE domain_id = DOMAIN AND url_id > URL",
)


def learn(query: Callable[[str], Rows], domain: str) -> None:
    """The domain has urls, either all found as links or with yields of their own."""
    ((domain_id, url_id),) = query(
        "SELECT d.id, min(u.id) FROM domains d JOIN urls u ON u.domain_id = d.id"
        f" WHERE d.name = '{domain}' GROUP BY d.id"
    )
    for statement in _STATEMENTS:
        query(statement.replace("DOMAIN", str(domain_id)).replace("URL", str(url_id)) + " RETURNING 1")


def read_learned(query: Callable[[str], Rows]) -> dict[str, Rows]:
    return {name: query(f"SELECT * FROM {name} ORDER BY 1") for name in LEARNED} | {
        "domains": query("SELECT id, soft_404 FROM domains ORDER BY id"),
        "pages": query("SELECT url_id, simhash, near_url_id FROM pages ORDER BY url_id"),
    }
