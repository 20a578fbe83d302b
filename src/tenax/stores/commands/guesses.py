"""Rules for guesses that a user sets or removes. The statements are the same for every database.

A state that a user has set is not changed by a crawl. A worker that holds the domain goes on by what it has
loaded until it gives the domain back.
"""

from typing import Any

from sqlalchemy import Connection, Table, and_, delete, insert, select, update

from tenax.clock import Instant
from tenax.records.guesses import GuessState
from tenax.stores.schema.domains import domains
from tenax.stores.schema.guesses import archive_patterns, pagination_rules

# How many rules a user may add to a domain.
MOST_RULES = 1000


class TooManyRules(Exception):
    """The domain has as many rules as it may have."""


def set_list_rule(
    connection: Connection,
    domain: str,
    pattern: str,
    path: str,
    state: GuessState,
    by: str,
    wall: Instant,
) -> bool:
    """Set the state of a list's rule, and add the rule if there is none; False: the domain is unknown.
    Repeating is safe. Raises TooManyRules."""
    values = {"state": state.value, "set_by": by, "changed_at": wall}
    return _set(connection, pagination_rules, domain, pattern, values, {"path": path})


def set_archive_rule(
    connection: Connection, domain: str, pattern: str, state: GuessState, by: str, wall: Instant
) -> bool:
    """The same for archives."""
    values = {"state": state.value, "set_by": by, "changed_at": wall}
    return _set(connection, archive_patterns, domain, pattern, values, {})


def remove_list_rule(connection: Connection, domain: str, pattern: str) -> bool:
    """Forget a rule; it can be learned again. False: there is none."""
    return _remove(connection, pagination_rules, domain, pattern)


def remove_archive_rule(connection: Connection, domain: str, pattern: str) -> bool:
    return _remove(connection, archive_patterns, domain, pattern)


def _set(
    connection: Connection,
    table: Table,
    domain: str,
    pattern: str,
    values: dict[str, Any],
    more: dict[str, Any],
) -> bool:
    # The lock keeps two users from adding the same rule.
    found = select(domains.c.id).where(domains.c.name == domain).with_for_update()
    domain_id = connection.scalar(found)
    if domain_id is None:
        return False
    is_it = and_(table.c.domain_id == domain_id, table.c.pattern == pattern)
    if connection.execute(update(table).where(is_it).values(**values)).rowcount:
        return True
    number = len(connection.execute(select(table.c.id).where(table.c.domain_id == domain_id)).all())
    if number >= MOST_RULES:
        raise TooManyRules
    connection.execute(insert(table).values(domain_id=domain_id, pattern=pattern, **values, **more))
    return True


def _remove(connection: Connection, table: Table, domain: str, pattern: str) -> bool:
    of_domain = select(domains.c.id).where(domains.c.name == domain).scalar_subquery()
    statement = delete(table).where(table.c.domain_id == of_domain, table.c.pattern == pattern)
    return bool(connection.execute(statement).rowcount)
