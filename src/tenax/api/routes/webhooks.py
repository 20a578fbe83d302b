"""Webhooks: who is notified of which events, and the state of each delivery."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, invalid, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, LARGEST_NUMBER
from tenax.api.routes.auth import NameField
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import find_url_fault
from tenax.jobs.webhooks.signing import make_secret
from tenax.stores.connection import Connection
from tenax.stores.webhooks import webhooks as store
from tenax.stores.webhooks.deliveries import Delivery, DeliveryState, retry_delivery, slice_deliveries
from tenax.stores.webhooks.events import NewDelivery, add_delivery, format_payload
from tenax.stores.webhooks.webhooks import WebhookEvent, WebhookValues
from tenax.web.urls import parse_endpoint

router = new_router("webhooks")

IdPath = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="The id of the webhook.", examples=[1])]
DeliveryIdPath = Annotated[
    int, Path(ge=1, le=LARGEST_ID, description="The id of the delivery.", examples=[12])
]
Sort = Annotated[Literal["id", "-id"], Query(description="A leading minus sorts newest first.")]
SubscribedEvent = Literal[
    WebhookEvent.RUN_FINISHED,
    WebhookEvent.SOURCE_CHANGED,
    WebhookEvent.DOMAIN_BLOCKED,
    WebhookEvent.ITEM_CHANGED,
    WebhookEvent.PRODUCT_PRICE_CHANGED,
    WebhookEvent.PRODUCT_PRICE_DROPPED,
    WebhookEvent.PRODUCT_NEW_LOW,
    WebhookEvent.PRODUCT_AVAILABILITY_CHANGED,
    WebhookEvent.PARSER_DEGRADED,
]
# A receiver asks for items and products: there may be very many.
DEFAULT: tuple[SubscribedEvent, ...] = (
    WebhookEvent.RUN_FINISHED,
    WebhookEvent.SOURCE_CHANGED,
    WebhookEvent.DOMAIN_BLOCKED,
    WebhookEvent.PARSER_DEGRADED,
)


class WebhookBody(BaseModel):
    """Omitted fields get their defaults, also when a webhook is changed."""

    model_config = ConfigDict(extra="forbid")

    name: NameField
    url: str = Field(
        max_length=4000,
        description="The http or https URL that messages are posted to; it must be public unless the "
        "server's settings allow other addresses.",
        examples=["https://example.com/hooks/tenax"],
    )
    events: list[SubscribedEvent] = Field(
        default=list(DEFAULT),
        min_length=1,
        max_length=len(WebhookEvent),
        description="By default, all but `item.changed` and those of products.",
        examples=[["run.finished"]],
    )
    source_id: int | None = Field(
        None, ge=1, le=LARGEST_NUMBER, description="Only events of this source; null: of all sources."
    )
    min_drop: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The least share by which a price must fall for `product.price_dropped`; null: any.",
        examples=[0.1],
    )
    enabled: bool = True


class WebhookView(Schema):
    id: int
    name: str
    url: str
    events: list[WebhookEvent]
    source_id: int | None
    min_drop: float | None = Field(description="The least drop of a price that is sent; null: any.")
    enabled: bool
    enabled_at: datetime = Field(description="Events before this time are not sent.")
    created_at: datetime
    old_secret_until: datetime | None = Field(
        description="Until when messages are also signed with the previous secret; null: there is none."
    )


class MadeWebhook(WebhookView):
    secret: str = Field(description="The secret that signs messages. It is shown only once.")


class DeliveryView(Schema):
    id: int = Field(description="Sent as `Tenax-Delivery`; the same for every attempt.")
    webhook_id: int
    event: WebhookEvent
    subject: str = Field(examples=["run 7"])
    payload: str = Field(description="The request body.")
    state: DeliveryState
    attempts: int
    next_try_at: datetime | None
    last_status: int | None = Field(description="null: there was no response.")
    last_error: str | None
    created_at: datetime
    delivered_at: datetime | None


@router.get("/webhooks", summary="List webhooks", response_model=Part[WebhookView], **allow(Role.ADMIN))
async def list_webhooks(
    service: ServiceDep, sort: Sort = "id", limit: LimitQuery = 50, cursor: CursorQuery = None
) -> Part[WebhookView]:
    """Returns all webhooks, without their secrets."""
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(store.slice_webhooks, wanted=wanted))
    return format_part(found, WebhookView, sort)


@router.post(
    "/webhooks",
    status_code=201,
    summary="Add a webhook",
    response_model=MadeWebhook,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(409,)),
)
async def add_webhook(service: ServiceDep, audit: AuditDep, body: WebhookBody) -> MadeWebhook:
    """The webhook receives events from now on."""
    values = _check_values(service, body)
    secret = make_secret()
    async with audit("webhook.add", target=body.name, events=sorted(values.events)):
        made = await service.access.write(
            partial(
                store.add_webhook,
                values=values,
                secret=secret,
                vault=service.access.vault,
                now=service.clock.wall(),
            )
        )
        if made is None:
            raise conflict(f"The limit is {store.MOST} webhooks: remove one that is not needed.")
    return _show_secret(made, secret)


@router.put(
    "/webhooks/{id}",
    summary="Change a webhook",
    response_model=WebhookView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def change_webhook(service: ServiceDep, audit: AuditDep, id: IdPath, body: WebhookBody) -> WebhookView:
    """Keeps its secret. While it is disabled, nothing is sent, and events of that time are not sent later."""
    values = _check_values(service, body)
    async with audit("webhook.change", target=f"webhook {id}", enabled=body.enabled):
        changed = await service.access.write(
            partial(store.change_webhook, webhook_id=id, values=values, now=service.clock.wall())
        )
        if changed is None:
            raise not_found(f"Webhook {id}")
    return WebhookView.model_validate(changed)


@router.delete(
    "/webhooks/{id}",
    status_code=204,
    summary="Remove a webhook",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def remove_webhook(service: ServiceDep, audit: AuditDep, id: IdPath) -> None:
    """Removes the webhook with all its deliveries, including pending ones."""
    async with audit("webhook.remove", target=f"webhook {id}"):
        if not await service.access.write(partial(store.remove_webhook, webhook_id=id)):
            raise not_found(f"Webhook {id}")


@router.post(
    "/webhooks/{id}/test",
    status_code=201,
    summary="Send a test message",
    response_model=DeliveryView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def test_webhook(service: ServiceDep, audit: AuditDep, id: IdPath) -> DeliveryView:
    """Sends a test message within seconds; the delivery shows the result."""
    now = service.clock.wall()

    def work(connection: Connection) -> Delivery:
        hook = store.find_webhook(connection, id)
        if hook is None:
            raise not_found(f"Webhook {id}")
        if not hook.enabled:
            raise conflict("The webhook is disabled: enable it first.")
        payload = format_payload(WebhookEvent.TEST, now, {"webhook": hook.name})
        return add_delivery(
            connection,
            NewDelivery(
                webhook_id=id, event=WebhookEvent.TEST, subject=f"test at {now:.6f}", payload=payload
            ),
            now,
        )

    async with audit("webhook.test", target=f"webhook {id}"):
        return DeliveryView.model_validate(await service.access.write(work))


@router.post(
    "/webhooks/{id}/rotate-secret",
    summary="Rotate the secret of a webhook",
    response_model=MadeWebhook,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def rotate_webhook_secret(service: ServiceDep, audit: AuditDep, id: IdPath) -> MadeWebhook:
    """Returns a new secret, which is shown only once. For 24 hours, messages are signed with both the new and
    the previous secret; an older one is dropped."""
    secret = make_secret()
    async with audit("webhook.rotate_secret", target=f"webhook {id}"):
        rotated = await service.access.write(
            partial(
                store.rotate_secret,
                webhook_id=id,
                secret=secret,
                vault=service.access.vault,
                now=service.clock.wall(),
            )
        )
        if rotated is None:
            raise not_found(f"Webhook {id}")
    return _show_secret(rotated, secret)


@router.get(
    "/webhooks/{id}/deliveries",
    summary="List the deliveries of a webhook",
    response_model=Part[DeliveryView],
    **allow(Role.ADMIN),
)
async def list_deliveries(
    service: ServiceDep,
    id: IdPath,
    state: Annotated[DeliveryState | None, Query(description="Only deliveries in this state.")] = None,
    sort: Sort = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[DeliveryView]:
    """Returns the deliveries of the last 30 days, and all pending ones."""
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_deliveries, wanted=wanted, webhook_id=id, state=state))
    return format_part(found, DeliveryView, sort)


@router.post(
    "/webhook-deliveries/{id}/retry",
    summary="Send a message again",
    response_model=DeliveryView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def retry_webhook_delivery(service: ServiceDep, audit: AuditDep, id: DeliveryIdPath) -> DeliveryView:
    """Sends the message again, regardless of earlier results, with its full number of attempts."""
    async with audit("webhook.retry", target=f"delivery {id}"):
        found = await service.access.write(partial(retry_delivery, delivery_id=id, now=service.clock.wall()))
        if found is None:
            raise not_found(f"Delivery {id}")
    return DeliveryView.model_validate(found)


def _show_secret(hook: store.Webhook, secret: str) -> MadeWebhook:
    return MadeWebhook(**WebhookView.model_validate(hook).model_dump(), secret=secret)


def _check_values(service: Service, body: WebhookBody) -> WebhookValues:
    url = parse_endpoint(body.url.strip())
    if url is None:
        raise invalid("The URL must be http or https and contain no credentials.", "body.url")
    fault = find_url_fault(url, service.settings)
    if fault is not None:
        raise invalid(fault, "body.url")
    return WebhookValues(
        name=body.name,
        url=url,
        events=frozenset(WebhookEvent(event) for event in body.events),
        source_id=body.source_id,
        min_drop=body.min_drop,
        enabled=body.enabled,
    )
