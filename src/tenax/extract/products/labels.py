"""What a page tells people in the form "label: value": article numbers, brands, ratings."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

from tenax.extract.amounts import BOUNDARY
from tenax.extract.numbers import read_count
from tenax.extract.phrases import PhraseList
from tenax.extract.products.codes import read_gtin
from tenax.extract.products.offers import read_amount
from tenax.extract.products.stock import read_condition

SEARCHED_CHARS: Final = 8_000
_GAP: Final = rf"[ {BOUNDARY}]*[:#=.]?[ {BOUNDARY}#]*"
_CODE: Final = r"([a-z0-9][a-z0-9_./\x{c0}-\x{24f}\x{400}-\x{52f}-]{1,39})"
_SKU: Final = PhraseList(
    r"(?<!\w)(?:sku|item ?(?:no|number|#|id|code)|product ?(?:code|no|number|id|#)|article ?(?:no|number"
    r"|nr)|art(?:ikel)?[.-]? ?-?(?:nr|nummer|no)|artnr|model ?(?:no|number)|style ?(?:no|number|#)|stock "
    r"?(?:no|code)"
    r"|best(?:ell)?[.-]{0,2} ?(?:nr|nummer)|produktnummer|varenr|varenummer|artikelnummer"
    r"|r[ée]f(?:[ée]rence)?"
    r"|referenc?ia|référence produit|ref|c[óo]d(?:igo|ice)?(?: produs| prodotto| do produto| articolo)?"
    r"|catalog(?:ue)? ?(?:no|number)|part ?(?:no|number|#)"
    r"|numer katalogowy|kod (?:produktu|produkt[uu])|indeks|kód(?: produktu| zboží| výrobku)?|cikkszám"
    r"|termékkód|tuotekoodi|tuotenumero|ürün kodu|stok kodu|артикул|код товара|код|арт|商品コード"
    r"|品番|商品编号|型番"
    r"|상품번호)"
    rf"\.?{_GAP}{_CODE}",
    is_case_sensitive=False,
)
_GTIN: Final = PhraseList(
    rf"(?<!\w)(?:gtin(?:-?1[234])?|ean(?:-?(?:13|code|nr))?|upc|isbn(?:-?1[03])?"
    rf"|barcode)\.?{_GAP}([\d-]{{8,17}}[xX]?)",
    is_case_sensitive=False,
)
_BRAND: Final = PhraseList(
    rf"(?<!\w)(?:brand|manufacturer|marke|hersteller|marque|fabricant|marca|fabricante|produttore|merk"
    rf"|producent|značka|výrobce|gyártó|märke|mærke|merke|valmistaja|marka|бренд|производитель"
    rf"|ブランド|メーカー"
    rf"|品牌)(?: name)? ?[:{BOUNDARY}][ :{BOUNDARY}]*([^{BOUNDARY}\d:][^{BOUNDARY}:]{{1,38}})(?:{BOUNDARY}"
    rf"|$)",
    is_case_sensitive=False,
)
_VISIT: Final = PhraseList(
    rf"visit the ([^{BOUNDARY}]{{2,40}}) (?:store|shop)(?:{BOUNDARY}|$)", is_case_sensitive=False
)
_CONDITION: Final = PhraseList(
    rf"(?<!\w)(?:condition|zustand|état|estado|stan|condizioni?|staat|conditie|skick|tilstand|stav|состояние)"
    rf"{_GAP}([a-z\x{{df}}-\x{{24f}}\x{{400}}-\x{{52f}}/-]{{2,20}})",
    is_case_sensitive=False,
)
_REVIEWS: Final = PhraseList(
    r"\(?(\d[\d.,]{0,8}) ?\)?[\s\x1f]*(?:customer |product |verified |global |kunden)?(?:reviews?|ratings"
    r"|bewertung(?:en)?|rezension(?:en)?|avis|opinion(?:es|i)?|reseñas?|valoraciones|recensioni"
    r"|beoordelingen|reviews|opinii|hodnocení|recenz[ei]|értékelés|omdömen|anmeldelser|arvostelua|yorum"
    r"|отзыв\w*|avaliações)(?!\w)",
    is_case_sensitive=False,
)
_RATING: Final = PhraseList(
    r"(?:^|[^\d.,])([0-5](?:[.,]\d{1,2})?)[ \x1f]*(?:/|out of|von|sur|de|di|van|z|of)[ \x1f]*5(?:[^\d.,]|$)",
    is_case_sensitive=False,
)


def read_labels(text: str, wanted: Collection[str]) -> dict[str, Any]:
    """`text`: of the main product. Linear: every label is followed by a value of limited length."""
    text = text[:SEARCHED_CHARS]
    found = {
        "sku": _read_sku(text) if "sku" in wanted else None,
        "gtin": _read_gtin(text) if "gtin" in wanted else None,
        "brand": _read_brand(text) if "brand" in wanted else None,
        "condition": _read_condition(text) if "condition" in wanted else None,
    }
    return {name: value for name, value in found.items() if value}


def _list_values(label: PhraseList, text: str) -> Iterator[str]:
    return (text[start:end] for start, end in label.find(text, 1))


def _read_sku(text: str) -> str | None:
    codes = (each.rstrip(".-/") for each in _list_values(_SKU, text))
    return next((code for code in codes if any(map(str.isdigit, code)) and len(code) > 1), None)


def _read_gtin(text: str) -> str | None:
    return next((code for each in _list_values(_GTIN, text) if (code := read_gtin(each))), None)


def _read_brand(text: str) -> str | None:
    found = next(_list_values(_BRAND, text), None) or next(_list_values(_VISIT, text), None)
    return None if found is None else found.strip(" .-|")


def _read_condition(text: str) -> str | None:
    return next((state for each in _list_values(_CONDITION, text) if (state := read_condition(each))), None)


def read_ratings(text: str) -> dict[str, Any]:
    text = text[:SEARCHED_CHARS]
    found: dict[str, Any] = {}
    mean = next(_list_values(_RATING, text), None)
    if mean is not None and (rating := read_amount(mean.replace(",", "."))):
        found["rating"] = round(Decimal(rating), 2)
    reviews = next(_list_values(_REVIEWS, text), None)
    if reviews is not None and (count := read_count(reviews)) is not None:
        found["review_count"] = count
    return found
