"""The API as a list of operations, with the role and scope that each requires."""

from collections.abc import Iterator

from tenax.accounts.permissions import Role
from tenax.api.app import new_app
from tenax.api.middleware.guarding import MARK
from tenax.record import record


@record
class Operation:
    tag: str
    method: str
    path: str
    name: str
    summary: str
    role: Role
    scope: str


def list_operations() -> Iterator[Operation]:
    for path, methods in new_app().openapi()["paths"].items():
        for method, operation in methods.items():
            yield Operation(
                tag=operation["tags"][0],
                method=method.upper(),
                path=path,
                name=operation["operationId"],
                summary=operation["summary"],
                role=Role(operation[MARK]["role"]),
                scope=operation[MARK]["scope"],
            )
