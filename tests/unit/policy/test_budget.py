"""The page budget of a domain within its run."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.policy.budget import pages_left

counts = st.integers(min_value=0, max_value=10_000)


def test_without_a_run_limit_the_domain_decides() -> None:
    assert pages_left(run_pages=900, run_limit=None, domain_pages=40, domain_limit=100) == 60


def test_the_smaller_rest_decides() -> None:
    assert pages_left(run_pages=95, run_limit=100, domain_pages=40, domain_limit=100) == 5
    assert pages_left(run_pages=50, run_limit=100, domain_pages=99, domain_limit=100) == 1


@given(counts, st.none() | counts, counts, counts)
def test_what_is_left_is_never_negative_and_never_passes_a_limit(
    run_pages: int, run_limit: int | None, domain_pages: int, domain_limit: int
) -> None:
    left = pages_left(
        run_pages=run_pages,
        run_limit=run_limit,
        domain_pages=domain_pages,
        domain_limit=domain_limit,
    )
    assert left >= 0
    assert left == 0 or domain_pages + left <= domain_limit
    assert left == 0 or run_limit is None or run_pages + left <= run_limit
