"""What roles and scopes allow."""

import pytest

from tenax.accounts.permissions import ANONYMOUS, Principal, Proof, Role, Scope
from tenax.accounts.tokens import GRANTABLE


def make(role: Role, *scopes: Scope) -> Principal:
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


@pytest.mark.parametrize("scope", Scope)
def test_a_token_is_held_to_its_scopes(scope: Scope) -> None:
    principal = make(Role.ADMIN, scope)
    assert {each for each in Scope if principal.may(Role.USER, each)} == {scope}


def test_a_scope_lifts_nobody_above_their_role() -> None:
    assert not make(Role.USER, *Scope).may(Role.ADMIN, Scope.ADMIN)


@pytest.mark.parametrize("scope", Scope)
def test_what_anybody_may_needs_no_scope(scope: Scope) -> None:
    assert make(Role.USER).may(Role.ANONYMOUS, scope)
    assert ANONYMOUS.may(Role.ANONYMOUS, scope)
    assert not ANONYMOUS.may(Role.USER, scope)


def test_every_role_has_its_grantable_scopes() -> None:
    assert GRANTABLE.keys() == set(Role)
    assert Scope.WRITE not in GRANTABLE[Role.USER]
    assert Scope.ADMIN not in GRANTABLE[Role.USER]
