"""What all commands share: how an app is built, how wrong values are reported, and the common options."""

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from typer.core import TyperCommand, TyperGroup

from tenax.config.crawl import ScopeKind
from tenax.config.fetch import PDF
from tenax.config.loading import load_settings
from tenax.config.settings import Settings, Values
from tenax.records.jobs import Recrawl
from tenax.stores.place import Place, find_place

DATA_HELP = "Directory of the crawl; with --store, of this machine's files for it."


class PlainCommand(TyperCommand):
    def get_help(self, ctx: Any) -> str:
        """The references in docs/ are generated from the same texts, with Markdown in them."""
        return super().get_help(ctx).replace("`", "'")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with plain_errors():
            return super().parse_args(ctx, args)


class PlainGroup(TyperGroup):
    def get_help(self, ctx: Any) -> str:
        return super().get_help(ctx).replace("`", "'")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with plain_errors():
            return super().parse_args(ctx, args)


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Typer shows Pydantic's messages, which speak of the input and name the kind of error."""
    try:
        yield
    except typer.BadParameter as error:
        if isinstance(error.__cause__, ValidationError):
            error.message = describe_bad_value(error.__cause__)
        raise


def describe_bad_value(error: ValidationError) -> str:
    first = error.errors()[0]
    value, limits = first["input"], first.get("ctx", {})
    match first["type"]:
        case "int_parsing" | "int_from_float":
            return f"{value!r} is not an integer."
        case "float_parsing":
            return f"{value!r} is not a number."
        case "greater_than_equal":
            return f"must be at least {_format_limit(limits['ge'])}, not {value}."
        case "less_than_equal":
            return f"must be at most {_format_limit(limits['le'])}, not {value}."
    return first["msg"].removeprefix("Value error, ")


def _format_limit(limit: float) -> str:
    return str(int(limit)) if float(limit).is_integer() else str(limit)


class App(typer.Typer):
    def command(self, *arguments: Any, **options: Any) -> Any:
        return super().command(*arguments, cls=PlainCommand, **options)


def new_app(help: str | None = None) -> typer.Typer:
    return App(
        help=help,
        cls=PlainGroup,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def command_name() -> str:
    """How the user can call this program again from the current directory."""
    program = Path(sys.argv[0])
    return program.name if shutil.which(program.name) else os.path.relpath(program)


_match_meaning_of_unset = re.compile(r".*\bUnset: ([^.;]+)").match


def default_of(setting: str) -> str:
    """The default of a setting, for --help: an option that is not given leaves the setting as it is."""
    section, name = setting.split(".")
    part = Settings.model_fields[section].annotation
    assert part is not None
    field = part.model_fields[name]
    if field.default is None:
        meaning = _match_meaning_of_unset(field.description or "")
        return meaning[1] if meaning else "none"
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


UserAgentOption = Annotated[
    str | None,
    typer.Option(
        "--user-agent", help="User agent to send with every request.", show_default="tenax/VERSION (+CONTACT)"
    ),
]
ContactOption = Annotated[
    str | None,
    typer.Option(
        "--contact",
        help="URL or email address where site owners can reach you, sent with every request.",
        show_default=default_of("fetch.contact"),
    ),
]
ScopeOption = Annotated[
    ScopeKind | None,
    typer.Option("--scope", help="Which links to follow.", show_default=default_of("scope.kind")),
]
MaxPagesOption = Annotated[
    int | None,
    typer.Option(
        "--max-pages", help="Stop after this many pages.", show_default=default_of("limits.max_pages")
    ),
]
PagesPerDomainOption = Annotated[
    int | None,
    typer.Option(
        "--pages-per-domain",
        help="Stop a domain after this many pages; 0: no limit. With --max-pages and seeds of a single"
        " domain, there is no limit unless this option is given.",
        show_default=default_of("limits.pages_per_domain"),
    ),
]
DelayOption = Annotated[
    float | None,
    typer.Option(
        "--delay",
        metavar="S",
        help="Minimum seconds between requests to a domain.",
        show_default=default_of("politeness.delay_s"),
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Maximum number of worker processes.", show_default=default_of("worker.processes")
    ),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        help="Concurrent requests in each worker process.",
        show_default=default_of("worker.concurrency"),
    ),
]
ResolveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--resolve", metavar="HOST:IP", help="Connect to this address for HOST; * means every host."
    ),
]
PrivateOption = Annotated[bool, typer.Option("--allow-private", help="Allow loopback and private addresses.")]

KeepParameterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Query parameter to keep, such as ref, although it often only tracks."),
]
IgnoreParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Query parameter to ignore: of URLs that differ only in it, one is fetched."
    ),
]
TrailingSlashOption = Annotated[
    bool,
    typer.Option("--merge-trailing-slash", help="Treat /a and /a/ as the same page; one of them is fetched."),
]


def build_merge_rules(ignored: list[str] | None, ignores_slash: bool) -> list[dict[str, Any]] | None:
    """Return None if no rule was given."""
    rules: list[dict[str, Any]] = [{"ignore_parameters": [name]} for name in ignored or ()]
    if ignores_slash:
        rules.append({"ignore_trailing_slash": True})
    return rules or None


OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="CSS", help="Keep only the text of matching elements, not of the whole page."
    ),
]
RecrawlOption = Annotated[
    Recrawl,
    typer.Option(
        "--recrawl", help="Which known pages to visit again: none (new), those that are due, or all."
    ),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="CSS", help="Leave out the text of matching elements."),
]

MarkdownOption = Annotated[
    bool | None,
    typer.Option(
        "--markdown/--no-markdown",
        help="Keep the Markdown of each page, for tenax export markdown and chunks.",
        show_default="--no-markdown",
    ),
]

BodiesOption = Annotated[
    bool | None,
    typer.Option(
        "--store-bodies/--no-store-bodies",
        help="Store the body and the headers of every page visit, for tenax body.",
        show_default="--no-store-bodies",
    ),
]

PdfOption = Annotated[
    bool | None,
    typer.Option(
        "--pdf/--no-pdf",
        help="Read the text and the links of PDFs, too.",
        show_default="--no-pdf",
    ),
]

RedisOption = Annotated[
    str | None,
    typer.Option(
        "--redis",
        metavar="URL",
        help="Share caches and live reports through this Redis.",
        show_default=default_of("redis.url"),
    ),
]

BrokerOption = Annotated[
    str | None,
    typer.Option(
        "--broker",
        metavar="URL",
        help="RabbitMQ that dispatches runs, as amqp://USER:PASSWORD@HOST/VHOST.",
        show_default=default_of("dispatch.broker"),
    ),
]

DataOption = Annotated[Path | None, typer.Option("--data", help=DATA_HELP, show_default="crawl")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Database of the crawl, as postgresql://USER@HOST/DATABASE.",
        show_default="none: only the directory is used",
    ),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]


def locate(store: str | None, data: Path | None) -> Place:
    """Find the store that a command works on."""
    return find_place(store or load_settings().store.url, data)


def name_types(pdf: bool | None) -> tuple[str, ...] | None:
    """The content types to read besides HTML; None: it was not said."""
    if pdf is None:
        return None
    return (PDF,) if pdf else ()


def build_overrides(**sections: dict[str, Any]) -> Values:
    """Collect what was given on the command line; a setting that was not given keeps its value."""
    given = {
        section: {name: value for name, value in values.items() if value not in (None, [])}
        for section, values in sections.items()
    }
    return {section: values for section, values in given.items() if values}
