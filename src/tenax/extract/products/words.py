"""Words by which pages of many languages tell prices, and what only looks like them, apart. All patterns are
for short texts in lower case: names of classes, buttons, what stands before and behind an amount.
"""

from typing import Final

from tenax.extract.phrases import PhraseList, PhraseSet

NEAR_CHARS: Final = 48  # before and behind an amount


def _any(*words: str, start: str = "", end: str = "") -> PhraseList:
    return PhraseList(f"{start}(?:{'|'.join(words)}){end}")


# Names of classes and ids -------------------------------------------------------------------------

PRICE: Final = _any(
    "price|pricing|preis|prix|precio|preco|preço|prezz[oi]|hinta|fiyat|prijs|tsena|kaina|cijena|harga"
    "|prcisum",
    "(?<![a-z])(?:prc|cena|ceny|cene|pris|prisen|amount|gia|pret|bid|ar|valor)(?![a-z])",
    "цена|价格|價格|価格",
)
NOW: Final = _any(
    "(?<![a-z])(?:now|sale|special|current|our|final|offer|promo|reduced|selling|today|actual|aktuell|bid"
    "|deal|main"
    "|primary|ins|sales|new|act|akt|neu|nouveau|nuevo|nuovo|yeni|moi|nueva|ahora)(?![a-z])",
    "sale-?price|sales-?price|saleprice|specialprice|ourprice|current-?price|discount(?:ed)?-?price"
    "|finalprice|price-?now"
    "|pricenow|salesprice|nowprice|sonderpreis|aktionspreis|angebotspreis|price-?sales|newprice|price-?new"
    "|price-?to-?pay|pricetopay|buybox|bigprice|price-?final|price-?value|promo-?price|solde",
)
OLD: Final = _any(
    "(?<![a-z])(?:old|was|rrp|msrp|orig|before|strike|struck|striked|uvp|previous|prev|crossed|barre|ancien"
    "|compare|rrprice|pvp|del|stara|vorher|streich|statt|antes|std|eski|coret|cu|anterior|tachado|riscado"
    "|barrato|basis|origin|deleted|former|stroked|prev|discarded|avp)(?![a-z])",
    # Words of layouts, too: "list-unstyled", "font-normal", "full-width".
    "(?:^| )(?:list|regular|normal|original|retail|standard|full|high)(?: |$)",
    "(?:price|amount|preis|prix|item)[-_]{0,2}(?:list|regular|reg|normal|original|origin|retail|standard"
    "|full|high)"
    "(?![a-z])",
    "old-?price|price-?old|list-?price|listprice|was-?price|price-?was|strike|line-?through|crossed-?out"
    "|compare-?(?:at|price)"
    "|(?:regular|normal|reg|retail|standard|original|suggested)[-_]?price|non-?sale|streichpreis|altpreis"
    "|alterpreis|price-?standard"
    "|retail-?price|rrp-?price"
    "|price-?before|price-?regular|(?:price|amount)-?original|price-?rrp|wasprice|before-?price"
    "|price-?list|prix-?barre|full-?price"
    "|basisprice",
)
NO_PRICE: Final = _any(
    "shipping|delivery|versand|livraison|postage|sav(?:e|ings?)(?![a-z])|saved|you-?save"
    "|discount-?(?:amount|percent|value|rate|label)|(?:tax|vat)-?(?:amount|rate|total|value)"
    "|ersparnis|rabatt|econom|unit-?price|price-?(?:per-?)?unit|price-?per(?![a-z])|per-?unit|base-?price"
    "|grundpreis|baseprice|basepreis|perunit|unitprice",
    "install?ment|financ|month|klarna|affirm|afterpay|zip-?pay|paypal|credit|leasing|loyal|reward|points"
    "|cashback"
    "|deposit|subtotal|cart-?total|mini-?total|(?<![a-z])(?:qty|quantity|tier|coupon|voucher|members?|vip"
    "|percent|threshold|warranty|protection"
    "|swatch|tooltip|popover|modal|addon|minimum|rating|reviews?|count|sku|badge|financing)(?![a-z])"
    "|free-?ship|bulk|trade-?in|gift-?wrap",
)
NET: Final = _any(
    "(?<![a-z])(?:excl|ex|netto|net|ht|extax|exvat|price-?tax|no-?tax|without-?tax|excluding)(?![a-z])"
    "|exc(?:l"
    "|luding)?-?(?:tax|vat)"
)
ZONE: Final = _any(
    "related|similar|recommend|recomm|recomend|empfehl|upsell|up-sell|cross-?sell|crosssell|also|recent"
    "|viewed|history|mini-?cart"
    "|minicart|(?:mini|top|header|side|small|my)[-_]?basket|basket[-_]?(?:mini|preview|popup|content|info"
    "|summary|block|total|items?)|(?:^| )shopping-?cart(?: |$)|cart-?(?:preview|summary|dropdown|drawer"
    "|popup|content|block|total|header|modal|items?)|top-?cart|side-?cart",
    "(?<![a-z])(?:header|footer|navbar|nav|menu|sidebar|topbar|masthead|breadcrumbs?|comments?|blog"
    "|newsletter|carousel"
    "|owl|wishlist|megamenu|accessories|accessory|alternatives?|bestsellers?|bestseller|popular|trending"
    "|crosssale|xsell|together|bundles?)(?![a-z])",
    "best-?sell|frequently|suggest|people-|customers-|other-?(?:products|items|sellers)|more-?(?:products"
    "|items|from)|you-?may|might|associated"
    "|product-?(?:list|grid|tile|card|slider|carousel|teaser)|products-?(?:list|grid|slider|carousel|row)"
    "|top-?products|new-?products"
    "|featured|successor|replacement|set-?products|complement|matching|crossell|complete-?the"
    "|get-?the-?look|reviews?-(?:list"
    "|section|container|tab)|compare-?(?:list|bar|products)"
    "|addon|gift-?card|sponsored|advert|akcesoria|zubeh|podobne|ahnlich|polecane|souvisej|consig"
    "|similaires|relacionad|correlat",
)
# Names that look like those, of what belongs to the product.
PLAIN_ZONE: Final = _any(
    "product-?(?:single|main|detail|details|essential|page|summary|view|info|shop|header|top|hero|form|buy"
    "|add)(?![a-z])|pdp|add-?to-?(?:cart|basket|bag)"
    "|single-product|main-?product|(?:cart|basket)-?(?:button|btn|form|add|box)|buy-?box|product_?detail"
    "|price|header-?product|prod-?detail"
)
# Windows, badges and choices, which themes hide by style.
ASIDE_NAMES: Final = _any(
    "badge|sticker|swatch|variant|modal|popup|pop-up|dialog|tooltip|notify|notification|back-?in-?stock"
    "|template",
    "(?<![a-z])(?:options?|sizes?|hidden|hide|toast|alert|flag|tag|ribbon|drawer)(?![a-z])",
)
TITLE_NAMES: Final = _any(
    "(?:title|heading|headline|header|caption)(?![a-z])", "titel|titre|titulo|titolo|tytul"
)
RATING_NAMES: Final = _any("rating|(?<![a-z])(?:stars?|score|bewertung|note)(?![a-z])")
REVIEWS_NAMES: Final = _any("review|rating|(?<![a-z])(?:bewertung|avis|opini)")
BRAND_NAMES: Final = _any(
    "(?<![a-z])(?:brand|brandname|brand-?name|manufacturer|vendor|marke|hersteller|marque|marca"
    "|designer)(?![a-z])",
    "product-?brand|brand-?link|manufacturer-?name|byline",
)
SKU_NAMES: Final = _any(
    "(?<![a-z])(?:sku|artnr|mpn|ordernumber)(?![a-z])|(?:product|item|article|model|style)[-_]?(?:code"
    "|number|no"
    "|num|id)(?![a-z])|prod-?sku|catalog-?number"
)
# What is written before a value, if it stands alone.
LABELS: Final = _any(
    "(?:^| )(?:by|brand|brands|manufacturer|vendor|marke|hersteller|marque|marca|merk|sold|from|shop"
    "|designer|more"
    "|producent|all|visit)(?: |:|$)"
)
CENTS: Final = _any(
    r"cent|frac|decim|superscript|(?<![a-z])(?:small|sup|minor|pence|kop|float|penny)(?![a-z])"
)

# What stands before an amount ---------------------------------------------------------------------

_END: Final = r"\W*$"
_WORD: Final = r"(?<!\w)"
OLD_BEFORE: Final = _any(
    "was|mrp|m\\.r\\.p|old price|list(?: price)?|rrp|r\\.r\\.p|msrp|m\\.s\\.r\\.p"
    "|reg(?:ular)?(?:ly)?(?:\\.? price)?|retail(?: price| value)?|original(?:ly)?(?: price)?"
    "|compare(?:d)? (?:at|to)|instead of|usually|normally|before|previous(?:ly)?(?: price)?|high street "
    "price|full price|market price|value|typically|typical(?: price)?|price reduced from|reference price",
    "statt|uvp\\*?|unser alter preis|alter preis|bisher(?:iger preis)?|vorher|früher(?:er preis)?"
    "|ursprünglich(?:er preis)?|regulärer preis|listenpreis|unverb\\. preisempf\\.?|ehem(?:alige)? uvp",
    "prix (?:conseillé|barré|public|initial|d'origine|normal|habituel|de base|catalogue|magasin)|ancien "
    "prix|au lieu de|avant|prix de référence",
    "antes|precio (?:anterior|original|normal|habitual|regular|de lista)|pvpr?|pvr|de:?|preço (?:original"
    "|anterior|normal)|era|anziché|invece di|prezzo (?:di listino|originale|precedente|consigliato)"
    "|listino",
    "van|adviesprijs|oude prijs|normaal|van voor|cena (?:regularna|katalogowa|poprzednia|przed obniżką"
    "|detaliczna)|stara cena|poprzednia cena|najniższa cena(?: z (?:ostatnich )?30 dni(?: przed "
    "obniżką)?)?"
    "|běžná cena|původní cena|původně|bežná cena|pôvodná cena|eredeti ár|régi ár|listaár|pret vechi|preț "
    "vechi|prp",
    "ord(?:inarie)?\\.? ?pris|tidigare(?: pris)?|rek\\.? ?pris|før(?:pris)?|vejl\\.?(?: pris)?"
    "|veil\\.?(?: pris)?|normalpris|norm\\.?|ovh\\.?|normaalihinta|eski fiyat(?:ı)?|liste fiyatı|piyasa "
    "fiyatı",
    "מחיר קודם|eski|sebelumnya|giá cũ|ราคาปกติ|السعر السابق|كان|소비자가|старая цена|было|раньше"
    "|розничная цена|стара ціна|定価|参考価格|市场价|市場價|原价|原價"
    "|通常価格|メーカー希望小売価格|정가",
    start=_WORD,
    end=_END,
)
NOW_BEFORE: Final = _any(
    "now|sale(?: price)?|our(?: low)? price|special(?: price| offer)?|price|today|only|just|buy it now"
    "|buy now|your price|deal(?: price)?|online price|you pay|cost|final price|sale",
    "jetzt|nur(?: noch)?|unser preis|aktionspreis|sonderpreis|preis|angebot(?:spreis)?|ihr preis"
    "|sofort-kaufen|prix(?: soldé| promo| web| internet)?|maintenant|ahora|oferta|precio(?: final| actual"
    "| oferta)?|por|preço|ora|adesso|prezzo|offerta",
    "nu|voor|prijs|onze prijs|teraz|cena(?: promocyjna| brutto)?|promocja|nyní|akční cena|naše cena|ár"
    "|akciós ár|preț|pris|nå|hinta|fiyat(?:ı)?|цена|сейчас|ціна|价格|特价|促销价|現在|価格|税込"
    "|販売価格|판매가|할인가|specialprice|aktuálna cena|sekarang|giá|ราคา|السعر الآن|الآن|特價|售價",
    "(?:current|winning|starting|high|highest) bid|aktuelles gebot|aktuelle gebot|enchère actuelle|puja "
    "actual|offerta attuale|huidig bod|aktualna cena",
    start=_WORD,
    end=_END,
)
BID_BEFORE: Final = _any(
    "(?:current|winning|high|highest) bid|aktuelles gebot|enchère actuelle|puja actual|offerta attuale"
    "|huidig bod|höchstgebot",
    start=_WORD,
    end=_END,
)
NO_PRICE_BEFORE: Final = _any(
    "sav(?:e|ing|ings|ed)|you save|up to|extra|discount|shipping|delivery|postage|p ?& ?p|handling"
    "|freight|orders? (?:of|over|above)|over|above|spend|spending|minimum(?: order)?|min\\.? order|more "
    "than|less than|under|below"
    "|tax|vat|gst|deposit|subtotal|total|points|cash ?back|gift card|coupon|voucher|worth|up|fee|insurance"
    "|warranty|finance|per month|monthly|ex\\.? ?(?:vat|tax|gst|btw)|shipped|within|shipping cost|free "
    "shipping on|credit|earn|earns?|members?(?: price| pay| only)?|subscribe (?:&|and) save|buy new"
    "|trade-?in|pay",
    "startpreis|startgebot|mindestgebot|schätzpreis|schätzwert|starting (?:bid|price)|estimate|reserve"
    "|ersparnis|(?:sie )?sparen(?: sie)?|gespart|rabatt|versand(?:kosten)?|lieferung|lieferkosten"
    "|mindestbestellwert|ab einem (?:bestell|einkaufs|waren)wert von|bestellwert(?: von)?|über|pfand"
    "|mitgliederpreis|clubpreis|zzgl\\.?|versandkostenfrei(?: ab)?|kostenlos(?:er versand)? ab|monatlich"
    "|gutschein|grundpreis",
    "économi\\w*|vous économisez|remise|réduction|livraison|frais de port|plus de|dès|consigne"
    "|éco-?part\\w*|dont|soit|eco-?participation|ahorr\\w*|envío|gastos de envío|más de|descuento"
    "|economize|desconto|frete|acima de|risparmi\\w*|spedizione|sconto|spese",
    "bespaar|korting|verzend\\w*|verzending|vanaf een bestelling van|oszczędzasz|oszczęd\\w*|dostaw\\w*"
    "|wysyłk\\w*|przesyłk\\w*|rabat|ušetř\\w*|doprava|sleva|poštovné|zľava|szállítás\\w*|megtakarítás"
    "|kedvezmény|transport|frakt|medlemspris|klubbpris|rabatt|spar|du sparer|spara|toimitus|kargo|indirim"
    "|доставк\\w*|экономия"
    "|скидка|bayar|hemat|ongkir|tiết kiệm|ส่วนลด|ค่าส่ง|الشحن|وفر|sepette|送料|ポイント|运费|배송비",
    start=_WORD,
    end=_END,
)
FROM_BEFORE: Final = _any(
    "from|starting (?:at|from)|as low as|starts at|ab|à partir de|dès|desde|a partir de|da|a partire da"
    "|vanaf|od|från|fra|alkaen|от|від|-tól|начиная с",
    start=_WORD,
    end=_END,
)
NET_BEFORE: Final = _any(
    "ex(?:cl?)?\\.?(?:uding|luding)? ?(?:vat|tax|gst|btw|mwst)|netto|netto-?preis|cena netto|bez dph|ohne "
    "mwst|hors taxes?|(?<!\\w)ht|nettopreis|without tax|before tax|pre-?tax|zonder btw|excl",
    start=_WORD,
    end=_END,
)
INSTALMENTS_BEFORE: Final = PhraseList(
    r"\d{1,2} ?(?:x|×|(?:interest[- ]free )?(?:payments?|instal?lments?|easy payments?)(?: of| at)?"
    r"|raten(?: à| zu| von)?|rates?|veces|vezes|cuotas|fois|rate da|mal|termijnen|splátek|rat po|taksit)"
    r"(?: ?(?:de|di|of|à|da|po|zu|sin interés de|sem juros(?: de)?))?\W*$"
)

# What stands behind it ----------------------------------------------------------------------------

_UNIT: Final = (
    r"(?:\d[\d.,]*)? ?(?:kg|g|gr|gramm?|kilo[a-z]*|lbs?|oz|fl\.? ?oz|l|lt|litr?e?n?s?|litri|liter|ml|cl|dl"
    r"|m|m2|m²|m³|mtr|met(?:er|re|ers)|cm|ft|sq|yd|yard"
    r"|stk|st|stück|ks|szt|pcs?|count|ct|unit[éà]?|wash|tab[a-z]*|capsule[a-z]*|serving|sheet|roll|blatt"
    r"|100|1000)(?!\w)"
)
_BETWEEN: Final = (
    r"^[\s\x1f*)]{0,4}(?:[.,]?[-–]+)?[\s\x1f]{0,3}"
    r"(?:eur|usd|gbp|chf|pln|czk|sek|dkk|nok|aud|cad|inr|rub|huf|ron|kr\.?|zł|kč|ft"
    r"|\W{1,3})?[\s\x1f(*¹²]{0,4}"
)
UNIT_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:/|(?:per|pro|je|par|al|por|za|à|a|za|pr\.?|na)(?!\w))[\s\x1f]{{0,3}}{_UNIT}"
)
MONTHLY_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:(?:/|per|a|par|pro|al|por|za|im|each) ?(?:mo(?!\w)|mth|month|monat|mois|mes(?!\w)|mese"
    rf"|mês|maand|miesi|měs|week|wk|woche|year|yr|jahr|day)"
    r"|mtl|monatl|monthly|mensu|/?mies|weekly|p/m|pcm)"
)
NO_PRICE_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:off(?!\w)|saved|reduzier|gespart|de remise|de réduction|dto|de descuento|di sconto"
    rf"|korting|kedvezmény|de desconto|cash ?back"
    r"|gift|voucher|coupon|gutschein|worth|or more|and (?:over|up|above)|or over|einkaufswert|bestellwert"
    r"|mindest|d'achat|de compra)"
    r"|^[ )*]*(?:[a-z]{3} )?(?:shipping|delivery|postage|p ?& ?p|discount|rabatt|rabat|sleva|deposit"
    r"|points|punkte|reward|credit|minimum|przesyłk|éco|eco-)"
)
CONDITIONAL_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:(?:with|for) (?:an? |the |your |our )?(?:[a-z]{{1,12}} ){{0,2}}(?:member|card|club"
    rf"|plan|subscription)"
    r"|(?:com|no|via|with|pelo|à vista no) (?:pix|boleto)|for members|als? (?:mitglied|club)"
    r"|avec la carte|con la "
    r"tarjeta|con tarjeta)"
)
NET_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:ex(?:cl?)?\.?(?:luding|luding)? ?(?:vat|tax|gst|btw|mwst|ust)|excl\b|excluding|\+ "
    rf"?(?:vat|tax|gst)|plus vat|netto|bez dph|zzgl\.? (?:mwst|ust|\d)|ht(?!\w)|hors tax|\+ ?iva|senza iva"
    rf"|without tax|zonder|plus tax)"
)

GROSS_BEHIND: Final = PhraseList(
    rf"{_BETWEEN}(?:inc(?:l|luding)?|inkl|ttc|iva incl|tvac|brutto|s dph|vč|z vat|incl)(?!\w)"
)
# Names of the buttons themselves.
BUY_NAMES: Final = _any(
    "add[-_]?to[-_]?(?:shopping[-_]?)?(?:cart|basket|bag|trolley|card)|add[-_]?2[-_]?cart|(?:btn"
    "|button)[-_]?(?:cart|buy|basket)|buy[-_]?(?:now|button|btn)|cart[-_]?(?:btn|button|add|submit)"
    "|addto(?:cart|basket|bag)|addcart|cart_quantity|in[-_]?cart|basket[-_]?add|product-form__submit"
    "|warenkorb|kaufen|do-?kosz|koszyka|ajout|panier|carrello|carrito|comprar|winkelwagen|kosik|kosar"
    "|sepete|v-korz|add-?button|buyproduct|product-add|purchase[-_]?button"
)

BEFORE: Final = PhraseSet(
    {
        "old": OLD_BEFORE,
        "now": NOW_BEFORE,
        "bid": BID_BEFORE,
        "no price": NO_PRICE_BEFORE,
        "from": FROM_BEFORE,
        "net": NET_BEFORE,
        "instalments": INSTALMENTS_BEFORE,
    }
)
BEHIND: Final = PhraseSet(
    {
        "unit": UNIT_BEHIND,
        "monthly": MONTHLY_BEHIND,
        "no price": NO_PRICE_BEHIND,
        "conditional": CONDITIONAL_BEHIND,
        "net": NET_BEHIND,
        "gross": GROSS_BEHIND,
    }
)

# Buttons ------------------------------------------------------------------------------------------

BUY: Final = _any(
    "add (?:this )?(?:item )?to (?:my |your |shopping )?(?:cart|basket|bag|trolley|order|shopping)|add "
    "cart|buy (?:it )?now|(?<!\\w)buy(?: online| this)?$|order now|purchase$|place (?:a )?bid|bid now"
    "|pre-?order(?: now)?$",
    "in den (?:waren|einkaufs)?korb|in den einkaufswagen|in die einkaufstasche|jetzt (?:kaufen|bestellen)"
    "|sofort-?kaufen|(?<!\\w)kaufen$|warenkorb legen|ajouter (?:au|à) (?:mon )?(?:panier|cabas)"
    "|acheter(?: maintenant)?|commander$|mettre au panier",
    "añadir (?:al|a la|a mi) (?:carr|cest|bols|compra)|agregar (?:al|a la) (?:carr|bols)|comprar(?: "
    "(?:ahora|agora|já))?$|adicionar ao (?:carrinho|cesto)|aggiungi al (?:carrello|cestino)|acquista(?: "
    "ora)?|metti nel carrello",
    "in (?:mijn )?winkel(?:wagen|mand)|(?:aan|in) (?:winkel)?(?:wagen|mand)|toevoegen aan"
    "|bestel(?:len)?(?: nu)?$|do koszyka|kup (?:teraz|ten|bilet)|(?<!\\w)kup$|do košík[ua]|koupit|kúpiť"
    "|kosárba|megveszem|adaug[ăa] (?:în|in) co|cumpăr",
    "lägg i|i varukorgen|(?<!\\w)köp(?: nu)?$|læg i|i kurven|køb(?: nu)?$|kjøp(?: nå)?$|i handlekurv|legg "
    "i|ostoskoriin|(?<!\\w)osta(?: nyt)?$|sepete (?:ekle|at)|satın al|hemen al",
    "в корзину|купить|до кошика|купити|в кошик|купи$|カートに|購入|買い物かご|加入购物车|立即购买"
    "|加入購物車|直接購買|장바구니|바로 ?구매"
    "|gebot abgeben|(?<!\\w)bieten$|enchérir|pujar$|fai un['’]offerta|plaats bod|licytuj|додати"
    "|add to trolley|구매하기|담기|カゴに|かごに|買い物カゴ|今すぐ買う|立即購買",
    "הוסף לסל|הוספה לסל|קנה עכשיו|أضف إلى|اضف الى|اشتر الآن|προσθήκη στ|αγορά|หยิบใส่|เพิ่มลง|ใส่ตะกร้า"
    "|ซื้อเลย"
    "|thêm vào giỏ|mua ngay|tambah(?:kan)? ke (?:keranjang|troli)|beli (?:sekarang|langsung)"
    "|masukkan keranjang"
    "|добави в количка|dodaj u košaricu|v košarico|į krepšelį|ostukorvi|lisa korvi|pievienot grozam",
)

# Headings of pages of shops that are about no product.
NO_NAME: Final = PhraseList(
    r"^(?:(?:your|my|shopping|mein|votre|mon|tu|mi|il tuo|je) )*(?:cart|basket|bag|trolley|wish ?list"
    r"|favou?rites|checkout"
    r"|compare(?: products)?|(?:product )?comparison|account|search(?: results?.*)?|results for.*"
    r"|page not found|not found"
    r"|404\W.*|warenkorb|merkzettel|wunschliste|vergleich|suchergebnisse.*|panier|carrito|cesta|carrello"
    r"|winkelwagen"
    r"|koszyk|košík|kosár|indkøbskurv|varukorg|ostoskori|sepetim|корзина|кошик|カート|购物车|장바구니)$"
)
# What stands above other products ------------------------------------------------------------------

RELATED: Final = _any(
    "related (?:products|items|articles)|(?:you|u) (?:may|might|will|could) (?:also )?(?:like|love|enjoy"
    "|need|be)"
    "|you['’]ll (?:also )?love|customers? (?:who|also)|people (?:who|also)|others also"
    "|similar (?:products|items"
    "|styles|sponsored|listings)|recommended|recommendations|we (?:also )?recommend|we found other"
    "|frequently bought"
    "|recently viewed|more (?:from|like) this|other products|complete (?:the|your) (?:look|set|outfit)"
    "|goes well with"
    "|pairs well|shop similar|best ?sellers|sponsored|products related|compare with similar"
    "|more to (?:love|explore)",
    "ähnliche|das könnte|kund(?:en|innen) |passend(?:e|es) |zuletzt (?:an)?gesehen|empfehlung"
    "|wird oft zusammen"
    "|auch interessant|dazu passt|weitere (?:artikel|produkte)|produits? (?:similaires|associés"
    "|complémentaires|liés)"
    "|vous (?:aimerez|pourriez|aimeriez)|dans la même|les clients|productos (?:relacionados|similares)"
    "|te puede|quizás|los clientes|quem (?:viu|comprou)|produtos (?:relacionados|similares|semelhantes)"
    "|você também"
    "|aproveite também|prodotti (?:correlati|simili)|potrebbe|chi ha|ti potrebbe",
    "gerelateerde|vergelijkbare|anderen (?:bekeken|kochten)|ook interessant|misschien ook|podobne"
    "|polecane|inni klienci"
    "|zobacz także|klienci |související|podobné|mohlo by|zákazníci|hasonló|kapcsolódó|mások"
    "|produse (?:similare"
    "|recomandate)|ți-ar putea|relaterade|liknande|andra köpte|relaterte|lignende|relaterede|andre købte"
    "|samankaltaisia|saattaisit|muut ostivat|benzer|bunları da|похожие|с этим товаром|рекомендуем|схожі|также"
    "|関連商品|この商品を|おすすめ|相关|相關|推荐|推薦|관련|함께 "
    "|produk (?:terkait|serupa|lain)|sản phẩm (?:liên|tương)"
    "|สินค้าที่เกี่ยว|منتجات|σχετικά|παρόμοια|מוצרים",
    start=r"(?<!\w)",
)
