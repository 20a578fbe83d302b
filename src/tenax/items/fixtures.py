"""Saved pages with the items that parsers must make of them: tests that need no network.

A fixture is a folder with the page as it was sent and `expected.json`, which people may edit.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from tenax.errors import ConfigError
from tenax.items.page import Page, parse_page
from tenax.items.running import ParsedPage
from tenax.part_files import replace_file
from tenax.record import record
from tenax.wording import as_sentence

EXPECTED: Final = "expected.json"
PAGE: Final = "page.html"
MAX_FIXTURES: Final = 10_000
MAX_BYTES: Final = 50_000_000
_SHOWN_CHARS: Final = 80
_SLUG_CHARS: Final = 60
_KEPT_HEADERS: Final = ("content-type", "content-language")


@record
class Fixture:
    folder: Path
    parser: str
    url: str
    expected: dict[str, Any]
    page: Page


def describe_outcome(parsed: ParsedPage) -> dict[str, Any]:
    """What a parser made of a page, in the form of a fixture."""
    parsing = parsed.parsing
    return {
        "items": [
            {"kind": item.kind, "key": item.key, "data": orjson.loads(item.data), "faults": list(item.faults)}
            for item in parsing.items
        ],
        "follows": [
            {"url": each.url, "parser": each.follow_up.parser, "data": orjson.loads(each.follow_up.data)}
            for each in parsed.follows
        ],
    }


def save_fixture(into: Path, page: Page, body: bytes, parsed: ParsedPage, *, replace: bool) -> Path:
    """Save a page and what a parser made of it. Raises ConfigError."""
    parser = parsed.parsing.parser
    folder = into / parser / name_folder(page.url)
    if folder.exists() and not replace:
        raise ConfigError(f"{folder} already exists; --replace records it again.")
    headers = {name: page.headers[name] for name in _KEPT_HEADERS if name in page.headers}
    said = {"parser": parser, "url": page.url, "status": page.status, "headers": headers, "data": page.data}
    text = orjson.dumps(said | describe_outcome(parsed), option=orjson.OPT_INDENT_2)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / PAGE, body)
        _write(folder / EXPECTED, text + b"\n")
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror}.") from error
    return folder


def _write(path: Path, body: bytes) -> None:
    with replace_file(path) as file:
        file.write(body)


def name_folder(url: str) -> str:
    """A name for the folder of a page: the end of its address, without what file systems dislike."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", url.partition("://")[2][-4 * _SLUG_CHARS :]).strip("-")
    return words[-_SLUG_CHARS:].strip("-") or "page"


def load_fixtures(folder: Path) -> Iterator[Fixture]:
    """Load all fixtures below a folder, in the order of their paths. Raises ConfigError."""
    found = sorted(folder.rglob(EXPECTED))[:MAX_FIXTURES]
    if not found:
        raise ConfigError(f"{folder} holds no fixtures; save one with: tenax parsers record.")
    yield from map(_load, found)


def _load(path: Path) -> Fixture:
    try:
        said = orjson.loads(_read(path))
        url, parser, headers = said["url"], said["parser"], said.get("headers") or {}
        body = _read(path.with_name(PAGE))
        page = parse_page(body, url=url, status=said.get("status", 200), headers=headers)
        page.data = said.get("data")
    except OSError as error:
        raise ConfigError(f"{error.filename or path} cannot be read: {error.strerror}.") from error
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(as_sentence(f"{path} is not the description of a fixture: {error}")) from error
    return Fixture(folder=path.parent, parser=parser, url=url, expected=said, page=page)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_BYTES)


def compare(expected: dict[str, Any], parsed: ParsedPage) -> list[str]:
    """How what a parser made differs from a fixture, in sentences."""
    error = parsed.parsing.error
    if error is not None:
        return [f"{error.type}: {error.message}"]
    found = describe_outcome(parsed)
    return [
        *_compare_items(expected.get("items") or [], found["items"]),
        *_compare_follows(expected.get("follows") or [], found["follows"]),
    ]


def _compare_items(expected: Sequence[Any], found: Sequence[Any]) -> Iterator[str]:
    wanted = {(each.get("kind"), each.get("key")): each for each in expected}
    got = {(each["kind"], each["key"]): each for each in found}
    for name, item in wanted.items():
        if name not in got:
            yield f"The item {_name(name)} is missing."
            continue
        for field, old, new in _list_differences(item.get("data") or {}, got[name]["data"]):
            yield f"{_name(name)}: {field} should be {old}, but is {new}."
        old_faults, new_faults = item.get("faults") or [], got[name]["faults"]
        if old_faults != new_faults:
            yield f"{_name(name)}: its faults should be {_show(old_faults)}, but are {_show(new_faults)}."
    yield from (f"The item {_name(name)} is not expected." for name in got if name not in wanted)


def _compare_follows(expected: Sequence[Any], found: Sequence[Any]) -> Iterator[str]:
    for each in expected:
        if each not in found:
            yield f"The follow-up {_show(each)} is missing."
    for each in found:
        if each not in expected:
            yield f"The follow-up {_show(each)} is not expected."


def _list_differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for field in {**old, **new}:
        if field not in new:
            yield field, _show(old[field]), "missing"
        elif field not in old:
            yield field, "missing", _show(new[field])
        elif old[field] != new[field]:
            yield field, _show(old[field]), _show(new[field])


def _name(name: tuple[Any, Any]) -> str:
    return f"{name[0]} {name[1]}"


def _show(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
