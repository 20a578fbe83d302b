"""How a crawl shows its progress: the contract that the command line implements."""

from typing import Protocol

from tenax.crawl.insight.progress import Progress


class ProgressView(Protocol):
    def show(self, progress: Progress) -> None:
        """Show the latest numbers in place of the ones before."""
        ...

    def notify(self, message: str) -> None:
        """Show a line that stays."""
        ...

    def close(self) -> None: ...


class QuietView:
    """For --quiet, and for processes without a terminal."""

    def show(self, progress: Progress) -> None:
        pass

    def notify(self, message: str) -> None:
        pass

    def close(self) -> None:
        pass
