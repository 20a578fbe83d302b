"""`tenax webhooks`: the webhooks that are notified of events; add and remove them, give them new secrets."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, NoReturn

import typer

from tenax.accounts.users import check_name
from tenax.api.url_checks import find_url_fault
from tenax.cli.actors import name_actor
from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, PrivateOption, StoreOption, build_overrides, locate, new_app
from tenax.cli.show.render import NOTHING, as_json, format_moment, show, show_json, show_table, tidy
from tenax.config.loading import load_settings
from tenax.errors import StoreError, UsageError
from tenax.jobs.webhooks.signing import make_secret
from tenax.runtime.actions import write_store
from tenax.stores.accounts.audit import AuditAction, add_entry
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.jobs.sources import find_source_by_name
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import (
    MOST,
    Webhook,
    WebhookEvent,
    WebhookValues,
    add_webhook,
    remove_webhook,
    rotate_secret,
    slice_webhooks,
)
from tenax.visible import clean
from tenax.web.urls import parse_endpoint

URL_CHARS = 70
ALL = SliceRequest(key="id", is_descending=False, after=None, limit=MOST)

app = new_app("List the webhooks; add or remove one, rotate its secret.")

EVENTS = [event for event in WebhookEvent if event is not WebhookEvent.TEST]
WebhookArgument = Annotated[int, typer.Argument(metavar="WEBHOOK", min=1, help="Number of the webhook.")]


@app.callback(invoke_without_command=True)
def webhooks(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    found = read_store(locate(store, data), lambda connection: slice_webhooks(connection, ALL)).items
    if json:
        for hook in found:
            show_json(_describe(hook), is_line=True)
    elif not found:
        show("No webhooks. Add one with 'tenax webhooks add', in the dashboard or through the API.")
    else:
        headers = ("WEBHOOK", "NAME", "STATE", "SOURCE", "EVENTS", "URL")
        show_table(headers, [_list_cells(hook) for hook in found], right=(0,))


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="1 to 64 printable characters.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where messages are posted to.")],
    event: Annotated[
        list[str],
        typer.Option(metavar="EVENT", help="What to send, such as product.new_low; may be repeated."),
    ],
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only events of this source.", show_default="all")
    ] = None,
    min_drop: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="Least drop of a price that is sent as product.price_dropped: 0.1.",
            show_default="any",
        ),
    ] = None,
    allow_private: PrivateOption = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Add a webhook and print its secret, only this once. 'tenax serve' sends the messages."""
    place = find_place(context, store, data)
    check_name(name)
    endpoint, events = _read_endpoint(url, is_private_allowed=allow_private), _read_events(event)
    secret = make_secret()

    def work(connection: Connection) -> Webhook | None:
        now = tell_time(place, connection)
        owner = None if source is None else find_source_by_name(connection, source)
        if source is not None and owner is None:
            raise UsageError(f"There is no source {clean(source)} in {place}; 'tenax sources' lists them.")
        values = WebhookValues(
            name=name,
            url=endpoint,
            events=events,
            source_id=None if owner is None else owner.id,
            min_drop=min_drop,
            enabled=True,
        )
        added = add_webhook(connection, values, secret, Vault.of(place), now)
        if added is not None:
            action = AuditAction(action="webhook.add", target=name, detail={"events": sorted(events)})
            add_entry(connection, name_actor(), action, now)
        return added

    added = asyncio.run(write_store(place, work))
    if added is None:
        raise StoreError(f"The limit is {MOST} webhooks: remove one that is not needed.")
    show(f"Added the webhook {added.id}. Its secret, which is not shown again:")
    show(secret)


@app.command()
def remove(
    context: typer.Context, webhook: WebhookArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Remove a webhook with all its deliveries, including pending ones."""
    place = find_place(context, store, data)

    def work(connection: Connection) -> bool:
        is_removed = remove_webhook(connection, webhook)
        if is_removed:
            action = AuditAction(action="webhook.remove", target=f"webhook {webhook}")
            add_entry(connection, name_actor(), action, tell_time(place, connection))
        return is_removed

    if not asyncio.run(write_store(place, work)):
        _refuse_unknown(webhook, place)
    show(f"Removed the webhook {webhook} from {place}.")


@app.command("rotate-secret")
def rotate(
    context: typer.Context,
    webhook: WebhookArgument,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Create a new secret and print it once. For 24 hours, messages are signed with both secrets."""
    place = find_place(context, store, data)
    secret = make_secret()

    def work(connection: Connection) -> Webhook | None:
        now = tell_time(place, connection)
        rotated = rotate_secret(connection, webhook, secret, Vault.of(place), now)
        if rotated is not None:
            action = AuditAction(action="webhook.rotate_secret", target=f"webhook {webhook}")
            add_entry(connection, name_actor(), action, now)
        return rotated

    rotated = asyncio.run(write_store(place, work))
    if rotated is None:
        _refuse_unknown(webhook, place)
    show(f"The new secret of {clean(rotated.name)}; it is not shown again:")
    show(secret)
    show(f"Until {format_moment(rotated.old_secret_until)} messages are also signed with the old one.")


def _read_endpoint(url: str, *, is_private_allowed: bool) -> str:
    """Raises UsageError."""
    endpoint = parse_endpoint(url.strip())
    if endpoint is None:
        raise UsageError(
            f"{clean(url)!r} is no address of a webhook: write an http or https URL without credentials."
        )
    settings = load_settings(overrides=build_overrides(fetch={"allow_private": is_private_allowed or None}))
    if find_url_fault(endpoint, settings) is not None:
        raise UsageError(
            f"{clean(url)} is not a public address: --allow-private, here and of 'tenax serve', allows it."
        )
    return endpoint


def _read_events(names: list[str]) -> frozenset[WebhookEvent]:
    """Raises UsageError."""
    unknown = next((name for name in names if name not in EVENTS), None)
    if unknown is not None:
        raise UsageError(f"There is no event {clean(unknown)}; there are: {', '.join(EVENTS)}.")
    return frozenset(map(WebhookEvent, names))


def _refuse_unknown(webhook: int, place: Place) -> NoReturn:
    raise StoreError(f"There is no webhook {webhook} in {place}; 'tenax webhooks {place.option}' lists them.")


def _list_cells(hook: Webhook) -> tuple[str, ...]:
    return (
        str(hook.id),
        clean(hook.name),
        "enabled" if hook.enabled else "disabled",
        NOTHING if hook.source_id is None else str(hook.source_id),
        " ".join(_name_event(hook, event) for event in hook.events),
        tidy(hook.url, URL_CHARS),
    )


def _name_event(hook: Webhook, event: str) -> str:
    if event != WebhookEvent.PRODUCT_PRICE_DROPPED or hook.min_drop is None:
        return event
    return f"{event}≥{100 * hook.min_drop:g}%"


def _describe(hook: Webhook) -> Any:
    return as_json(asdict(hook))
