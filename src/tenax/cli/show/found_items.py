"""What parsers found, and which commands list it."""

from collections.abc import Sequence

from tenax.cli.options import command_name
from tenax.wording import count_of


def list_counts(items: int, invalid: int, errors: int) -> list[str]:
    """Empty: no parser found anything, or there is none."""
    counts = {"item": items, "invalid item": invalid, "parser error": errors}
    return [count_of(number, what) for what, number in counts.items() if number]


def list_commands(items: int, invalid: int, errors: int) -> list[str]:
    """Those that list what there is."""
    counts = {"items": items, "items invalid": invalid, "errors": errors}
    return [name for name, number in counts.items() if number]


def name_commands(names: Sequence[str], option: str) -> str:
    """`option`: names the store, once."""
    first, *others = names
    return f"{command_name()} {first} {option}" + (f", or {', '.join(others)}" if others else "")
