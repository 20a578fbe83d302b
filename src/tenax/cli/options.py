"""What several commands share: how an app is made, and their common options."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tenax.config import ScopeKind, Settings, Values, load_settings
from tenax.stores.place import Place, find_place

DATA_HELP = "Directory of the crawl; with a database, of what this machine notes about it."


class PlainCommand(TyperCommand):
    def get_help(self, ctx: Any) -> str:
        """The references in docs/ are made of the same texts, with marks of Markdown."""
        return super().get_help(ctx).replace("`", "'")


class PlainGroup(TyperGroup):
    def get_help(self, ctx: Any) -> str:
        return super().get_help(ctx).replace("`", "'")


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
    """How the reader can call this program again from where they are."""
    program = Path(sys.argv[0])
    return program.name if shutil.which(program.name) else os.path.relpath(program)


_match_meaning_of_none = re.compile(r".*\bnone: ([^.;]+)").match


def default_of(setting: str) -> str:
    """What a setting is where nobody sets it, for --help: an option without a value leaves it as it is."""
    section, name = setting.split(".")
    part = Settings.model_fields[section].annotation
    assert part is not None
    field = part.model_fields[name]
    if field.default is None:
        meaning = _match_meaning_of_none(field.description or "")
        return meaning[1] if meaning else "none"
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


UserAgentOption = Annotated[
    str | None,
    typer.Option("--user-agent", help="Replaces the user agent.", show_default="tenax/VERSION (+CONTACT)"),
]
ContactOption = Annotated[
    str | None,
    typer.Option(
        "--contact",
        help="URL or mail address for site owners, sent with every request.",
        show_default=default_of("fetch.contact"),
    ),
]
ScopeOption = Annotated[
    ScopeKind | None,
    typer.Option("--scope", help="Which links are followed.", show_default=default_of("scope.kind")),
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
        help="Stop with a domain after this many pages; 0: no limit. With --max-pages and the seeds of one"
        " domain there is none unless it is given.",
        show_default=default_of("limits.pages_per_domain"),
    ),
]
DelayOption = Annotated[
    float | None,
    typer.Option(
        "--delay",
        metavar="S",
        help="Least seconds between requests to a domain.",
        show_default=default_of("politeness.delay_s"),
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", help="Worker processes at most.", show_default=default_of("worker.processes")),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        help="Requests at the same time, in each worker process.",
        show_default=default_of("worker.concurrency"),
    ),
]
ResolveOption = Annotated[
    list[str] | None,
    typer.Option("--resolve", metavar="HOST:IP", help="Use this address; * means every host."),
]
PrivateOption = Annotated[bool, typer.Option("--allow-private", help="Allow loopback and private addresses.")]

KeepParameterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A parameter such as ref that counts here, though it often tracks."),
]
IgnoreParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="URLs that differ in this parameter alone are one: one of them is fetched."
    ),
]
TrailingSlashOption = Annotated[
    bool, typer.Option("--merge-trailing-slash", help="/a and /a/ are one: one of them is fetched.")
]


def build_merge_rules(ignored: list[str] | None, ignores_slash: bool) -> list[dict[str, Any]] | None:
    """None: none was given."""
    rules: list[dict[str, Any]] = [{"ignore_parameters": [name]} for name in ignored or ()]
    if ignores_slash:
        rules.append({"ignore_trailing_slash": True})
    return rules or None


OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="CSS", help="Text of elements that match, not of the whole page."),
]
WithoutOption = Annotated[
    list[str] | None, typer.Option("--without", metavar="CSS", help="No text of elements that match.")
]

RedisOption = Annotated[
    str | None,
    typer.Option(
        "--redis",
        metavar="URL",
        help="Share what may be lost through this Redis.",
        show_default=default_of("redis.url"),
    ),
]

BrokerOption = Annotated[
    str | None,
    typer.Option(
        "--broker",
        metavar="URL",
        help="The RabbitMQ that runs are named by, as amqp://USER:PASSWORD@HOST/VHOST.",
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
        show_default="none: the directory is all",
    ),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]


def locate(store: str | None, data: Path | None) -> Place:
    """The crawl that a command is about."""
    return find_place(store or load_settings().store.url, data)


def build_overrides(**sections: dict[str, Any]) -> Values:
    """Collect what was given on the command line; a setting that was not given keeps its value."""
    given = {
        section: {name: value for name, value in values.items() if value not in (None, [])}
        for section, values in sections.items()
    }
    return {section: values for section, values in given.items() if values}
