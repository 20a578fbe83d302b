"""`tenax parsers`: lists parsers, saves pages as fixtures, and tests parsers with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

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
from tenax.cli.parser_reports import show_stats
from tenax.cli.parser_trials import compare, promote
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
from tenax.cli.show.render import clip, show, show_json, show_table
from tenax.config.loading import load_settings
from tenax.config.settings import Settings
from tenax.errors import ConfigError
from tenax.exits import Exit
from tenax.items import fixtures
from tenax.items.fixtures import Fixture, load_fixtures, save_fixture
from tenax.items.parser import Parser
from tenax.items.registry import KnownParser
from tenax.records.items import FoundItem
from tenax.visible import clean
from tenax.wording import count_of

app = new_app("List the parsers and how they do; test them with saved pages; try candidates beside them.")
app.command("stats")(show_stats)
app.command("compare")(compare)
app.command("promote")(promote)

PATTERNS_CHARS = 50
FOLDER = "fixtures"


@app.command("list")
def list_(
    parsers: FilesOption = None,
    config: ConfigOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List the parsers of this machine: installed ones, those of parsers.files, or those of given files."""
    known = list_known(parsers or [], load_settings(file=config))
    if json:
        for each in known:
            show_json(to_json(each), is_line=True)
    elif not known:
        show("No parsers: install a package that has some, or set parsers.files.")
    else:
        rows = [format_row(each) for each in known]
        show_table(("NAME", "VERSION", "KIND", "PAGES", "FROM"), rows)


@app.command()
def record(
    target: TargetArgument,
    parser: NamesOption = None,
    parsers: FilesOption = None,
    url: UrlOption = None,
    page_data: PageDataOption = None,
    into: Annotated[Path, typer.Option(help="Folder of the fixtures.")] = Path(FOLDER),
    replace: Annotated[bool, typer.Option("--replace", help="Record a fixture again.")] = False,
    config: ConfigOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
) -> None:
    """Save a page and the items that parsers make of it, for `tenax parsers test`. Check the items: they are
    what is expected from then on."""
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
    for parsed in run(given.page, choose(known, parser or [], given), settings):
        error = parsed.parsing.error
        if error is not None:
            raise ConfigError(f"The parser {parsed.parsing.parser} failed: {error.type}: {error.message}")
        folder = save_fixture(into, given.page, given.body, parsed, replace=replace)
        show(f"{describe_made(parsed.parsing.items)} in {clean(str(folder))}")


def describe_made(items: Sequence[FoundItem]) -> str:
    invalid = sum(1 for item in items if item.faults)
    return count_of(len(items), "item") + (f" ({invalid:,} invalid)" if invalid else "")


@app.command("test")
def run_fixtures(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder of fixtures.")] = Path(FOLDER),
    parsers: FilesOption = None,
    config: ConfigOption = None,
) -> None:
    """Run parsers on saved pages and show where their items differ from those that were recorded.

    The exit code is 1 if any differs.
    """
    settings = load_settings(file=config)
    by_name = {each.parser.name: each.parser for each in list_known(parsers or [], settings)}
    failed = passed = 0
    for fixture in load_fixtures(folder):
        differences = run_fixture(fixture, by_name.get(fixture.parser), settings)
        failed, passed = (failed + 1, passed) if differences else (failed, passed + 1)
        for each in differences:
            show(f"{clean(str(fixture.folder))}: {clean(each)}")
    show(f"{count_of(passed, 'fixture')} passed, {failed:,} failed.")
    if failed:
        raise typer.Exit(Exit.ERROR)


def run_fixture(fixture: Fixture, parser: Parser | None, settings: Settings) -> list[str]:
    if parser is None:
        return [f"The parser {fixture.parser!r} is not installed here; name its file with --parsers."]
    (parsed,) = run(fixture.page, [parser], settings)
    return fixtures.compare(fixture.expected, parsed)


def format_row(known: KnownParser) -> list[str]:
    parser = known.parser
    pages = "follow-ups only" if parser.patterns is None else ", ".join(parser.patterns) or "all"
    cells = (
        parser.name,
        parser.version,
        parser.kind or parser.name,
        clip(pages, PATTERNS_CHARS),
        known.origin,
    )
    return list(map(clean, cells))


def to_json(known: KnownParser) -> dict[str, object]:
    parser = known.parser
    return {
        "name": parser.name,
        "version": parser.version,
        "kind": parser.kind or parser.name,
        "patterns": parser.patterns,
        "from": known.origin,
    }
