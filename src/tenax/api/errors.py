"""Errors as `application/problem+json` (RFC 9457): one sentence that says what is wrong and what to do."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tenax.api.responses import JsonResponse
from tenax.errors import (
    AccountError,
    ActionRefused,
    AdministratorExists,
    BadCredentials,
    BadName,
    ConfigError,
    DomainsBusy,
    JobChanged,
    JobError,
    LastAdministrator,
    NameTaken,
    NoSuchJob,
    NoSuchSource,
    NoSuchToken,
    NoSuchUser,
    NotAllowed,
    ServiceError,
    SourceError,
    StoreError,
    StoreFull,
    StoreSlow,
    TenaxError,
    TooManyAttempts,
    TooManyTokens,
    UsageError,
    WeakPassword,
)
from tenax.telemetry import log
from tenax.wording import as_sentence, to_json_terms

MEDIA_TYPE = "application/problem+json"
RETRY_S = 5
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="tenax"'}


class Fault(BaseModel):
    """An invalid part of a request."""

    where: str = Field(description="The path of the field.", examples=["body.urls.0"])
    message: str = Field(description="What is wrong with it.", examples=["Not an http or https URL."])


class ProblemBody(BaseModel):
    type: str = Field(
        description="A URI that identifies the kind of problem.", examples=["/problems/not-found"]
    )
    title: str = Field(description="The kind of problem, in words.", examples=["Not found"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(description="What went wrong and what to do about it.")
    faults: list[Fault] | None = Field(None, description="The invalid parts of the request.")


class Problem(Exception):
    """Ends a request with an error response."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str | None = None,
        headers: Mapping[str, str] | None = None,
        faults: Sequence[Fault] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.kind = kind or HTTPStatus(status).phrase
        self.headers = dict(headers or {})
        self.faults = faults


def not_found(what: str) -> Problem:
    return Problem(404, f"{what} was not found.")


def conflict(detail: str) -> Problem:
    return Problem(409, detail)


def invalid(detail: str, where: str | None = None) -> Problem:
    faults = [Fault(where=where, message=detail)] if where else None
    return Problem(422, detail, faults=faults)


def answer(problem: Problem) -> JsonResponse:
    body = ProblemBody(
        type=f"/problems/{problem.kind.lower().replace(' ', '-')}",
        title=problem.kind.capitalize(),
        status=problem.status,
        detail=problem.detail,
        faults=list(problem.faults) if problem.faults else None,
    )
    return JsonResponse(
        body.model_dump(exclude_none=True),
        status_code=problem.status,
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )


def translate(error: TenaxError) -> Problem:
    if isinstance(error, AccountError) and not error.is_transient:
        return _translate_account(error)
    if isinstance(error, JobError):
        return Problem(_STATUSES[type(error)], str(error))
    if isinstance(error, NoSuchSource):
        return Problem(404, str(error))
    if isinstance(error, SourceError | DomainsBusy):
        return conflict(str(error))
    if isinstance(error, UsageError | ConfigError):
        return invalid(str(error))
    if isinstance(error, StoreFull):
        return Problem(507, _summarize(error))
    if error.is_transient:
        kind = "Too slow" if isinstance(error, StoreSlow) else None
        return Problem(503, _summarize(error), kind=kind, headers={"Retry-After": str(RETRY_S)})
    log.error("request_failed", exc_info=error)
    return Problem(500, "The store could not be used; see the server log for the reason.")


def _summarize(error: TenaxError) -> str:
    """Messages of stores and services contain addresses, which only go to the log."""
    if not isinstance(error, StoreError | ServiceError):
        return str(error)
    log.warning("request_not_served", error=str(error))
    return str(type(error)())


_STATUSES = {
    BadCredentials: 401,
    NotAllowed: 403,
    NoSuchUser: 404,
    NoSuchToken: 404,
    NameTaken: 409,
    LastAdministrator: 409,
    AdministratorExists: 409,
    TooManyTokens: 409,
    BadName: 422,
    WeakPassword: 422,
    NoSuchJob: 404,
    ActionRefused: 409,
    JobChanged: 409,
}


def _translate_account(error: AccountError) -> Problem:
    if isinstance(error, TooManyAttempts):
        wait_s = ceil(error.retry_after_s)
        return Problem(429, f"{error} Try again in {wait_s} s.", headers={"Retry-After": str(wait_s)})
    status = _STATUSES[type(error)]
    return Problem(status, str(error), headers=CHALLENGE if status == 401 else None)


def translate_validation(error: RequestValidationError) -> Problem:
    faults = [
        Fault(
            where=".".join(str(part) for part in each["loc"]),
            message=as_sentence(to_json_terms(each["msg"].removeprefix("Value error, "))),
        )
        for each in error.errors()
    ]
    return Problem(422, "The request is not valid: see faults.", faults=faults)


def install(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    async def on_problem(request: Request, error: Problem) -> JsonResponse:
        return answer(error)

    @app.exception_handler(TenaxError)
    async def on_tenax_error(request: Request, error: TenaxError) -> JsonResponse:
        return answer(translate(error))

    @app.exception_handler(RequestValidationError)
    async def on_validation(request: Request, error: RequestValidationError) -> JsonResponse:
        return answer(translate_validation(error))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> JsonResponse:
        if error.status_code == 400:
            # The framework's status for a body that it could not parse at all.
            return answer(invalid("The body is not valid JSON, or is nested too deeply.", "body"))
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(list_methods(app, request)))
        return answer(Problem(error.status_code, _describe(error), headers=headers))

    @app.exception_handler(ClientDisconnect)
    async def on_leave(request: Request, error: ClientDisconnect) -> JsonResponse:
        return answer(Problem(400, "The connection closed before the request was complete."))

    @app.exception_handler(Exception)
    async def on_bug(request: Request, error: Exception) -> JsonResponse:
        log.error("request_crashed", method=request.method, path=request.url.path, exc_info=error)
        return answer(Problem(500, "Internal error; see the server log for details."))


def list_methods(app: FastAPI, request: Request) -> set[str]:
    """The methods of all routes with this path; the framework only lists those of the first."""
    path = request.scope["path"]
    found = [each.methods for each in iter_route_contexts(app.routes) if each.path_regex.match(path)]
    return set().union(*(methods for methods in found if methods))


def _describe(error: HTTPException) -> str:
    if error.status_code == 404:
        return "There is nothing at this path; see /api/v1/openapi.json for all routes."
    if error.status_code == 405:
        return "This path does not support the method; see the Allow header."
    return str(error.detail)


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemBody, "description": meaning, "content": {MEDIA_TYPE: {}}}
    for status, meaning in {
        401: "Authentication is missing or not valid.",
        403: "The account is not allowed to do this.",
        404: "The resource was not found.",
        409: "The request conflicts with the current state.",
        413: "The request is larger than the server accepts.",
        422: "The request is not valid.",
        429: "Too many requests; Retry-After says when to try again.",
        501: "The server lacks an optional package; the detail names it.",
        503: "The store did not answer in time; Retry-After says when to try again.",
    }.items()
}
