"""A domain that moves from one source or crawl to another: what callers see of it."""

from tenax.record import record


@record
class DomainOwner:
    """A source or crawl, for people."""

    name: str
    is_source: bool

    def __str__(self) -> str:
        return f"{'source' if self.is_source else 'crawl'} {self.name}"


@record
class DomainSharing:
    """What a source has to do with others."""

    has_aside: bool  # urls wait for it on domains that others have
    is_mixed: bool  # others have crawled domains of it, too: not all that is stored was asked for by it


@record
class TakenDomain:
    """A domain that belonged to somebody else until now."""

    domain: str
    owner: str  # "crawl https://example.com/"
    urls: int  # that wait there, and are set aside


@record
class TakeoverResult:
    """What became of the domains that a source or crawl wants."""

    taken: tuple[TakenDomain, ...] = ()
    returned: int = 0  # urls that had been set aside, and are due again
