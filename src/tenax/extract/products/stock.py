"""Whether a product is to be had: by the words of schema.org and others, and by what pages say to people."""

import re
from collections.abc import Callable
from typing import Final

from tenax.extract.phrases import PhraseList, PhraseSet

MAX_HITS: Final = 20  # of a list of phrases that are about something else

IN_STOCK: Final = "in_stock"
LIMITED: Final = "limited"
OUT_OF_STOCK: Final = "out_of_stock"
PREORDER: Final = "preorder"
BACKORDER: Final = "backorder"
DISCONTINUED: Final = "discontinued"
IN_STORE_ONLY: Final = "in_store_only"
ONLINE_ONLY: Final = "online_only"

_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_TERMS: Final = {
    "instock": IN_STOCK, "available": IN_STOCK, "true": IN_STOCK, "yes": IN_STOCK, "1": IN_STOCK,
    "instockonline": IN_STOCK, "availablefororder": IN_STOCK, "lieferbar": IN_STOCK, "onstock": IN_STOCK,
    "limitedavailability": LIMITED, "limitedstock": LIMITED, "lowstock": LIMITED, "limited": LIMITED,
    "fewleft": LIMITED,
    "outofstock": OUT_OF_STOCK, "soldout": OUT_OF_STOCK, "oos": OUT_OF_STOCK, "unavailable": OUT_OF_STOCK,
    "notavailable": OUT_OF_STOCK, "nostock": OUT_OF_STOCK, "false": OUT_OF_STOCK, "reserved": OUT_OF_STOCK,
    "notinstock": OUT_OF_STOCK, "0": OUT_OF_STOCK,
    "preorder": PREORDER, "presale": PREORDER, "preordering": PREORDER, "pending": PREORDER,
    "backorder": BACKORDER, "madetoorder": BACKORDER, "onorder": BACKORDER, "backordered": BACKORDER,
    "discontinued": DISCONTINUED, "endoflife": DISCONTINUED,
    "instoreonly": IN_STORE_ONLY, "onlineonly": ONLINE_ONLY,
}  # fmt: skip
_CONDITIONS: Final = {
    "newcondition": "new", "new": "new", "neu": "new", "neuf": "new", "nuevo": "new", "nuovo": "new",
    "usedcondition": "used", "used": "used", "gebraucht": "used", "occasion": "used", "usato": "used",
    "preowned": "used", "secondhand": "used", "nowy": "new", "nový": "new", "nieuw": "new", "ny": "new",
    "novo": "new", "новый": "new", "używany": "used", "usado": "used", "gebruikt": "used",
    "brugt": "used", "begagnad": "used", "б/у": "used",
    "refurbishedcondition": "refurbished", "refurbished": "refurbished", "renewed": "refurbished",
    "damagedcondition": "damaged", "damaged": "damaged",
}  # fmt: skip

_OUT: Final = PhraseList(
    r"(?:currently |temporarily |now )?(?:out of stock|sold out|unavailable)(?!\w)|not (?:currently )?in "
    r"stock|(?:^|\x1f|(?:is|are|item|product|currently|online):? )not (?:currently )?available"
    r"(?: (?:online|at this time|to order|right now))?(?:\.|$|\x1f)"
    r"|currently not available|no longer in stock"
    r"|notify me when|email me when|notify when available|(?:e-?mail|notify|tell|alert) me when|back in "
    r"stock (?:alert|notif)|let me know when|this item is unavailable|we don't know when"
    r"|ausverkauft|nicht (?:mehr )?(?:verfügbar|lieferbar|vorrätig|auf lager|vorrätig)|vergriffen|derzeit "
    r"nicht|benachrichtigen sie mich|momentan nicht"
    r"|rupture de stock|en rupture|épuisé|indisponible|non disponible|(?:n'est plus|pas) disponible"
    r"|m'alerter|prévenez-moi|alerte stock"
    r"|agotado|sin existencias|fuera de stock|no disponible|sin stock|av[ií]same cuando|esgotado"
    r"|indispon[ií]vel|avise-me|fora de estoque|produto esgotado"
    r"|esaurito|non disponibile|terminato|avvisami|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)"
    r"|tijdelijk uitverkocht"
    r"|wyprzedan|brak w magazynie|niedostępn|produkt niedostępny|powiadom (?:mnie )?o dostępności"
    r"|vyprodáno|není skladem|nedostupné|vypredané|elfogyott|nincs (?:készleten|raktáron)|nem rendelhető"
    r"|stoc epuizat|indisponibil"
    r"|slutsåld|slut i lager|ej i lager|finns ej|udsolgt|ikke på lager|utsolgt|loppu(?:unmyyty|nut)|ei "
    r"(?:varastossa|saatavilla)|stokta yok|tükendi|mevcut değil"
    r"|нет в наличии|немає в наявності|распродано|закончился|снят с продажи|在庫切れ|売り切れ"
    r"|品切れ|缺货|售罄|缺貨|품절|일시품절"
    r"|אזל|לא במלאי|نفد|غير متوفر|stok habis|habis terjual|hết hàng|tạm hết|สินค้าหมด|หมดแล้ว|εξαντλ"
    r"|μη διαθέσιμο"
    r"|auction ended|bidding has ended|this listing (?:was )?ended|listing ended"
)
_GONE: Final = PhraseList(
    r"discontinued|no longer available|nicht mehr erhältlich|plus disponible|descatalogado|fuori "
    r"produzione|niet meer leverbaar|wycofany|ukončen|utgått|udgået|снят с производства|生産終了|단종"
)
_PREORDER: Final = PhraseList(
    r"pre-?order|available to order from|vorbestell|précommand|pré-command|preventa|reserva ahora"
    r"|pré-venda|preordin|prenota|przedsprzedaż|předobjedn|förbeställ|forudbestil|forhåndsbestill"
    r"|ennakkotila|ön sipariş|предзаказ|передзамовлення|予約|预售|예약구매"
)
_BACKORDER: Final = PhraseList(
    r"back-?order|available on order|on backorder|made to order|auf bestellung|sur commande|bajo pedido"
    r"|su ordinazione|na zamówienie|na objednávku|beställningsvara|bestillingsvare|под заказ"
)
_LIMITED: Final = PhraseList(
    r"only \d{1,2} (?:left|remaining|in stock|available)|low (?:in )?stock|limited (?:stock|availability)"
    r"|last (?:one|item|few|pieces)|hurry,? only|nur noch \d|wenige (?:stück|verfügbar)|plus que \d"
    r"|dernières? pièces?|quedan \d|últimas? unidades|ultimi pezzi|ultimo pezzo|nog (?:maar )?\d{1,2} "
    r"(?:op|stuks|beschik)|ostatnie sztuki|poslední kus|fåtal|få på lager|son \d ürün|осталось \d|残りわずか"
    r"|残り\d"
)
_IN: Final = PhraseList(
    r"(?<!\w)in stock|available (?:now|immediately|for|online)|ready to ship|ships (?:today|within|in|same"
    r"|immediately|from)|usually (?:ships|dispatched)|(?:availability|stock)\W{1,4}(?:yes|available|in|\d)"
    r"|available$|in-stock"
    r"|auf lager|sofort (?:lieferbar|verfügbar|versandfertig|versandbereit)|lieferbar|vorrätig|lieferzeit"
    r"|verfügbar|en stock|disponible|expédié|en existencia|hay existencias|em estoque|dispon[ií]vel"
    r"|disponibil[ei]|in magazzino|op voorraad|uit voorraad|leverbaar|direct leverbaar"
    r"|w magazynie|dostępny|na stanie|produkt dostępny|wysyłka w|skladem|na sklade|raktáron|készleten|în "
    r"stoc|in stoc|i lager|på lager|finns i lager|varastossa|saatavilla|stokta|в наличии|в наявності|есть "
    r"в наличии|在庫あり|在庫有|有货|有貨|재고 있음|במלאי|متوفر|متاح|còn hàng|มีสินค้า|พร้อมส่ง|stok tersedia"
    r"|tersedia|stok:? \d|διαθέσιμο|na zalihi|на складе|є в наявності|на склад"
)


def read_availability(value: object) -> str | None:
    """The word of an enumeration, in any spelling: `http://schema.org/InStock`, `in stock`, `SOLD_OUT`."""
    if isinstance(value, bool):
        return IN_STOCK if value else OUT_OF_STOCK
    if not isinstance(value, str):
        return None
    text = value.strip().rstrip("/")[-200:]
    term = _NOT_LETTERS.sub("", re.split("[/#]", text)[-1]).lower()
    return _TERMS.get(term) or _TERMS.get(term.removeprefix("schema")) or find_availability(text)


def read_condition(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    term = _NOT_LETTERS.sub("", re.split("[/#]", value.strip().rstrip("/")[-200:])[-1]).lower()
    return _CONDITIONS.get(term)


def find_availability(text: str, is_meant: Callable[[int], bool] = lambda offset: True) -> str | None:
    """What a text says to people. What is missing is said plainly; that something is there, in passing.
    `is_meant`: whether what stands at an offset of the text is about the product."""
    text = text.lower()
    said = _ALL.find(text)
    for state, phrases in _ORDER.items():
        if state not in said:
            continue
        for count, (start, end) in enumerate(phrases.find(text)):
            if is_meant((start + end) // 2):
                return state
            if count >= MAX_HITS:
                break
    return None


_ORDER: Final = {
    DISCONTINUED: _GONE,
    OUT_OF_STOCK: _OUT,
    LIMITED: _LIMITED,
    PREORDER: _PREORDER,
    IN_STOCK: _IN,
    BACKORDER: _BACKORDER,
}
_ALL: Final = PhraseSet(_ORDER)
