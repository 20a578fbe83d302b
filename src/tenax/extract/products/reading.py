"""Finds the product of a page. Linear in the size of the page, whatever it holds."""

from typing import Any, Final

from tenax.extract.currencies import currency_of, find_country
from tenax.extract.phrases import PhraseList
from tenax.extract.products import metas as meta_facts
from tenax.extract.products import stock, words
from tenax.extract.products.buttons import Button, find_buttons, find_end
from tenax.extract.products.choosing import Seen, choose_price, count_rivals
from tenax.extract.products.crumbs import find_category
from tenax.extract.products.facts import read_facts
from tenax.extract.products.fields import Product, ProductField, tidy
from tenax.extract.products.names import (
    Heading,
    build_anchor,
    choose_heading,
    confirms,
    find_named,
    list_headings,
    list_marked,
    read_slug,
    strip_shop,
)
from tenax.extract.products.nearby import build_area, find_availability, read_nearby
from tenax.extract.products.objects import (
    FoundObject,
    PageTitles,
    Structured,
    choose_product,
    find_objects,
    is_alike,
    list_same,
    read_name,
    read_text,
    split_words,
    trim_address,
)
from tenax.extract.products.outline import read_outline
from tenax.extract.products.pictures import list_pictures
from tenax.extract.products.repeats import drop_repeated, is_in_card, leads_elsewhere
from tenax.extract.products.scripts import read_script_facts
from tenax.extract.products.settling import Claim, SettledPrice, settle_price
from tenax.extract.products.visible import Anchor, ShownPrice, find_prices
from tenax.extract.rdfa import read_rdfa
from tenax.extract.structured import read_json_ld, read_metas, read_microdata
from tenax.web.documents import Document, select
from tenax.web.white_space import collapse

NEARBY_FIELDS: Final = frozenset(("sku", "gtin", "brand", "condition", "rating", "review_count"))
SCRIPT: Final = "script"
PRICE_FIELDS: Final = ("price", "currency", "list_price", "price_max")
MOST_RIVALS: Final = 3  # prices as good as the best: a page with more is a list of products
SOLD_SCORE: Final = 3.5  # of a price on a page with a button that sells
UNSOLD_SCORE: Final = 6.5  # of a price on a page without a button that sells
REACH: Final = 200  # nodes behind the heading that are read where the price is said for machines
GONE: Final = (stock.OUT_OF_STOCK, stock.DISCONTINUED)
CONFIDENCES: Final = {"jsonld": 0.95, "microdata": 0.9, "rdfa": 0.88}
# What a page without structured data must show to sell anything.
_MONEY: Final = PhraseList(
    r"[$€£¥￥₹₽₴₺₩₪฿₫₱₸₾]|\d ?(?:zł|kr|Kč|Ft|[Ll]ei|руб|грн|р\.|TL|EUR|USD|CHF|PLN|SEK|NOK|DKK|CZK|HUF)"
    r"|\d ?(?:円|元|원|лв|đ|บาท|p(?!\w)|:-|,-)|د\.[إم]|ر\.س|ريال|ج\.م|جنيه"
    r"|(?<![A-Za-z])(?:EUR|USD|CHF|GBP|CAD|AUD|PLN|SEK|NOK|DKK)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:[Kk]r|Rs|RM|Rp|AED|SAR|KWD|QAR|ZAR|R)\.? ?\d"
)


def find_product(
    document: Document,
    *,
    language: str | None = None,
    canonical: str | None = None,
    text: str | None = None,
) -> Product | None:
    """The product that a page sells, field by field. None: it is no page of a product. `language` and
    `canonical`: what the page says itself; `text`: its visible text, if that is known, which saves the time
    for pages without money."""
    reader = _Reader(document, language, canonical)
    return reader.read() if reader.may_sell(text) else None


def _read_structured(document: Document) -> Structured:
    """Where JSON-LD sells a product, other syntaxes repeat it."""
    json_ld = [("jsonld", read_json_ld(document))]
    found = find_objects(json_ld)
    if any(each.data.get("offers") and not each.is_listed for each in found.products):
        return found
    if not select(document.tree, "[itemscope], [typeof]"):
        return found
    return find_objects([*json_ld, ("microdata", read_microdata(document)), ("rdfa", read_rdfa(document))])


class _Reader:
    def __init__(self, document: Document, language: str | None, canonical: str | None) -> None:
        self.document = document
        self.language = language
        self.country = find_country(document.url)
        self.metas = read_metas(document)
        self.structured = _read_structured(document)
        self.addresses = frozenset(
            trim_address(url) for url in (document.url, canonical or "", self.metas.get("og:url", "")) if url
        )
        title = next((collapse(node.text_lexbor(), 500) for node in document.tree.tags("title")[:1]), "")
        self.titles = [
            each for each in (self.metas.get("og:title"), self.metas.get("twitter:title"), title) if each
        ]

    def may_sell(self, text: str | None) -> bool:
        if text is None or self.structured.products or self.structured.offers:
            return True
        return meta_facts.is_product(self.metas) or _MONEY.finds(text)

    def read(self) -> Product | None:
        """Where the price is said already, what stands near the heading is enough to correct it."""
        is_cut = self._may_say_price()
        heading = self._look(REACH if is_cut else None)
        if is_cut and not any("price" in claim.facts for claim in self.claims):
            heading = self._look(None)
        outline = self.outline
        buttons = find_buttons(outline)
        anchor = self._build_anchor(heading, buttons)
        prices = find_prices(outline, anchor, self.language, self.country)
        seen = choose_price(prices, outline)
        if seen is not None and self.main is None and not meta_facts.is_product(self.metas):
            left = [] if is_in_card(seen.price, anchor) else drop_repeated(prices, seen, anchor)
            if left is not None:
                prices, seen = left, choose_price(left, outline)
        if seen is not None and self._is_of_others(seen, anchor, buttons):
            prices, seen = [], None
        self._add_script(heading, seen)
        if not self._is_product(heading, anchor, buttons, prices, seen):
            return None
        return self._build(heading, anchor, buttons, prices, seen)

    def _is_of_others(self, seen: Seen, anchor: Anchor, buttons: list[Button]) -> bool:
        """A page that is sold out and says no price for machines may show those of other products only."""
        if any("price" in claim.facts for claim in self.claims) or not leads_elsewhere(seen.price, anchor):
            return False
        said = next((state for claim in self.claims if (state := claim.facts.get("availability"))), None)
        return said in GONE if said is not None else self._is_sold_out(anchor, buttons)

    def _add_script(self, heading: Heading | None, seen: Seen | None) -> None:
        """What only scripts are told counts less than what people see."""
        if heading is None or any("price" in claim.facts for claim in self.claims):
            return
        facts = read_script_facts(self.document, [heading.text, *self.titles])
        if facts is None:
            return
        if seen is not None and seen.price.value != facts["price"]:
            facts = {name: value for name, value in facts.items() if name not in PRICE_FIELDS}
        self.claims.append(Claim(place=SCRIPT, confidence=0.6, facts=facts))

    def _may_say_price(self) -> bool:
        products = self.structured.products
        return any(not each.is_listed and each.data.get("offers") for each in products)

    def _look(self, reach: int | None) -> Heading | None:
        """Read what people see, and what is said of the product that they see."""
        self.outline = read_outline(self.document.tree, reach)
        heading = self._find_heading()
        # What is called like a name may be that of any product: only a heading tells what the page is about.
        own = [*self.titles, heading.text] if heading is not None and heading.is_h1 else self.titles
        self.page_titles = PageTitles(
            titles=tuple(map(split_words, own)), url=self.document.url[:500], addresses=self.addresses
        )
        self.main = choose_product(self.structured, self.page_titles)
        self.claims = self._list_claims()
        return heading

    def _find_heading(self) -> Heading | None:
        known = [
            *self.titles,
            *(read_name(each.data)[:300] for each in self.structured.products[:5] if not each.is_listed),
        ]
        known.append(read_slug(self.document.url))
        headings = list_headings(self.document, self.outline)
        if not headings or (known and max(confirms(each, known) for each in headings) < 0.5):
            headings += list(list_marked(self.document, self.outline))
            headings += find_named(self.outline, [strip_shop(each, known[-1:]) for each in self.titles])
        return choose_heading(headings, known)

    def _list_claims(self) -> list[Claim]:
        claims = []
        if self.main is not None:
            for found in list_same(self.structured, self.main):
                facts = read_facts(found, self.structured, self.addresses)
                claims.append(Claim(place=found.place, confidence=CONFIDENCES[found.source], facts=facts))
        for found in self.structured.offers[:20]:
            if len(self.structured.offers) == 1 or self._is_of_main(found):
                facts = read_facts(found, self.structured, self.addresses)
                claims.append(Claim(place=found.place, confidence=CONFIDENCES[found.source], facts=facts))
        claims.append(
            Claim(place="meta", confidence=0.85, facts=meta_facts.read_meta_facts(self.metas, self.language))
        )
        return claims

    def _is_of_main(self, offer: FoundObject) -> bool:
        name = read_text(self.structured.resolve(offer.data.get("itemOffered")))
        return self.main is not None and bool(name) and name == read_name(self.main.data)

    def _build_anchor(self, heading: Heading | None, buttons: list[Button]) -> Anchor:
        start = heading.order if heading is not None else 0
        behind = next((each for each in buttons if each.order >= start), next(iter(buttons), None))
        if heading is None:
            node, order = (behind.node, behind.order) if behind is not None else (self.document.tree.body, 0)
            return build_anchor(node, max(0, order - 40), behind, None)
        return build_anchor(heading.node, start, behind, find_end(self.outline, start))

    def _is_product(
        self,
        heading: Heading | None,
        anchor: Anchor,
        buttons: list[Button],
        prices: list[ShownPrice],
        seen: Seen | None,
    ) -> bool:
        """A page of a product says so, or sells what its heading names."""
        has_price = seen is not None or any("price" in claim.facts for claim in self.claims)
        if self.main is not None:
            return bool(
                has_price
                or buttons
                or self.main.data.get("offers")
                or meta_facts.is_product(self.metas)
                or (heading is not None and self._is_sold_out(anchor, buttons))
            )
        if meta_facts.is_product(self.metas):
            return bool(has_price or buttons)
        if self.claims[0].facts.get("price") and len(self.structured.products) == 0:
            return True
        if self.claims[-1].place == SCRIPT and has_price and buttons:
            return True
        if heading is None or self.page_titles.is_first_page or words.NO_NAME.search(heading.text):
            return False
        if seen is None:
            return not buttons and heading.is_marked and self._is_sold_out(anchor, buttons)
        rivals = count_rivals(prices, seen)
        own = [each for each in buttons if each.order < anchor.last]
        if rivals > MOST_RIVALS or (rivals > 1 and len(own) > MOST_RIVALS):
            return False
        if buttons:
            return seen.price.score >= SOLD_SCORE
        known = [*self.titles, read_slug(self.document.url)]
        return seen.price.score >= UNSOLD_SCORE and confirms(heading, known) >= 0.6

    def _is_sold_out(self, anchor: Anchor, buttons: list[Button]) -> bool:
        state = find_availability(build_area(self.outline, anchor, None), buttons)
        return state in GONE

    def _build(
        self,
        heading: Heading | None,
        anchor: Anchor,
        buttons: list[Button],
        prices: list[ShownPrice],
        seen: Seen | None,
    ) -> Product | None:
        name = self._choose_name(heading)
        if name is None:
            return None
        product: Product = {"name": name}
        for claim in self.claims:
            for field, value in claim.facts.items():
                if field not in product and field not in (*PRICE_FIELDS, "name", "images", "variants"):
                    product[field] = ProductField(value=value, place=claim.place, confidence=claim.confidence)
        self._add_price(product, settle_price(self.claims, seen, prices))
        self._add_visible(product, anchor, buttons, seen)
        self._add_category(product)
        self._add_images(product, anchor)
        self._add_variants(product)
        return tidy(product)

    def _choose_name(self, heading: Heading | None) -> ProductField | None:
        said = next((claim for claim in self.claims if claim.facts.get("name")), None)
        title = (
            strip_shop(self.titles[0], [heading.text] if heading is not None else []) if self.titles else ""
        )
        if heading is not None and (said is None or self._agree(heading.text, said.facts["name"])):
            known = [*self.titles, said.facts["name"] if said is not None else ""]
            if heading.is_h1 or confirms(heading, known) >= 0.5:
                return ProductField(
                    value=heading.text, place="page heading", confidence=0.9 if said else 0.75
                )
        if said is not None:
            return ProductField(value=said.facts["name"], place=said.place, confidence=said.confidence)
        return ProductField(value=title, place="meta og:title", confidence=0.6) if title else None

    def _agree(self, heading: str, name: str) -> bool:
        return is_alike(split_words(heading), split_words(name)) >= 0.5 and len(heading) <= 3 * len(name) + 40

    def _add_price(self, product: Product, settled: SettledPrice) -> None:
        if settled.price is None:
            return
        price = settled.price
        values: dict[str, Any] = {
            "price": price,
            "list_price": settled.list_price if settled.list_price and settled.list_price > price else None,
            "price_max": settled.price_max if settled.price_max and settled.price_max > price else None,
        }
        for field, value in values.items():
            if value is not None:
                product[field] = ProductField(value=value, place=settled.place, confidence=settled.confidence)
        self._add_currency(product, settled)

    def _add_currency(self, product: Product, settled: SettledPrice) -> None:
        said = next((claim for claim in self.claims if claim.facts.get("currency")), None)
        if settled.currency:
            product["currency"] = ProductField(
                value=settled.currency, place=settled.place, confidence=settled.confidence
            )
        elif said is not None:
            product["currency"] = ProductField(
                value=said.facts["currency"], place=said.place, confidence=said.confidence
            )
        elif (code := currency_of(self.country)) is not None:
            product["currency"] = ProductField(value=code, place="country of the host", confidence=0.4)

    def _add_visible(
        self, product: Product, anchor: Anchor, buttons: list[Button], seen: Seen | None
    ) -> None:
        area = build_area(self.outline, anchor, seen.price.order if seen is not None else None)
        if "availability" not in product and (state := find_availability(area, buttons)):
            product["availability"] = ProductField(value=state, place="page text", confidence=0.7)
        if "availability" not in product and buttons:
            product["availability"] = ProductField(value=stock.IN_STOCK, place="page button", confidence=0.5)
        for field, value in read_nearby(area, NEARBY_FIELDS - product.keys()).items():
            product.setdefault(field, ProductField(value=value, place="page text", confidence=0.6))

    def _add_category(self, product: Product) -> None:
        found = find_category(self.structured, self.document, product["name"].value)
        if found is not None:
            product["category"] = ProductField(value=found[0], place=found[1], confidence=0.9)

    def _add_images(self, product: Product, anchor: Anchor) -> None:
        images: list[str] = next(
            (claim.facts["images"] for claim in self.claims if claim.facts.get("images")), []
        )
        found, place = list_pictures(images, self.metas.get("og:image"), self.outline, anchor, self.document)
        if found:
            product["images"] = ProductField(value=found, place=place, confidence=0.9 if images else 0.7)

    def _add_variants(self, product: Product) -> None:
        for claim in self.claims:
            variants = claim.facts.get("variants", [])
            if len(variants) > 1:
                product["variants"] = ProductField(
                    value=variants, place=claim.place, confidence=claim.confidence
                )
                return
