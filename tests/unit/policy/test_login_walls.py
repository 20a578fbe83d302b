"""Login walls are distinguished from pages that merely have something to do with a login."""

import pytest

from tenax.policy.login_walls import LoginSign, find_login_sign, is_login
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Failed, Fetched, Gone, Outcome, Redirected, Refused, Skipped, Unchanged
from tests.support.store import make_fetched

PAGE = "https://a.test/articles/7"


def form() -> Fetched:
    return make_fetched("Please log in", is_login_form=True)


def failed(status: int) -> Failed:
    return Failed(kind=FailureKind.FORBIDDEN, detail="no", status=status, retry_at=None)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/login",
        "https://a.test/login/?next=/articles/7",
        "https://a.test/Account/LogIn.aspx",
        "https://a.test/users/sign_in",
        "https://a.test/wp-login.php?redirect_to=x",
        "https://a.test/auth/signin",
        "https://a.test/session/new",
        "https://login.provider.test/anything",
        "https://accounts.a.test/",
    ],
)
def test_a_place_to_log_in_is_known_by_its_url(url: str) -> None:
    assert is_login(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/",
        "https://a.test/blog/login-tips",
        "https://a.test/articles?from=/login",
        "https://a.test/lessons/signing",
        "https://blogin.test/",
        "https://a.test/association",
    ],
)
def test_other_urls_are_no_places_to_log_in(url: str) -> None:
    assert not is_login(url)


@pytest.mark.parametrize(
    "outcome",
    [
        failed(401),
        Redirected(status=302, to_url="https://a.test/login?next=/articles/7"),
        Redirected(status=302, to_url="https://login.provider.test/?client=a"),
        form(),
    ],
)
def test_a_login_instead_of_the_page_is_a_wall(outcome: Outcome) -> None:
    assert find_login_sign(PAGE, outcome) is LoginSign.WALL


@pytest.mark.parametrize("outcome", [make_fetched(), Unchanged(), Skipped(status=200, content_type="a/b")])
def test_whatever_is_given_is_good(outcome: Outcome) -> None:
    assert find_login_sign(PAGE, outcome) is LoginSign.GOOD


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("https://a.test/login", form()),  # the login page itself, linked from everywhere
        ("https://a.test/login", Redirected(status=302, to_url="https://a.test/signin")),
        (PAGE, Redirected(status=301, to_url="https://a.test/articles/7/")),
        (PAGE, Gone(status=404)),
        (PAGE, failed(403)),
        (PAGE, failed(500)),
        (PAGE, Refused(reason=RefusalReason.ROBOTS, detail="")),
    ],
)
def test_outcomes_without_a_login_sign(url: str, outcome: Outcome) -> None:
    assert find_login_sign(url, outcome) is LoginSign.NOTHING
