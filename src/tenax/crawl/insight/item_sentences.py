"""What parsers made of a url, in sentences."""

from collections.abc import Iterator

from tenax.clock import format_instant
from tenax.stores.contracts.lookup import ParsedUrl
from tenax.wording import as_sentence, count_of

MESSAGE_CHARS = 200


def describe_parsed(parsed: ParsedUrl) -> Iterator[str]:
    if parsed.items_count:
        named = ", ".join(f"{kind} {key}" for kind, key in parsed.items)
        left = parsed.items_count - len(parsed.items)
        more = f" and {left:,} more" if left else ""
        yield f"It shows {count_of(parsed.items_count, 'item')}: {named}{more}."
    if parsed.invalid_count:
        number = count_of(parsed.invalid_count, "item")
        breaks = "breaks" if parsed.invalid_count == 1 else "break"
        yield f"{number} of this page {breaks} the schema of its parser."
    for parser, url in parsed.follow_ups:
        yield f"{url} asked for it to be seen by the handler {parser}."
    if parsed.failure is not None:
        failed = parsed.failure
        message = " ".join(failed.message[:MESSAGE_CHARS].split())
        yield as_sentence(
            f"The parser {failed.parser} last failed on it at {format_instant(failed.at)} (error"
            f" {failed.id}): {failed.type}: {message}"
        )
