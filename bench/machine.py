"""The machine that the figures were measured on."""

import os
import platform
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

STAT = Path("/proc/stat")
# The load average lags by a minute and may come from work that has just ended, so it only decides how long to
# watch the machine.
QUIET_LOAD = 0.5
WATCHED_S, WATCHED_UNDER_LOAD_S = 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    cores: int
    processor: str
    system: str
    python: str
    date: str
    load: float  # average of the minute before
    busy_cores: float  # used by others just before the start, in the busiest second

    def describe(self) -> str:
        return (
            f"Measured on {self.date} with {self.cores} cores of {self.processor}, {self.system}, "
            f"Python {self.python}; before the start, the load was {self.load:.1f} and other processes used "
            f"{self.busy_cores:.2f} cores."
        )


def describe_machine() -> Machine:
    """Takes seconds, in which this process uses nothing."""
    load = os.getloadavg()[0]
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=_processor(),
        system=f"{platform.system()} {platform.release().split('-')[0]}",
        python=platform.python_version(),
        date=datetime.now(UTC).date().isoformat(),
        load=load,
        busy_cores=watch_cores(WATCHED_S if load <= QUIET_LOAD else WATCHED_UNDER_LOAD_S),
    )


def watch_cores(seconds: int) -> float:
    """The cores that are used in the busiest of the next seconds."""
    looks = [STAT.read_text()]
    for _ in range(seconds):
        time.sleep(1)
        looks.append(STAT.read_text())
    return max(count_busy_cores(*pair) for pair in pairwise(looks))


def count_busy_cores(before: str, after: str) -> float:
    """The cores that were used between two looks at /proc/stat, including what was stolen by other virtual
    machines: it is missing here as well."""
    cores = len(re.findall(r"^cpu\d+ ", after, re.MULTILINE))
    spent = [late - early for early, late in zip(_read_ticks(before), _read_ticks(after), strict=True)]
    idle, waiting_for_disk = spent[3:5]
    return cores * (1 - (idle + waiting_for_disk) / sum(spent))


def _read_ticks(stat: str) -> list[int]:
    """Of all cores: user, nice, system, idle, iowait, irq, softirq, steal. The rest is part of user."""
    return [int(ticks) for ticks in stat.splitlines()[0].split()[1:9]]


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()
