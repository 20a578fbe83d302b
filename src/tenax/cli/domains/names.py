"""How commands about domains find the domain that the user means, and its store."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tenax.cli.options import locate
from tenax.errors import StoreError, UsageError
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.web.urls import domain_of, parse_url, registrable_domain

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A domain, or a URL in it.")]

SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        metavar="NAME",
        help="Only domains of this site, such as example.com with all its subdomains.",
    ),
]


def find_name(name: str) -> str:
    """The canonical domain of a name or URL."""
    url = parse_url(name if "://" in name else f"http://{name}/")
    if url is None:
        raise UsageError(f"{clean(name)!r} is neither a domain nor a URL; write it like example.com.")
    return domain_of(url)


def find_site(name: str) -> str:
    """The site of a name: the name of a site, or of a domain or URL in it."""
    return registrable_domain(find_name(name))


def find_place(context: typer.Context, store: str | None, data: Path | None) -> Place:
    """Both options may also be given before the name of the subcommand."""
    earlier_store, earlier_data = context.obj
    return locate(store or earlier_store, data or earlier_data)


def refuse_unknown(domain: str, place: Place) -> NoReturn:
    raise StoreError(f"There is no domain {domain} in {place}; 'tenax domains {place.option}' lists them.")
