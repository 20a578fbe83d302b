"""The machine that the figures were measured on."""

import os
import platform
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    cores: int
    processor: str
    system: str
    python: str
    date: str
    load: float  # average of the minute before: other activity on the machine

    def describe(self) -> str:
        return (
            f"Measured on {self.date} with {self.cores} cores of {self.processor}, {self.system}, "
            f"Python {self.python}; load before the start {self.load:.1f}."
        )


def describe_machine() -> Machine:
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=_processor(),
        system=f"{platform.system()} {platform.release().split('-')[0]}",
        python=platform.python_version(),
        date=datetime.now(UTC).date().isoformat(),
        load=os.getloadavg()[0],
    )


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()
