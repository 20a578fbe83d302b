"""Roles, what a token may be used for, and who is asking."""

from enum import StrEnum

from tenax.record import record


class Role(StrEnum):
    ANONYMOUS = "anonymous"  # reads the public numbers
    USER = "user"  # reads everything
    ADMIN = "admin"  # changes everything

    def allows(self, needed: "Role") -> bool:
        return _RANKS[self] >= _RANKS[needed]


_RANKS = {Role.ANONYMOUS: 0, Role.USER: 1, Role.ADMIN: 2}


class TokenScope(StrEnum):
    """What a token may be used for, within its owner's role."""

    READ = "read"  # every question
    WRITE = "write"  # every order about the crawl
    ADMIN = "admin"  # accounts, tokens, audit
    METRICS = "metrics"  # /metrics alone


class Proof(StrEnum):
    """How somebody has shown who they are."""

    NONE = "none"
    SESSION = "session"  # the cookie of a browser
    TOKEN = "token"
    JWT = "jwt"


@record
class Principal:
    """Who is asking."""

    name: str
    role: Role
    proof: Proof
    user_id: int | None = None  # None: nobody that the store knows
    scopes: frozenset[TokenScope] = frozenset(TokenScope)
    csrf_token: str | None = None  # of a session: what its unsafe requests must carry

    def may(self, role: Role, scope: TokenScope) -> bool:
        return self.role.allows(role) and (role is Role.ANONYMOUS or scope in self.scopes)


ANONYMOUS = Principal(name="anonymous", role=Role.ANONYMOUS, proof=Proof.NONE)
