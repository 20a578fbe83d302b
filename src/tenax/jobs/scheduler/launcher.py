"""What the scheduler asks of those who open runs."""

from typing import Protocol

from tenax.job_records import Execution, Job
from tenax.stores.contracts.runs import Run


class Launcher(Protocol):
    async def launch(self, job: Job, execution: Execution) -> Run:
        """Open the run of an execution, or find the one that it has: repeating is safe, also by another
        process after the first one died at any point. The source is read as it is now.
        DomainsBusy: another run crawls what it would crawl; nothing was begun, and later it may work.
        ConfigError: the source is gone, disabled, or cannot be crawled as it is defined."""
        ...
