"""Roles, the scopes of tokens, and the caller of a request."""

from enum import StrEnum

from tenax.record import record


class Role(StrEnum):
    ANONYMOUS = "anonymous"  # reads the public statistics
    USER = "user"  # reads everything
    ADMIN = "admin"  # changes everything

    def allows(self, needed: "Role") -> bool:
        return _RANKS[self] >= _RANKS[needed]


_RANKS = {Role.ANONYMOUS: 0, Role.USER: 1, Role.ADMIN: 2}


class TokenScope(StrEnum):
    """What a token may be used for, within its owner's role."""

    READ = "read"  # all queries
    WRITE = "write"  # all actions on the crawl
    ADMIN = "admin"  # accounts, tokens, audit
    METRICS = "metrics"  # only /metrics


class Proof(StrEnum):
    """How a caller has been authenticated."""

    NONE = "none"
    SESSION = "session"  # a browser's cookie
    TOKEN = "token"
    JWT = "jwt"


@record
class Principal:
    """The caller of a request."""

    name: str
    role: Role
    proof: Proof
    user_id: int | None = None  # None: not a user in the store
    scopes: frozenset[TokenScope] = frozenset(TokenScope)
    csrf_token: str | None = None  # of a session: required with every request that changes something

    def may(self, role: Role, scope: TokenScope) -> bool:
        return self.role.allows(role) and (role is Role.ANONYMOUS or scope in self.scopes)


ANONYMOUS = Principal(name="anonymous", role=Role.ANONYMOUS, proof=Proof.NONE)
