"""The API keeps the promises of its OpenAPI document, whatever the request.

Requests are made up from the document: such as fit it and such as do not. Streams are left out, because their
answers never end; test_events.py is about them.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tenax.accounts import limits
from tenax.accounts.permissions import Role
from tenax.clock import SystemClock
from tenax.stores.place import Place
from tests.support.accounts import PASSWORD, add_user, hash_fast, open_test_accounts
from tests.support.api import TIMEOUT_S, run_api
from tests.support.copying import KINDS, empty_store, long_ago
from tests.support.history import fill_with_history
from tests.support.routes import Route, list_routes
from tests.support.service_rows import fill_service_rows

# How many requests match the document, and how many do not, for authorized callers.
FITTING, UNFIT = 3, 3
KNOWN = {
    "id": 1,
    "run_id": 3,
    "user_id": 2,
    "token_id": 2,
    "job_id": 1,
    "execution_id": 1,
    "source_id": 2,
    "feed_id": 1,
    "name": "shop.example",
    "noun": "urls",
    "origin": "https://shop.example",
}
CHECKED: Any = [
    CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
    )
]
# What changes something comes after what reads, and what deletes comes last.
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OPERATIONS = sorted(
    (route for route in list_routes() if not route.is_stream),
    key=lambda route: METHODS.index(route.method),
)


class Api:
    """Behind a crawl with a past, with an account for each role."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.document: OpenApiSchema = schemathesis.openapi.from_url(
            f"{url}/api/v1/openapi.json", timeout=TIMEOUT_S
        )
        self._sessions = {role: requests.Session() for role in Role}

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()

    def enter(self, role: Role) -> requests.Session:
        """Again, if a made-up request has logged it out."""
        session = self._sessions[role]
        if session.get(f"{self.url}/api/v1/auth/session", timeout=TIMEOUT_S).json()["role"] != role:
            body = {"name": role.value, "password": PASSWORD}
            answer = session.post(f"{self.url}/api/v1/auth/login", json=body, timeout=TIMEOUT_S)
            assert answer.status_code == 200, answer.text
            session.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return session


@pytest.fixture(scope="module", params=KINDS)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with (
        pytest.MonkeyPatch.context() as patch,
        empty_store(request.param, tmp_path_factory.mktemp("contract") / "crawl") as store,
    ):
        hash_fast(patch)
        # Made-up passwords are wrong ones.
        patch.setattr(limits, "NAME_FAILURES", 1_000_000)
        patch.setattr(limits, "ADDRESS_FAILURES", 1_000_000)
        with long_ago(store) as clock:
            fill_with_history(store.place, clock)
        fill_service_rows(store.place)
        asyncio.run(_add_accounts(store.place))
        with (
            run_api(store.place, knows_users=True) as server,
            contextlib.closing(Api(server.url)) as api,
        ):
            yield api


async def _add_accounts(place: Place) -> None:
    async with open_test_accounts(place, SystemClock()) as accounts:
        for role in (Role.USER, Role.ADMIN):
            await add_user(accounts, role.value, role)


@pytest.mark.parametrize("route", OPERATIONS, ids=str)
def test_every_answer_is_as_the_document_says(api: Api, route: Route) -> None:
    """For the least who may ask; test_permissions.py is about those who may not."""
    operation = api.document[route.path][route.method]
    known = {name: value for name, value in KNOWN.items() if f"{{{name}}}" in route.path}
    session = api.enter(route.rule.role)
    run(operation.as_strategy(path_parameters=known), session, FITTING)
    if known:
        run(operation.as_strategy(), session, FITTING)
    if can_be_unfit(operation):
        run(operation.as_strategy(GenerationMode.NEGATIVE), session, UNFIT)


def run(cases: st.SearchStrategy[Case[Any]], session: requests.Session, examples: int) -> None:
    @given(case=cases)
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Case[Any]) -> None:
        case.call_and_validate(session=session, checks=CHECKED, timeout=TIMEOUT_S)

    check()


def can_be_unfit(operation: Any) -> bool:
    return bool(operation.body) or any(operation.iter_parameters())
