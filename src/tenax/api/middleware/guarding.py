"""Authentication, authorization and rate limits of every route. A route that does not declare who may use it
cannot be built.
"""

import hmac
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext
from enum import StrEnum
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from xxhash import xxh3_64_hexdigest

from tenax.accounts.limits import name_client
from tenax.accounts.permissions import ANONYMOUS, Principal, Proof, Role, TokenScope
from tenax.api.errors import CHALLENGE, RESPONSES, Problem, answer, invalid
from tenax.api.middleware.cookies import find_cookie
from tenax.api.middleware.field_access import Rules, find_rules, remove_hidden
from tenax.api.paging import check_filters, find_unsupported_filters
from tenax.api.responses import JsonResponse
from tenax.api.service import Service, get_service
from tenax.config.service import ServerSettings
from tenax.coordination.gate import RateHit
from tenax.errors import BadCredentials, StoreError
from tenax.record import record

PREFIX = "/api/v1"
SAFE_METHODS = frozenset({"GET", "HEAD"})
CSRF_HEADER = "x-csrf-token"
MARK = "x-tenax-access"
YAML_TYPE = "application/yaml"
MAX_TAGGED_BYTES = 300_000
# Streams send something at least every ten seconds, so a disabled user receives nothing after fifteen.
RECHECK_S = 5.0


class Tier(StrEnum):
    """Which rate limit a request counts towards."""

    ROLE = "role"  # of the caller's role
    SEEDING = "seeding"  # in addition, a limit for adding seeds
    FREE = "free"  # none: monitoring polls often


def allow(
    role: Role, *, scope: TokenScope | None = None, tier: Tier = Tier.ROLE, responses: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Arguments of a route: who may use it, and which error responses it has."""
    scope = scope or TokenScope.READ
    expected = {401, 403, 422, 429, 503, *responses} if tier is not Tier.FREE else {422, 503, *responses}
    return {
        "openapi_extra": {MARK: {"role": role, "scope": scope, "tier": tier}},
        "responses": {status: RESPONSES[status] for status in sorted(expected)},
    }


@record
class AccessRule:
    role: Role
    scope: TokenScope
    tier: Tier


class GuardedRoute(APIRoute):
    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        mark = (options.get("openapi_extra") or {}).get(MARK)
        if mark is None:
            raise TypeError(f"The route {path} does not declare who may use it.")
        self.rule = AccessRule(
            role=Role(mark["role"]), scope=TokenScope(mark["scope"]), tier=Tier(mark["tier"])
        )
        if not SAFE_METHODS.issuperset(options["methods"]):
            options["responses"] = {**options["responses"], 413: RESPONSES[413]}
        # Derived from the declaration, so that no declared rule can be missed.
        self.rules = find_rules(options.get("response_model"))
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        rule, hidden = self.rule, self.rules
        unsupported = find_unsupported_filters({each.alias for each in self.dependant.query_params})

        async def handle_guarded(request: Request) -> Response:
            service = await get_service(request)
            principal, hits = await _admit(request, service, rule)
            request.state.principal = principal
            try:
                async with _wait_for_turn(request, service, principal, rule):
                    await _check_text(request)
                    check_filters(request, unsupported)
                    response = _add_etag(request, _remove_hidden(await handle(request), hidden, principal))
            except Problem as problem:
                response = answer(problem)
            if isinstance(response, StreamingResponse):
                response.body_iterator = _stream_while_admitted(request, rule, response.body_iterator)
            _add_limit_headers(response, hits)
            return response

        return handle_guarded


def new_router(tag: str, prefix: str = PREFIX) -> APIRouter:
    return APIRouter(
        prefix=prefix,
        route_class=GuardedRoute,
        tags=[tag],
        # Stable: clients are generated from these ids.
        generate_unique_id_function=lambda route: route.name,
    )


async def _admit(request: Request, service: Service, rule: AccessRule) -> tuple[Principal, list[RateHit]]:
    try:
        principal = await service.authenticator.authenticate(
            cookie=find_cookie(request),
            authorization=request.headers.get("authorization"),
        )
    except BadCredentials as error:
        # Guessing tokens counts against the limit for anonymous callers.
        hits = await _count(request, service, ANONYMOUS, rule)
        problem = Problem(401, str(error), headers=CHALLENGE)
        problem.headers.update(_format_limits(hits))
        raise problem from error
    hits = await _count(request, service, principal, rule)
    try:
        if not (rule.scope is TokenScope.METRICS and service.settings.server.public_metrics):
            _check_role(principal, rule)
        _check_origin(request, principal)
    except Problem as problem:
        problem.headers.update(_format_limits(hits))
        raise
    return principal, hits


def _wait_for_turn(
    request: Request, service: Service, principal: Principal, rule: AccessRule
) -> AbstractAsyncContextManager[None]:
    if rule.tier is Tier.FREE:
        return nullcontext()
    return service.turns.take(identify_client(request, principal))


async def _stream_while_admitted(
    request: Request, rule: AccessRule, chunks: AsyncIterable[str | bytes | memoryview]
) -> AsyncIterator[str | bytes | memoryview]:
    """End a long response soon after its caller has lost access."""
    checked_at = time.monotonic()
    async for chunk in chunks:
        if time.monotonic() >= checked_at + RECHECK_S:
            if not await _is_still_admitted(request, rule):
                return
            checked_at = time.monotonic()
        yield chunk


async def _is_still_admitted(request: Request, rule: AccessRule) -> bool:
    service = await get_service(request)
    try:
        principal = await service.authenticator.authenticate(
            cookie=find_cookie(request), authorization=request.headers.get("authorization")
        )
    except BadCredentials:
        return False
    except StoreError:
        # No user can be disabled in a store that does not answer; it is checked again soon.
        return True
    return principal.name == request.state.principal.name and principal.may(rule.role, rule.scope)


def identify_client(request: Request, principal: Principal) -> str:
    """What counts as one client."""
    return name_client(find_address(request)) if principal.proof is Proof.NONE else f"user:{principal.name}"


async def _count(request: Request, service: Service, principal: Principal, rule: AccessRule) -> list[RateHit]:
    if rule.tier is Tier.FREE:
        return []
    client = identify_client(request, principal)
    limits = [(f"role:{client}", _find_limit(principal.role, service.settings.server))]
    if rule.tier is Tier.SEEDING:
        limits.append((f"seeding:{client}", service.settings.server.seeds_per_min))
    hits = [await service.accounts.limiter.hit(key, limit) for key, limit in limits]
    if not all(hit.allowed for hit in hits):
        worst = max(hits, key=lambda hit: hit.retry_after_s)
        raise Problem(
            429,
            f"Too many requests: the limit is {worst.limit} per minute. Try again in {worst.retry_after_s} "
            "s.",
            headers={**_format_limits(hits), "Retry-After": str(worst.retry_after_s)},
        )
    return hits


def _find_limit(role: Role, settings: ServerSettings) -> int:
    limits = {
        Role.ANONYMOUS: settings.anonymous_per_min,
        Role.USER: settings.user_per_min,
        Role.ADMIN: settings.admin_per_min,
    }
    return limits[role]


def _check_role(principal: Principal, rule: AccessRule) -> None:
    if principal.may(rule.role, rule.scope):
        return
    if principal.proof is Proof.NONE:
        raise Problem(
            401,
            "Log in, or send a token as 'Authorization: Bearer …'.",
            headers=CHALLENGE,
        )
    if not principal.role.allows(rule.role):
        raise Problem(
            403, f"This requires the role {rule.role}; {principal.name} has the role {principal.role}."
        )
    raise Problem(403, f"The token lacks the scope {rule.scope}: use one that has it.")


def _check_origin(request: Request, principal: Principal) -> None:
    """Check the CSRF token. A page of another site can make a browser send the cookie, but cannot know
    this."""
    if principal.proof is not Proof.SESSION or request.method in SAFE_METHODS:
        return
    given = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(given.encode(), (principal.csrf_token or "").encode()):
        raise Problem(
            403, "Send the session's CSRF token as X-CSRF-Token; GET /api/v1/auth/session returns it."
        )


def find_address(request: Request) -> str | None:
    return request.client.host if request.client else None


async def _check_text(request: Request) -> None:
    """PostgreSQL cannot store text with NUL, and a lone surrogate is not text."""
    is_clean = b"%00" not in request.scope["query_string"] and "\0" not in request.scope["path"]
    # YAML is checked by its parser; no route reads it as JSON.
    is_json = not request.headers.get("content-type", "").startswith(YAML_TYPE)
    if request.method not in SAFE_METHODS and is_json and b"\\u" in (body := await request.body()):
        is_clean = is_clean and b"\\u0000" not in body and _is_json(body)
    if not is_clean:
        raise invalid("The request contains a character that is not valid text.")


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return True


def _add_limit_headers(response: Response, hits: list[RateHit]) -> None:
    for name, value in _format_limits(hits).items():
        response.headers[name] = value


def _format_limits(hits: list[RateHit]) -> dict[str, str]:
    if not hits:
        return {}
    tightest = min(hits, key=lambda hit: hit.remaining)
    return {
        "RateLimit-Limit": str(tightest.limit),
        "RateLimit-Remaining": str(tightest.remaining),
        "RateLimit-Reset": str(tightest.reset_s),
    }


def _remove_hidden(response: Response, rules: Rules, principal: Principal) -> Response:
    """Remove the fields that the caller's role may not see. Administrators see all fields."""
    if not rules or principal.role is Role.ADMIN or response.status_code >= 300:
        return response
    content = orjson.loads(response.body)
    remove_hidden(content, rules, principal.role)
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    return JsonResponse(content, status_code=response.status_code, headers=headers)


def _add_etag(request: Request, response: Response) -> Response:
    """Add an ETag, and answer 304 if the client already has this response."""
    body = getattr(response, "body", None)
    if request.method not in SAFE_METHODS or response.status_code != 200 or not isinstance(body, bytes):
        return response
    if len(body) > MAX_TAGGED_BYTES:
        return response
    tag = f'W/"{xxh3_64_hexdigest(body)}"'
    response.headers["ETag"] = tag
    response.headers.setdefault("Cache-Control", "private, no-cache")
    if tag in request.headers.get("if-none-match", ""):
        kept = {name: response.headers[name] for name in ("etag", "cache-control")}
        return Response(status_code=304, headers=kept)
    return response
