"""Parameters of statements that both databases share."""

import re

_MARK = re.compile(r"\?(\d*)")


def to_postgres(statement: str) -> str:
    """The statement with `$1` for `?1`; where the marks have no numbers, they are numbered in their order.

    A question mark means nothing else in these statements: none of them has one in a literal.
    """
    count = 0

    def number(mark: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"${mark[1] or count}"

    return _MARK.sub(number, statement)
