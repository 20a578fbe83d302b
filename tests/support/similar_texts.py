"""Texts of pages as crawls find them: originals, near-duplicates of them, and pages that only look alike.

A text is a line per block, like what tenax.extract.text reads: a menu, a title, paragraphs, a footer. Its
words come from a vocabulary of invented words whose frequencies fall as those of a language do.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

_SYLLABLES = {
    "latin": "ba be bi co da de di el en er es fa ga in is ka la le lo ma me mi na ne no on or pa pe ra re"
    " ri ro sa se si ta te ti to un ur va ve za tion ing ment str pro con",
    "cyrillic": "ба ве ви го да де до ел ен ер за ка ко ла ле ли ло ма ме ми на не ни но ов ос па пе по ра ре"
    " ри ро са се си ста те ти то ни ет пра кон",
    "han": "的 一 是 不 了 人 我 在 有 他 这 中 大 来 上 国 个 到 说 们 为 子 和 你 地 出 道 也 时 年 得"
    " 就 那 要 下 以 生 会 自 着 去 之 过 家 学 对 可 她 里 后 小 么 心 多 天 而 能 好 都 然 没 日 于 起 还",
}
_VOCABULARY_WORDS = 3000
SCRIPTS = tuple(_SYLLABLES)


@dataclass(frozen=True)
class Site:
    """What all pages of a site share."""

    random: Random
    words: list[str]
    weights: list[float]
    joint: str  # between words
    menu: tuple[str, ...]
    footer: tuple[str, ...]

    def phrase(self, count: int) -> str:
        return self.joint.join(self.random.choices(self.words, cum_weights=self.weights, k=count))

    def sentence(self) -> str:
        return f"{self.phrase(self.random.randint(8, 16)).capitalize()}."


@dataclass(frozen=True)
class Text:
    """A page: blocks between the menu and the footer of its site."""

    site: Site
    title: str
    blocks: tuple[str, ...]
    menu: tuple[str, ...]
    footer: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((*self.menu, self.title, *self.blocks, *self.footer))


def make_site(seed: int, script: str = "latin") -> Site:
    random = Random(seed)
    syllables = _SYLLABLES[script].split()
    longest = 2 if script == "han" else 4
    words = sorted(
        {"".join(random.choices(syllables, k=random.randint(1, longest))) for _ in range(_VOCABULARY_WORDS)}
    )
    random.shuffle(words)
    total, weights = 0.0, []
    for rank, _ in enumerate(words, 3):
        total += 1 / rank
        weights.append(total)
    site = Site(random, words, weights, "" if script == "han" else " ", (), ())
    menu = tuple(site.phrase(random.randint(1, 3)) for _ in range(12))
    footer = (site.phrase(25), site.phrase(12), "Copyright 2025 All rights reserved")
    return replace(site, menu=menu, footer=footer)


def make_article(site: Site, chars: int) -> Text:
    """An article whose text has about this many characters."""
    blocks: list[str] = []
    size = sum(len(line) + 1 for line in (*site.menu, *site.footer))
    while size < chars:
        block = " ".join(site.sentence() for _ in range(site.random.randint(2, 5)))
        blocks.append(block)
        size += len(block) + 1
    return Text(site, site.phrase(6), ("12 March 2025, 08:15", *blocks), site.menu, site.footer)


def make_product(site: Site, chars: int) -> Text:
    """A page of a shop: a name, a price, a description of its own, and what every product has."""
    own = make_article(site, chars // 2)
    random = Random(repr(site.menu))
    common = tuple(
        site.joint.join(random.choices(site.words, cum_weights=site.weights, k=14)) + "."
        for _ in range(max(1, chars // 250))
    )
    price = f"{site.random.randint(5, 900)}.99 EUR"
    return replace(own, blocks=(price, *own.blocks[1:], *common))


def make_listing(site: Site, chars: int) -> Text:
    """A list of articles: a title, a date and a teaser for each."""
    lines: list[str] = []
    while sum(map(len, lines)) < chars * 3 // 4:
        lines += [site.phrase(5), f"{site.random.randint(1, 28)} March 2025", site.phrase(18)]
    return Text(site, site.phrase(3), tuple(lines), site.menu, site.footer)


# --- near-duplicates ---------------------------------------------------------------------------------


def change_date(text: Text) -> Text:
    return replace(text, blocks=("27 November 2026, 21:40", *text.blocks[1:]))


def change_counter(text: Text) -> Text:
    seen = f"Views: {text.site.random.randint(1, 99999)}"
    return replace(text, footer=(*text.footer, seen))


def change_token(text: Text) -> Text:
    return replace(text, footer=(*text.footer, f"Session {text.site.random.getrandbits(128):032x}"))


def change_advertisement(text: Text) -> Text:
    return _insert(text, text.site.phrase(5))


def change_menu(text: Text) -> Text:
    return replace(text, menu=(*text.menu[:3], text.site.phrase(2), *text.menu[4:]))


def change_sentence(text: Text) -> Text:
    at = text.site.random.randrange(1, len(text.blocks)) if len(text.blocks) > 1 else 0
    sentences = text.blocks[at].split(". ")
    sentences[text.site.random.randrange(len(sentences))] = text.site.sentence()
    return replace(text, blocks=(*text.blocks[:at], ". ".join(sentences), *text.blocks[at + 1 :]))


def add_comment(text: Text) -> Text:
    return replace(text, blocks=(*text.blocks, f"{text.site.phrase(1)}, 3 days ago", text.site.sentence()))


def drop_menu(text: Text) -> Text:
    """The version for printing."""
    return replace(text, menu=text.menu[:1], footer=text.footer[-1:])


NEAR: dict[str, Callable[[Text], Text]] = {
    "date": change_date,
    "counter": change_counter,
    "token": change_token,
    "advertisement": change_advertisement,
    "menu item": change_menu,
    "sentence": change_sentence,
    "comment": add_comment,
    "printed": drop_menu,
}
DIFFERENT: dict[str, Callable[[Site, int], Text]] = {
    "article": make_article,
    "product": make_product,
    "listing": make_listing,
}


def _insert(text: Text, line: str) -> Text:
    at = text.site.random.randint(1, len(text.blocks))
    return replace(text, blocks=(*text.blocks[:at], line, *text.blocks[at:]))


def iter_near(seed: int, chars: int, script: str, count: int) -> Iterator[tuple[str, str, str]]:
    """Pairs of near-duplicates, each with the name of its change."""
    for number in range(count):
        site = make_site(seed * 1000 + number, script)
        original = make_article(site, chars)
        for name, change in NEAR.items():
            yield name, str(original), str(change(original))


def iter_different(seed: int, chars: int, script: str, count: int) -> Iterator[tuple[str, str, str]]:
    """Pairs of different pages of one site, each with the name of its kind."""
    for number in range(count):
        site = make_site(seed * 1000 + number, script)
        for name, make in DIFFERENT.items():
            yield name, str(make(site, chars)), str(make(site, chars))
