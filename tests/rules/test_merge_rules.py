"""The example in docs/merge-rules.md does what the page says."""

import re
from pathlib import Path

from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tenax.policy.merging import DomainMergeRules, MergeRules
from tenax.policy.patterns import PatternBudget
from tenax.web.identity import url_key

PAGE = (Path(__file__).parents[2] / "docs" / "merge-rules.md").read_text()
ROWS = re.findall(r"^\| `(https:[^`]*)` \| (?:`([^`]*)`)? ?\| (.*?) ?\|$", PAGE, re.MULTILINE)


def load_rules() -> DomainMergeRules:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    settings = to_settings(definition, Settings())
    rules = MergeRules.build(settings.scope.merge_rules, PatternBudget()).of_domain("example.com")
    assert rules is not None
    return rules


def test_the_table_of_merge_rules_is_correct() -> None:
    rules = load_rules()
    assert len(ROWS) == 8
    for url, other, names in ROWS:
        class_key = rules.find_class(url, url_key(url))
        if other:
            assert class_key == rules.find_class(other, url_key(other))
            assert rules.name_rules(url, other) == names
        else:
            assert class_key == url_key(url)
