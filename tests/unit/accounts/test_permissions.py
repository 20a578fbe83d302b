"""What roles and scopes allow."""

import pytest

from tenax.accounts.permissions import ANONYMOUS, Principal, Proof, Role, TokenScope
from tenax.accounts.tokens import GRANTABLE


def make(role: Role, *scopes: TokenScope) -> Principal:
    return Principal(name="x", role=role, proof=Proof.TOKEN, scopes=frozenset(scopes))


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.ANONYMOUS, {Role.ANONYMOUS}),
        (Role.USER, {Role.ANONYMOUS, Role.USER}),
        (Role.ADMIN, {Role.ANONYMOUS, Role.USER, Role.ADMIN}),
    ],
)
def test_a_role_allows_what_the_lower_ones_allow(role: Role, allowed: set[Role]) -> None:
    assert {needed for needed in Role if role.allows(needed)} == allowed


@pytest.mark.parametrize("scope", TokenScope)
def test_a_token_is_held_to_its_scopes(scope: TokenScope) -> None:
    principal = make(Role.ADMIN, scope)
    assert {each for each in TokenScope if principal.may(Role.USER, each)} == {scope}


def test_a_scope_grants_no_more_than_the_role() -> None:
    assert not make(Role.USER, *TokenScope).may(Role.ADMIN, TokenScope.ADMIN)


@pytest.mark.parametrize("scope", TokenScope)
def test_public_routes_need_no_scope(scope: TokenScope) -> None:
    assert make(Role.USER).may(Role.ANONYMOUS, scope)
    assert ANONYMOUS.may(Role.ANONYMOUS, scope)
    assert not ANONYMOUS.may(Role.USER, scope)


def test_every_role_has_its_grantable_scopes() -> None:
    assert GRANTABLE.keys() == set(Role)
    assert TokenScope.WRITE not in GRANTABLE[Role.USER]
    assert TokenScope.ADMIN not in GRANTABLE[Role.USER]
