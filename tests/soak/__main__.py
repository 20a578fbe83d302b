"""A service that crawls while many watch it.

    python -m tests.soak [--seconds 60]

Prints a table and writes docs/soak.md.
"""

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

from bench.document import format_text_table
from bench.machine import describe_machine
from tests.soak.measuring import ENVIRONMENT, POLITE_HOSTS, Bench, make_tokens
from tests.soak.report import HEADER, Figures, judge, list_rows, save
from tests.support.service import Service, set_up
from tests.support.web import TestWeb

DELAY_S = 1.0
FULL_HOSTS = 100
# More than there is time for.
POLITE_PAGES, FULL_PAGES = 1000, 5000


def measure(folder: Path, length_s: float) -> Figures:
    with contextlib.closing(Service(folder / "data")) as service:
        process = service.start(**ENVIRONMENT)
        with set_up(process) as admin:
            tokens = make_tokens(process, admin)
            bench = Bench(process=process, admin=admin, tokens=tokens, length_s=length_s)
            idle = bench.measure_idle()
            with TestWeb(hosts=POLITE_HOSTS, pages_per_host=POLITE_PAGES) as web:
                polite = bench.measure_crawl(web, DELAY_S)
            names = [f"fast{number}.test" for number in range(FULL_HOSTS)]
            with TestWeb(hosts=names, pages_per_host=FULL_PAGES) as web:
                full = bench.measure_crawl(web, 0.0)
    return Figures(idle=idle, polite=polite, full=full, length_s=length_s)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.soak", description="A service under load.")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each part")
    length_s = parser.parse_args().seconds
    machine = describe_machine()
    with tempfile.TemporaryDirectory(prefix="tenax-soak-") as folder:
        figures = measure(Path(folder), length_s)
    print(format_text_table(HEADER, list_rows(figures)))
    complaints = judge(figures)
    for complaint in complaints:
        print(complaint)
    save(figures, machine, complaints)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
