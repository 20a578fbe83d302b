"""Anchor texts of links to the next page of a list, in many languages, and page numbers.

They are looked up as they are, since most links of a page are none of them: one look-up in a set costs 40 ns,
folding the case of the anchor first twice as much.
"""

from collections.abc import Iterator
from functools import cache

_WORDS = (
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "older articles",
    "more",
    "more posts",
    "load more",
    "show more",
    "view more",
    "weiter",
    "nächste",
    "nächste seite",
    "ältere beiträge",
    "ältere artikel",
    "mehr",
    "mehr laden",
    "vor",
    "suivant",
    "suivante",
    "page suivante",
    "plus ancien",
    "articles plus anciens",
    "siguiente",
    "página siguiente",
    "siguientes",
    "entradas antiguas",
    "más",
    "próxima",
    "próximo",
    "próxima página",
    "seguinte",
    "posts anteriores",
    "successiva",
    "successivo",
    "avanti",
    "pagina successiva",
    "articoli meno recenti",
    "volgende",
    "volgende pagina",
    "oudere berichten",
    "następna",
    "następne",
    "dalej",
    "starsze wpisy",
    "další",
    "následující",
    "ďalšia",
    "następna strona",
    "nästa",
    "nästa sida",
    "äldre inlägg",
    "neste",
    "næste",
    "næste side",
    "seuraava",
    "seuraava sivu",
    "következő",
    "tovább",
    "următor",
    "următoarea",
    "pagina următoare",
    "sljedeća",
    "naslednja",
    "sonraki",
    "sonraki sayfa",
    "ileri",
    "tiếp",
    "trang sau",
    "berikutnya",
    "selanjutnya",
    "следующая",
    "следующая страница",
    "вперёд",
    "вперед",
    "далее",
    "ещё",
    "наступна",
    "следваща",
    "επόμενη",
    "επόμενο",
    "επόμενη σελίδα",
    "下一页",
    "下一頁",
    "下一頁",
    "下页",
    "后页",
    "次へ",
    "次のページ",
    "次",
    "もっと見る",
    "다음",
    "다음 페이지",
    "التالي",
    "التالية",
    "الصفحة التالية",
    "הבא",
    "הבאה",
    "अगला",
    "ถัดไป",
    "بعدی",
)
_ARROWS = ("»", "›", ">", ">>", "→", "❯", "⟩", "▶", "►", "≫", "&raquo;", "&gt;", "...", "…")
_BEFORE = ("«", "‹", "←", "<", "<<")
GREATEST = 999  # page number that is recognized by its anchor


def _list_forms() -> Iterator[str]:
    for word in _WORDS:
        for form in {word, word.capitalize(), word.upper(), word.title()}:
            yield form
            for arrow in (*_ARROWS, *_BEFORE):
                yield f"{form} {arrow}"
                yield f"{form}{arrow}"
            for arrow in _BEFORE:
                yield f"{arrow} {form}"
    yield from _ARROWS


NUMBERS = {str(number): number for number in range(GREATEST + 1)}


@cache
def list_next_words() -> frozenset[str]:
    """Made on first use: there are thousands."""
    return frozenset(_list_forms())


@cache
def list_marks() -> frozenset[str]:
    """What a link to another page of a list may say. An icon has no text."""
    return list_next_words().union(NUMBERS, [""])
