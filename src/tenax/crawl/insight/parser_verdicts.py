"""What the store doctor says about parsers: those that fail, those that make no item, and invalid items."""

from typing import Final

from tenax.crawl.insight.verdicts import Verdict, VerdictCode
from tenax.policy.quality.parser_results import describe_barren, sum_counts
from tenax.stores.queries.doctor import DoctorFacts
from tenax.stores.queries.runs import RunSummary
from tenax.wording import as_sentence, count_of

# While a crawl is active, the pages with items may be yet to come.
LEAST_BARREN: Final = 50


def judge_parsers(facts: DoctorFacts, least_pages: int = 1) -> Verdict | None:
    """`least_pages`: fewer without an item say nothing yet. None: the parsers do what they are for."""
    failing = facts.parser
    if failing is not None:
        return Verdict(
            code=VerdictCode.PARSER,
            sentence=f"The parser {failing.parser} failed on {failing.errors:,} of {failing.pages:,} pages in"
            " the last day.",
            since=None,
            advice=f"'tenax errors --groups --parser {failing.parser}' says why. The pages are stored; a new"
            " version of the parser sees them again.",
        )
    seen = {name: counts for name, counts in facts.parsers.items() if counts.pages >= least_pages}
    barren = "; ".join(describe_barren(seen))
    if not barren:
        return None
    return Verdict(
        code=VerdictCode.PARSER,
        sentence=f"{barren[0].upper()}{barren[1:]} in the last day.",
        since=None,
        advice="'tenax parse URL' shows what a parser finds on a page. Visit the pages again after an edit.",
    )


def judge_done(facts: DoctorFacts, run: RunSummary) -> Verdict:
    total = sum_counts(facts.parsers)
    wrong = {"invalid item": total.invalid, "parser error": total.errors}
    said = " and ".join(count_of(number, what) for what, number in wrong.items() if number)
    commands = {"'tenax items invalid'": total.invalid, "'tenax errors'": total.errors}
    lists = " and ".join(command for command, number in commands.items() if number)
    done = f"Run {run.id} is over, and every known url is done"
    todo = "Add seeds, or refresh the pages that are due."
    return Verdict(
        code=VerdictCode.DONE,
        sentence=as_sentence(f"{done}, with {said} in the last day" if said else done),
        since=run.ended_at,
        advice=f"See {lists}. {todo}" if lists else todo,
    )
