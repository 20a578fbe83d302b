"""Keeps benchmarks away from a machine that works for others: their work would be in the figures."""

import argparse

from bench.machine import Machine

MOST_BUSY_CORES = 0.25  # what an idle desktop uses stays below


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--loaded", action="store_true", help="measure although the machine is busy")


def require_quiet(machine: Machine, *, is_load_allowed: bool) -> None:
    """End the program if other processes use the machine."""
    if machine.busy_cores > MOST_BUSY_CORES and not is_load_allowed:
        raise SystemExit(
            f"Other processes use {machine.busy_cores:.2f} of {machine.cores} cores, which would distort the "
            "figures; wait for them to end, or measure anyway with --loaded."
        )
