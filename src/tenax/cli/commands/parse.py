"""`tenax parse`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import orjson
import typer

from tenax.cli.options import (
    ConfigOption,
    ContactOption,
    PrivateOption,
    ResolveOption,
    UserAgentOption,
    build_overrides,
    new_app,
)
from tenax.cli.parsing import (
    FilesOption,
    NamesOption,
    PageDataOption,
    TargetArgument,
    UrlOption,
    choose,
    list_known,
    open_page,
    run,
)
from tenax.cli.show.render import NOTHING, clip, show, show_json, show_table, tidy
from tenax.config.loading import load_settings
from tenax.exits import Exit
from tenax.items.found_fields import FieldParser, FoundField, FoundFields
from tenax.items.page import Page
from tenax.items.parser import Parser
from tenax.items.running import ParsedPage
from tenax.record import record
from tenax.records.items import FoundItem
from tenax.visible import clean, clean_lines

app = new_app()

VALUE_CHARS = 70
PLACE_CHARS = 50
SHOWN_ITEMS = 20
SHOWN_FOLLOWS = 10


@record
class Shown:
    """What a parser made of a page, with where it found it."""

    parsed: ParsedPage
    found: list[FoundFields | None]  # for each item; None: the parser is code, and does not say


@app.command()
def parse(
    target: TargetArgument,
    parser: NamesOption = None,
    parsers: FilesOption = None,
    url: UrlOption = None,
    page_data: PageDataOption = None,
    config: ConfigOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show which items parsers make of a page, field by field, and where they find them. Nothing is stored.

    A URL is fetched as a crawl would: what robots.txt forbids is not fetched. The exit code is 1 if there is
    no page, a parser fails, or an item breaks its schema.
    """
    overrides = build_overrides(
        fetch={
            "user_agent": user_agent or None,
            "contact": contact or None,
            "resolve": resolve,
            "allow_private": allow_private or None,
        },
    )
    settings = load_settings(file=config, overrides=overrides)
    known = list_known(parsers or [], settings)
    given = open_page(target, url, page_data, settings)
    chosen = choose(known, parser or [], given)
    results = [
        Shown(parsed=parsed, found=find_places(given.page, each, parsed))
        for each, parsed in zip(chosen, run(given.page, chosen, settings), strict=True)
    ]
    if json:
        show_json(build_json(given.page, results))
    else:
        show(clean(given.page.url), is_bold=True)
        for result in results:
            show_result(result)
    if any(is_bad(result.parsed) for result in results):
        raise typer.Exit(Exit.ERROR)


def is_bad(parsed: ParsedPage) -> bool:
    return parsed.parsing.error is not None or any(item.faults for item in parsed.parsing.items)


def find_places(page: Page, parser: Parser, parsed: ParsedPage) -> list[FoundFields | None]:
    items = parsed.parsing.items
    if not isinstance(parser, FieldParser) or parsed.parsing.error is not None:
        return [None] * len(items)
    found = list(parser.find_items(page))
    # Two items with one key are one.
    return list(found) if len(found) == len(items) else [None] * len(items)


def show_result(result: Shown) -> None:
    parsing = result.parsed.parsing
    for item, found in list(zip(parsing.items, result.found, strict=True))[:SHOWN_ITEMS]:
        show()
        show(f"{clean(item.kind)} {clean(item.key)}", is_bold=True)
        show(f"  {describe_parser(result.parsed, item.confidence)}")
        rows = [list(row) for row in list_fields(item, found)]
        show_table(("  FIELD", "VALUE", "FOUND IN", "CONFIDENCE"), rows, right=(3,))
        for fault in item.faults:
            show(f"  invalid: {clean(fault)}")
    if len(parsing.items) > SHOWN_ITEMS:
        show(f"… {len(parsing.items) - SHOWN_ITEMS:,} more items")
    show_rest(result.parsed)


def show_rest(parsed: ParsedPage) -> None:
    parsing = parsed.parsing
    if parsing.error is not None:
        show()
        show(
            f"The parser {clean(parsing.parser)} failed: {parsing.error.type}: {clean(parsing.error.message)}"
        )
        for line in (parsing.error.stack or "").splitlines():
            show(f"  {clean_lines(line)}")
    elif not parsing.items:
        show()
        show(f"The parser {clean(parsing.parser)} made no items.")
    for each in parsed.follows[:SHOWN_FOLLOWS]:
        show(f"  follows {clean(each.url)} with {clean(each.follow_up.parser)}")


def describe_parser(parsed: ParsedPage, confidence: float | None) -> str:
    parsing = parsed.parsing
    said = "" if confidence is None else f", confidence {confidence:.2f}"
    return f"by {clean(parsing.parser)}, version {clean(parsing.version)}{said}"


def list_fields(item: FoundItem, found: FoundFields | None) -> Iterator[Sequence[str]]:
    if found is not None:
        yield from (list_field(field) for field in found.fields)
        return
    confidences = orjson.loads(item.field_confidence or "{}")
    for name, value in orjson.loads(item.data).items():
        confidence = confidences.get(name)
        said = NOTHING if confidence is None else f"{confidence:.2f}"
        yield f"  {clean(name)}", format_value(value), "code", said


def list_field(field: FoundField) -> Sequence[str]:
    place = field.place or "; ".join(f"wrong type in {each}" for each in field.unread) or "nowhere"
    value = NOTHING if field.value is None else format_value(field.value)
    return f"  {clean(field.name)}", value, tidy(place, PLACE_CHARS), f"{field.confidence:.2f}"


def format_value(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return clip(tidy(text, VALUE_CHARS), VALUE_CHARS)


def build_json(page: Page, results: Sequence[Shown]) -> dict[str, Any]:
    return {"url": page.url, "status": page.status, "parsers": [result_as_json(each) for each in results]}


def result_as_json(result: Shown) -> dict[str, Any]:
    parsing, follows = result.parsed.parsing, result.parsed.follows
    error = parsing.error
    return {
        "name": parsing.parser,
        "version": parsing.version,
        "items": [item_as_json(item, found) for item, found in zip(parsing.items, result.found, strict=True)],
        "follows": [
            {"url": each.url, "parser": each.follow_up.parser, "data": orjson.loads(each.follow_up.data)}
            for each in follows
        ],
        "error": None
        if error is None
        else {"type": error.type, "message": error.message, "stack": error.stack},
    }


def item_as_json(item: FoundItem, found: FoundFields | None) -> dict[str, Any]:
    fields = found.fields if found is not None else ()
    return {
        "kind": item.kind,
        "key": item.key,
        "data": orjson.loads(item.data),
        "confidence": item.confidence,
        "field_confidence": orjson.loads(item.field_confidence or "null"),
        "places": {field.name: field.place for field in fields} or None,
        "unread": {field.name: field.unread for field in fields if field.unread},
        "faults": item.faults,
    }
