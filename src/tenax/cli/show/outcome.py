"""How the start and the result of a crawl are shown: as text, as JSON and as an exit code."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tenax.cli.options import command_name
from tenax.cli.show.found_items import list_commands, list_counts, name_commands
from tenax.cli.show.render import as_json, format_bytes, format_duration, format_moment
from tenax.clock import format_instant
from tenax.config.settings import Settings
from tenax.crawl.insight.explain import Explanation
from tenax.crawl.tally import UNCHANGED, WorkerTally
from tenax.exits import Exit
from tenax.policy.quality.parser_results import describe_barren, describe_outdated
from tenax.records.pages import ChangeKind
from tenax.records.runs import RunState
from tenax.records.urls import Fate, RefusalReason
from tenax.stores.contracts.crawls import name_crawl
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.overview import TroubledDomain
from tenax.visible import clean
from tenax.wording import count_of
from tenax.workers.child import WorkerTask
from tenax.workers.session import CrawlResult

_TRY_AGAIN = "run the same command to try again"
_ENDINGS = {
    RunState.DONE: "Done",
    RunState.BUDGET: "Page limit reached",
    RunState.STOPPED: "Stopped",
    RunState.PAUSED: "Paused from elsewhere",
    RunState.FAILED: "Failed",
}


def format_start(task: WorkerTask) -> str:
    delay_s = task.settings.politeness.delay_s
    pace = f"one request per domain every {delay_s:g} s" if delay_s else "no pause between requests"
    return f"{_format_task(task)}, {pace}. Press Ctrl-C to stop."


def _format_task(task: WorkerTask) -> str:
    if task.is_refresh:
        return f"Refreshing the crawl {clean(task.name)} in {task.place}"
    seeds = task.seeds
    if not seeds:
        return f"Resuming the crawl {clean(task.name)} in {task.place}"
    named = clean(seeds[0]) if len(seeds) == 1 else count_of(len(seeds), "seed")
    # A crawl named after its first seed needs no other name here.
    of_crawl = "" if task.name == name_crawl(seeds[0]) else f" for the crawl {clean(task.name)}"
    return f"Crawling {named}{of_crawl} into {task.place}"


def choose_exit(result: CrawlResult) -> Exit:
    state = result.ended.state
    if state is RunState.FAILED:
        return Exit.ERROR
    if state in (RunState.STOPPED, RunState.PAUSED):
        return Exit.STOPPED
    if result.fetched_nothing:
        return Exit.NOTHING
    # A page limit for this run was requested, and it is used up.
    is_early = state is not RunState.BUDGET and result.summary.leftover.is_unfinished
    return Exit.STOPPED if is_early else Exit.DONE


def build_json(result: CrawlResult, task: WorkerTask) -> dict[str, Any]:
    tally, summary = result.tally, result.summary
    return {
        "run": result.ended.run.id,
        "crawl": task.name,
        "state": result.ended.state,
        "is_resumed": result.ended.run.is_resumed,
        "data": str(task.place),
        "pages": tally.pages,
        "items": tally.items,
        "invalid_items": tally.invalid_items,
        "parser_errors": tally.parser_errors,
        "parsers": {name: as_json(asdict(counts)) for name, counts in sorted(tally.parsers.items())},
        "requests": tally.requests,
        "bytes": tally.wire_bytes,
        "outcomes": dict(tally.outcomes),
        "changes": dict(tally.changes),
        "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        "fates": summary.fates,
        "pages_stored": summary.pages,
        "queued": summary.leftover.urls,
        "leftover": as_json(asdict(summary.leftover)),
        "waiting": [
            {
                "domain": each.domain,
                "queued": each.queued,
                "reason": each.reason,
                "until": format_instant(each.until),
            }
            for each in summary.troubled
        ],
        "duration_s": round(result.duration_s, 3),
        "cpu_s": round(result.cpu_s, 3),
        "workers": len(result.peak_rss_bytes),
        "peak_rss_bytes": max(result.peak_rss_bytes, default=0),
        "peak_rss_sum_bytes": sum(result.peak_rss_bytes),
    }


def format_report(
    result: CrawlResult,
    task: WorkerTask,
    trouble: Explanation | None = None,
    outdated: Sequence[str] = (),
) -> str:
    """`trouble`: why nothing was fetched, if known. `outdated`: parsers that the stored pages were not
    visited with."""
    tally, summary = result.tally, result.summary
    counts = [
        count_of(tally.pages, "page"),
        *list_counts(*_count_found(tally)),
        count_of(tally.requests, "request"),
        format_bytes(tally.wire_bytes),
    ]
    lines = [f"{_choose_ending(result)} after {format_duration(result.duration_s)}: {', '.join(counts)}."]
    if task.is_refresh:
        lines.append(f"  found    {_format_changes(tally)}")
    fates = "   ".join(f"{fate} {count:,}" for fate, count in summary.fates.items())
    lines.append(f"  urls     {fates or 'none'}")
    lines.append(f"  stored   {count_of(summary.pages, 'page')} in {task.place}")
    lines += [f"  items    {clean(clause)}" for clause in describe_barren(tally.parsers)]
    if outdated:
        lines.append(
            f"  items    {clean(describe_outdated(outdated))}; {_name_recrawl(task)} visits them again"
        )
    if trouble is not None:
        lines.append(f"  reason   {clean(f'{trouble.url}: {trouble.because}')}")
    if result.ended.state is RunState.DONE:
        lines += [f"  left     {sentence}" for sentence in describe_leftover(summary.leftover, task.settings)]
    advice = _choose_advice(result, task, trouble)
    # A domain that a crawl starts with is asked again at once.
    starts = {seed.split("/")[2] for seed in task.seeds if advice.startswith(_TRY_AGAIN)}
    lines += [f"  waiting  {_format_troubled(troubled, starts)}" for troubled in summary.troubled]
    lines.append(f"  next     {advice}")
    return "\n".join(lines)


def _name_recrawl(task: WorkerTask) -> str:
    return "'tenax crawl --recrawl all'" if task.is_refresh else "the same command with --recrawl all"


def _choose_ending(result: CrawlResult) -> str:
    is_done = result.ended.state is RunState.DONE
    if is_done and result.fetched_nothing:
        return "Nothing could be fetched"
    if is_done and result.summary.leftover.urls and result.ended.is_run_over:
        return "Ended with work left"
    return _ENDINGS[result.ended.state]


def describe_leftover(left: Leftover, settings: Settings) -> Iterator[str]:
    """What a run that has ended by itself could have fetched, and did not. What sites hold back is listed
    domain by domain."""
    if left.capped:
        yield (
            f"{count_of(left.capped, 'url')} for the next run: a run fetches at most"
            f" {settings.limits.pages_per_domain:,} pages per domain (--pages-per-domain; 0: no limit),"
            " unless a rule of the domain says otherwise"
        )
    if left.later and left.next_at is not None:
        wait_s, name = settings.politeness.retry_wait
        yield (
            f"{count_of(left.later, 'url')} to {_name_later(settings)}, the first at"
            f" {format_moment(left.next_at)}: a run does"
            f" not wait that long ({wait_s:g} s, politeness.{name})"
        )
    if left.held:
        yield f"{count_of(left.held, 'url')} in domains that other processes are crawling"
    if left.aside:
        yield f"{count_of(left.aside, 'url')} in domains that other crawls hold at the moment"
    if left.due:
        yield f"{count_of(left.due, 'url')} found just as the run ended"


def _name_later(settings: Settings) -> str:
    """New urls may wait as well, if their number per second is limited."""
    return "fetch or retry" if settings.limits.new_urls_per_s else "retry"


def _format_troubled(troubled: TroubledDomain, starts: Collection[str]) -> str:
    until = f"paused until {format_moment(troubled.until)}" if troubled.until else "the next run continues"
    if troubled.until and troubled.domain in starts:
        until += ", or until a crawl starts with it"
    if troubled.is_inactive:
        until = f"{command_name()} domains set {clean(troubled.domain)} --active resumes it"
    elif troubled.is_for_good:
        until = f"{command_name()} domains unblock {clean(troubled.domain)} unblocks it"
    urls = count_of(troubled.queued, "url")
    return f"{urls} of {clean(troubled.domain)}: {clean(troubled.reason)}; {until}"


def _format_changes(tally: WorkerTally) -> str:
    if not tally.outcomes:
        return "nothing was due; 'tenax status' shows when the first page will be"
    return ", ".join(f"{tally.changes[name]:,} {name}" for name in (*ChangeKind, UNCHANGED))


def _advise_after_nothing(trouble: Explanation | None, task: WorkerTask) -> str:
    """What a rule forbids or rejects now, it will the next time too."""
    if trouble is None or trouble.fate not in (Fate.REFUSED, Fate.REJECTED):
        return f"{_TRY_AGAIN}{_advise_scheme(trouble)}"
    if trouble.reason == RefusalReason.PRIVATE_ADDRESS:
        return "run the same command with --allow-private if the address is yours"
    return f"{command_name()} explain {clean(trouble.url)} {task.place.option}"


def _advise_scheme(trouble: Explanation | None) -> str:
    """Servers on ports of their own often have no TLS, and an address without a scheme is taken for https."""
    scheme, _, rest = trouble.url.partition("://") if trouble is not None else ("", "", "")
    has_port = ":" in rest.partition("/")[0]
    return (
        f", or write http://{clean(rest)} if the server has no TLS" if scheme == "https" and has_port else ""
    )


def _choose_advice(result: CrawlResult, task: WorkerTask, trouble: Explanation | None) -> str:
    if result.ended.state is RunState.PAUSED:
        run_id, option = result.ended.run.id, task.place.option
        return f"{command_name()} runs resume {run_id} {option}, or run the same command to continue"
    if not result.ended.is_run_over:
        return "other processes continue this crawl"
    if result.fetched_nothing:
        return _advise_after_nothing(trouble, task)
    found = list_commands(*_count_found(result.tally))
    option = task.place.option
    if result.summary.leftover.urls:
        lists = [name_commands(found, option)] if found else []
        return "; ".join(["run the same command to continue", *lists])
    if task.is_refresh:
        return name_commands(["changes", *found], option)
    exported = "export items" if result.tally.items else "export pages"
    return name_commands(["status", *found, "explain URL", "domains", exported], option)


def _count_found(tally: WorkerTally) -> tuple[int, int, int]:
    return tally.items, tally.invalid_items, tally.parser_errors
