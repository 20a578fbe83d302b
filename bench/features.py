"""Measures what each optional stage of a crawl costs, alone and together, prints a table and writes its
section of docs/benchmarks.md.

    python -m bench.features [--quick] [--repeat N] [--loaded]
    python -m bench.features --guard | --record

Costs are relative to the plain crawl of the same run. --guard crawls a third of the webs and fails if a stage
has become more expensive than recorded.
"""

import argparse
import sys
from collections.abc import Sequence

from bench.document import format_markdown_table, format_text_table, save_section
from bench.machine import Machine, describe_machine
from bench.measure import Result, measure_all, prepare, serve_webs
from bench.paths import FEATURES
from bench.quiet import add_option, require_quiet
from bench.recorded import Recorded
from bench.stages import ALL, PARSERS, PLAIN, PLAIN_AGAIN, STAGES, Stage, make_crawler, start_servers
from bench.turns import take_turn
from bench.web import HEAVY, QUICK_HEAVY, QUICK_SMALL, SMALL, Web

RECORDED = Recorded(path=FEATURES, program="bench.features", title="stage ÷ plain", tolerance=0.1)
ROUNDS = 3
MEASURED = (PLAIN, PLAIN_AGAIN, *STAGES, ALL, *PARSERS)
GUARDED = (*STAGES, ALL, *PARSERS)


def measure_stages(webs: Sequence[Web], rounds: int) -> list[Result]:
    """One result per web and stage. Ends the program if a crawl fails: there is nothing to compare then."""
    with start_servers() as servers, serve_webs(webs) as nginx:
        crawlers = [make_crawler(stage, servers) for stage in MEASURED]
        prepare(crawlers[:1])
        results = measure_all(crawlers, webs, nginx, rounds)
    if problems := [
        f"{result.web}: {result.crawler}: {result.problem}" for result in results if result.problem
    ]:
        raise SystemExit(f"A crawl failed: {problems[0]}")
    return results


def list_ratios(results: Sequence[Result], stages: Sequence[Stage]) -> dict[str, float]:
    """The cost of each stage relative to the cheaper of the two plain crawls of its web: noise in this one
    would be in all ratios."""
    costs = _list_costs(results)
    ratios = {}
    for web in dict.fromkeys(result.web for result in results):
        plain = min(costs[web, PLAIN.name], costs[web, PLAIN_AGAIN.name])
        ratios.update({f"{web}: {stage.name}": costs[web, stage.name] / plain for stage in stages})
    return ratios


def _list_costs(results: Sequence[Result]) -> dict[tuple[str, str], float]:
    return {(result.web, result.crawler): result.cpu_ms_per_page for result in results}


def format_rows(results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """The header and a row per stage, with two columns per web."""
    webs = list(dict.fromkeys(result.web for result in results))
    costs, ratios = _list_costs(results), list_ratios(results, MEASURED)
    header = ["stage", *(text for web in webs for text in (f"{web}: CPU ms/page", "÷ plain"))]
    rows = []
    for stage in MEASURED:
        figures = [(costs[web, stage.name], ratios[f"{web}: {stage.name}"]) for web in webs]
        rows.append(
            [stage.name, *(text for cost, ratio in figures for text in (f"{cost:.3f}", f"{ratio:.2f}"))]
        )
    return header, rows


def format_section(results: Sequence[Result], machine: Machine, rounds: int) -> str:
    switches = "\n".join(f"- {stage.name}: {_format_switches(stage)}" for stage in (*STAGES, *PARSERS))
    return f"""## What features cost

{machine.describe()}

The CPU of a crawl by one worker with one optional stage at a time, and with all of them, relative to the
plain crawl of the same run, on the webs of the benchmark above; the cheapest of {rounds} runs of each. The
plain crawl is measured a second time to show the noise, and the cheaper one counts. Startup is included; the
CPU of Redis and of the collector of traces is not.

{format_markdown_table(*format_rows(results))}

{switches}"""


def _format_switches(stage: Stage) -> str:
    settings = [f"{name}={value}" for name, value in stage.environment.items()]
    return f"`{' '.join([*stage.arguments, *settings])}`"


def guard(*, is_recording: bool, rounds: int) -> int:
    found = list_ratios(measure_stages([QUICK_SMALL, QUICK_HEAVY], rounds), GUARDED)
    if is_recording:
        # Less than the plain crawl is noise, and would make the guard too strict.
        RECORDED.save({name: max(ratio, 1.0) for name, ratio in found.items()})
        return 0
    return RECORDED.judge(found)


def report(machine: Machine, *, is_quick: bool, rounds: int) -> int:
    results = measure_stages([QUICK_SMALL, QUICK_HEAVY] if is_quick else [SMALL, HEAVY], rounds)
    print(format_text_table(*format_rows(results)))
    if not is_quick:
        save_section("features", format_section(results, machine, rounds))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.features", description="Measure what optional stages cost.")
    parser.add_argument("--quick", action="store_true", help="a third of the pages; does not write the page")
    parser.add_argument("--guard", action="store_true", help="compare with the recorded costs")
    parser.add_argument(
        "--record", action="store_true", help="record this run as the reference for the guard"
    )
    parser.add_argument(
        "--repeat", type=int, default=ROUNDS, metavar="N", help="runs of each; the cheapest counts"
    )
    add_option(parser)
    arguments = parser.parse_args()
    with take_turn():
        machine = describe_machine()
        require_quiet(machine, is_load_allowed=arguments.loaded)
        if arguments.guard or arguments.record:
            return guard(is_recording=arguments.record, rounds=arguments.repeat)
        return report(machine, is_quick=arguments.quick, rounds=arguments.repeat)


if __name__ == "__main__":
    sys.exit(main())
