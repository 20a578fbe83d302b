"""`tenax webhooks`: the webhooks that are notified of events, and new secrets for them."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.actors import name_actor
from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import NOTHING, as_json, format_moment, show, show_json, show_table, tidy
from tenax.errors import StoreError
from tenax.jobs.webhooks.signing import make_secret
from tenax.runtime.actions import write_store
from tenax.stores.accounts.audit import AuditAction, add_entry
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.paging import SliceRequest
from tenax.stores.secrets.sealing import Vault
from tenax.stores.webhooks.webhooks import MOST, Webhook, WebhookEvent, rotate_secret, slice_webhooks
from tenax.visible import clean

URL_CHARS = 70
ALL = SliceRequest(key="id", is_descending=False, after=None, limit=MOST)

app = new_app("List the webhooks; rotate the secret of one.")


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
        show("No webhooks. Administrators add them in the dashboard or through the API.")
    else:
        headers = ("WEBHOOK", "NAME", "STATE", "SOURCE", "EVENTS", "URL")
        show_table(headers, [_list_cells(hook) for hook in found], right=(0,))


@app.command("rotate-secret")
def rotate(
    context: typer.Context,
    webhook: Annotated[int, typer.Argument(metavar="WEBHOOK", min=1, help="Number of the webhook.")],
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
        raise StoreError(
            f"There is no webhook {webhook} in {place}; 'tenax webhooks {place.option}' lists them."
        )
    show(f"The new secret of {clean(rotated.name)}; it is not shown again:")
    show(secret)
    show(f"Until {format_moment(rotated.old_secret_until)} messages are also signed with the old one.")


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
