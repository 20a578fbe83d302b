"""Classes in memory: what stands for what, between two looks into the store."""

from tenax.config.crawl import MergeRule
from tenax.crawl.domains.merge_classes import MergeClasses
from tenax.policy.merging import MergeRules
from tenax.policy.patterns import PatternBudget
from tenax.record import replace
from tenax.records.urls import Target
from tenax.records.visits import Gone, Merged, Outcome, Skipped
from tenax.stores.contracts.merging import Representative
from tenax.web.identity import url_key
from tests.support.crawling import make_target
from tests.support.store import make_failed, make_visit

LIST = "http://a.test/list"
CLASS = url_key(LIST)


def build() -> MergeClasses:
    rule = MergeRule(name="sorting", ignore_parameters=("sort",))
    rules = MergeRules.build([rule], PatternBudget()).of_domain("a.test")
    assert rules is not None
    return MergeClasses(rules)


def target_of(classes: MergeClasses, order: str, id: int) -> Target:
    url = f"{LIST}?sort={order}"
    (target,) = classes.mark([replace(make_target(id=id), url=url, key=url_key(url))])
    assert target.class_key == CLASS
    return target


def end(classes: MergeClasses, target: Target, outcome: Outcome) -> None:
    classes.apply_outcome(make_visit(target, outcome, at=0.0))


def test_the_first_that_is_taken_stands_for_the_others() -> None:
    classes = build()
    first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
    assert classes.take(first) is None
    assert classes.take(second) == Merged(to_url=first.url, rule="sorting")
    assert classes.take(first) is None


def test_what_ends_well_or_is_tried_again_goes_on_standing() -> None:
    for outcome in (Skipped(status=200, content_type="text/css"), make_failed(retry_at=9.0)):
        classes = build()
        first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
        classes.take(first)
        end(classes, first, outcome)
        assert classes.take(second) is not None


def test_what_ends_badly_makes_room_for_the_next() -> None:
    classes = build()
    first, second, third = (target_of(classes, order, id) for id, order in enumerate("abc", 1))
    classes.take(first)
    end(classes, first, Gone(status=404))
    assert classes.take(second) is None
    end(classes, first, Gone(status=404))
    assert classes.take(third) == Merged(to_url=second.url, rule="sorting")


def test_what_the_store_knows_counts_unless_memory_knows_better() -> None:
    classes = build()
    first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
    known = {CLASS: Representative(key=1, url="http://a.test/old")}
    classes.learn(known, {CLASS}, ())
    assert classes.take(first) == Merged(to_url="http://a.test/old", rule="sorting")
    classes = build()
    classes.take(second)
    classes.learn(known, {CLASS}, {2})
    assert classes.take(first) == Merged(to_url=second.url, rule="sorting")


def test_an_answer_of_the_store_that_is_out_of_date_is_not_believed() -> None:
    classes = build()
    first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
    classes.take(first)
    classes.begin_lookup({1})
    end(classes, first, Gone(status=404))
    classes.learn({CLASS: Representative(key=first.key, url=first.url)}, {CLASS}, {1})
    assert classes.take(second) is None


def test_the_store_is_not_believed_before_a_failure_is_settled() -> None:
    classes = build()
    first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
    classes.take(first)
    end(classes, first, Gone(status=404))
    classes.begin_lookup({1})
    classes.learn({CLASS: Representative(key=first.key, url=first.url)}, {CLASS}, {1})
    classes.begin_lookup(())
    classes.learn({}, {CLASS}, ())
    assert classes.take(second) is None


def test_a_class_is_held_until_its_url_is_settled_and_no_longer() -> None:
    classes = build()
    first, second = target_of(classes, "a", 1), target_of(classes, "b", 2)
    classes.take(first)
    classes.learn({}, (), {1})
    assert classes.weight_bytes > 0
    assert classes.take(second) is not None
    classes.learn({}, (), ())
    assert classes.weight_bytes == 0


def test_an_address_of_another_domain_is_in_no_class_of_this_one() -> None:
    classes = build()
    first = target_of(classes, "a", 1)
    assert classes.is_one(first, LIST)
    assert not classes.is_one(first, "http://b.test/list")
    assert not classes.is_one(make_target(), LIST)
