"""The guard of a domain: judges pages, holds urls back, and remembers a bounded amount."""

from itertools import count

from tenax.config.crawl import TrapSettings
from tenax.crawl.domains.trap_guard import MOST_CLUSTERS, PageFacts, TrapGuard
from tenax.records.traps import Trap, TrapRule, TrapState
from tenax.records.urls import NewUrl, Priority
from tenax.web.identity import url_key

A = "https://a.example"
SETTINGS = TrapSettings(window=10, budget=20)
HASHES = count(1)


def new_guard(*traps: Trap) -> TrapGuard:
    return TrapGuard(traps, SETTINGS)


def link(path: str) -> NewUrl:
    url = A + path
    return NewUrl(url=url, key=url_key(url), domain="a.example", depth=1, priority=Priority.MEDIUM)


def page(
    path: str, text: str = "Nothing here.", *links: str, images: bool = False, copy_of: int | None = None
) -> PageFacts:
    return PageFacts(
        url=A + path,
        text=text,
        text_chars=1000 if copy_of is not None else len(text),
        content_hash=next(HASHES) if copy_of is None else copy_of,
        discovered=[link(each) for each in links],
        has_new_images=images,
    )


def prose(number: int) -> str:
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return f"A line about {letters * 40}\nNothing here."


def state_of(guard: TrapGuard, path: str) -> TrapState | None:
    held = guard.find_hold(A + path)
    return None if held is None else held.state


def test_pages_that_differ_in_numbers_only_slow_their_cluster() -> None:
    guard = new_guard()
    for number in range(11):
        guard.note_page(page(f"/cal/{number}", f"Month {number}\nNo events.", f"/cal/{number + 1}"))
    assert state_of(guard, "/cal/77") is TrapState.SLOWED
    assert state_of(guard, "/about") is None


def test_pages_with_text_of_their_own_keep_it_open() -> None:
    guard = new_guard()
    for number in range(50):
        guard.note_page(page(f"/p/{number}", prose(number), f"/p/{number + 1}"))
    assert not guard.is_holding


def test_pages_with_new_images_keep_it_open() -> None:
    guard = new_guard()
    for number in range(50):
        guard.note_page(page(f"/p/{number}", images=True))
    assert not guard.is_holding


def test_pages_that_lead_elsewhere_keep_it_open() -> None:
    guard = new_guard()
    for number in range(50):
        guard.note_page(page(f"/list/{number}", "List", f"/item/{number}"))
    assert not guard.is_holding


def test_pages_that_lead_only_to_a_slowed_cluster_bring_nothing() -> None:
    guard = new_guard(Trap(shape="/item/{n}", state=TrapState.SLOWED))
    for number in range(11):
        guard.note_page(page(f"/list/{number}", "List", f"/item/{number}"))
    assert state_of(guard, "/list/77") is TrapState.SLOWED


def test_copies_bring_nothing_wherever_they_lead() -> None:
    guard = new_guard()
    for number in range(11):
        guard.note_page(page(f"/s/{number}", prose(number), f"/other/{number}", copy_of=-1))
    held = guard.find_hold(A + "/s/1")
    assert held is not None
    assert held.rule is TrapRule.SAME_CONTENT


def test_an_endless_cluster_is_closed_in_the_end() -> None:
    guard = new_guard()
    for number in range(31):
        guard.note_page(page(f"/cal/{number}", "No events.", f"/cal/{number + 1}"))
    assert state_of(guard, "/cal/77") is TrapState.CLOSED


def test_only_suspects_are_stored_and_each_change_once() -> None:
    guard = new_guard()
    for number in range(20):
        guard.note_page(page(f"/p/{number}", prose(number)))
    assert guard.take_changed() == ()
    for number in range(11):
        guard.note_page(page(f"/cal/{number}", "No events.", f"/cal/{number + 1}"))
    assert [trap.shape for trap in guard.take_changed()] == ["/cal/{n}"]
    assert guard.take_changed() == ()


def test_what_is_loaded_holds_at_once() -> None:
    guard = new_guard(Trap(shape="/cal/{n}", state=TrapState.CLOSED))
    assert guard.is_holding
    assert state_of(guard, "/cal/5") is TrapState.CLOSED


def test_a_users_decision_replaces_what_is_known() -> None:
    guard = new_guard(Trap(shape="/cal/{n}", state=TrapState.CLOSED))
    opened = Trap(shape="/cal/{n}", state=TrapState.OPEN, decided_by="anna")
    assert not guard.apply_decision(opened)
    assert not guard.is_holding
    for number in range(40):
        guard.note_page(page(f"/cal/{number}", "No events.", f"/cal/{number + 1}"))
    assert not guard.is_holding


def test_undoing_a_learned_rule_is_noticed_once() -> None:
    guard = new_guard(Trap(shape="/item?tok=*", state=TrapState.MERGED))
    assert guard.list_merged() == ["/item?tok=*"]
    opened = Trap(shape="/item?tok=*", state=TrapState.OPEN, decided_by="anna")
    assert guard.apply_decision(opened)
    assert not guard.apply_decision(opened)
    assert guard.list_merged() == []


def test_a_learned_rule_is_stored_and_not_learned_again_once_undone() -> None:
    guard = new_guard()
    undone = new_guard(Trap(shape="/item?tok=*", state=TrapState.OPEN, decided_by="anna"))
    for item in range(3):
        for token in "abcd":
            for each in (guard, undone):
                each.note_page(page(f"/item/{item}?tok={token}", copy_of=item))
    assert guard.has_learned
    assert guard.list_merged() == ["/item?tok=*"]
    assert "/item?tok=*" in {trap.shape for trap in guard.take_changed()}
    assert not undone.has_learned


def test_the_number_of_clusters_is_bounded_and_held_ones_stay() -> None:
    guard = new_guard(Trap(shape="/cal/{n}", state=TrapState.CLOSED))
    for number in range(3 * MOST_CLUSTERS):
        guard.note_page(page(f"/dir{number}x/{number}", prose(number)))
    assert guard.weight_bytes < 1_000_000
    assert guard.is_holding
    assert state_of(guard, "/cal/5") is TrapState.CLOSED
