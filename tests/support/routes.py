"""All routes of the API."""

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from tenax.api.app import new_app
from tenax.api.middleware.field_access import Rules
from tenax.api.middleware.guarding import AccessRule, GuardedRoute
from tenax.record import record


@record
class Route:
    method: str
    path: str
    rule: AccessRule
    rules: Rules  # of the fields of its answer

    @property
    def is_stream(self) -> bool:
        """Whether its response never ends."""
        return self.path.startswith("/sse/") or "/stream" in self.path

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def list_routes(app: FastAPI | None = None) -> list[Route]:
    """List the routes. Fails if one does not declare who may use it."""
    found = []
    for each in iter_route_contexts((app or new_app()).routes):
        assert isinstance(each.original_route, GuardedRoute), each.path
        rule, rules = each.original_route.rule, each.original_route.rules
        found += [
            Route(method=method, path=each.path or "", rule=rule, rules=rules)
            for method in sorted(each.methods or ())
        ]
    return found
