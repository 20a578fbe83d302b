"""A domain that moves from one source or crawl to another: what callers see of it."""

from tenax.record import record


@record
class DomainOwner:
    """The source or crawl that owns a domain, for display."""

    name: str
    is_source: bool

    def __str__(self) -> str:
        return f"{'source' if self.is_source else 'crawl'} {self.name}"


@record
class DomainSharing:
    """What a source shares with others."""

    has_aside: bool  # urls wait for it on domains that others own
    is_mixed: bool  # others have crawled its domains, too: not everything that is stored was found by it


@record
class TakenDomain:
    """A domain that another source or crawl owned until now."""

    domain: str
    owner: str  # "crawl https://example.com/"
    urls: int  # that wait there, and are set aside


@record
class TakeoverResult:
    """The result of taking domains."""

    taken: tuple[TakenDomain, ...] = ()
    returned: int = 0  # urls that were set aside and are due again
