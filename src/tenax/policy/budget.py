"""How many pages may still be fetched."""


def pages_left(*, run_pages: int, run_limit: int | None, domain_pages: int, domain_limit: int) -> int:
    """How many more pages of a domain may be started now; never negative.

    Pages under way count as pages, in the run and in the domain: each may become one.
    """
    left = domain_limit - domain_pages
    if run_limit is not None:
        left = min(left, run_limit - run_pages)
    return max(left, 0)
