# ruff: noqa: E501
# fmt: off
"""Product pages in the manner of marketplaces, supermarkets, book shops and shops for businesses."""

from tests.support.shop_pages.building import Shelf, ld

SHELF = Shelf()
page = SHELF.add

AMZ_TOP = """<div id="nav-belt"><div id="nav-global-location">Deliver to Canada</div><a href="/gp/cart" id="nav-cart"><span id="nav-cart-count">0</span> Cart</a></div><div id="nav-subnav">Prime from $14.99/month</div>"""
AMZ_CARDS = """<div id="sp_detail" class="a-carousel-container"><h2>Products related to this item</h2><ol class="a-carousel"><li class="a-carousel-card"><a href="/dp/B1"><div class="sponsored-title">Kettle Pro 1L</div></a><span class="a-price"><span class="a-offscreen">$45.99</span><span aria-hidden="true"><span class="a-price-symbol">$</span><span class="a-price-whole">45</span><span class="a-price-fraction">99</span></span></span></li><li class="a-carousel-card"><a href="/dp/B2">Kettle Basic</a><span class="a-price"><span class="a-offscreen">$19.99</span></span></li></ol></div>"""

def amz(price: str, basis: str, extra: str = "") -> str:
    whole, cents = price.split(".")
    return f"""<div id="corePriceDisplay_desktop_feature_div"><div class="a-section aok-align-center"><span class="savingsPercentage">-20%</span><span class="a-price aok-align-center priceToPay"><span class="a-offscreen"> </span><span aria-hidden="true"><span class="a-price-symbol">$</span><span class="a-price-whole">{whole}<span class="a-price-decimal">.</span></span><span class="a-price-fraction">{cents}</span></span></span></div>
<div class="a-section"><span class="a-size-small">{basis}</span></div>{extra}</div>"""

page("amazon-like, list price, split spans", "https://www.bigriver.example/Copper-Kettle/dp/B00KETTLE1", "en-us",
     '<title>Bigriver.example: Copper Gooseneck Kettle, 1.2 L: Home &amp; Kitchen</title>',
     AMZ_TOP + """<div id="dp"><div id="wayfinding-breadcrumbs_feature_div"><ul class="a-unordered-list"><li><a class="a-link-normal" href="/k">Home &amp; Kitchen</a></li><li class="a-breadcrumb-divider">›</li><li><a href="/t">Kettles</a></li></ul></div><div id="leftCol"><div id="imgTagWrapperId"><img id="landingImage" src="https://img.bigriver.example/I/71k._SX300_.jpg" data-old-hires="https://img.bigriver.example/I/71k._SL1500_.jpg"></div></div><div id="centerCol"><h1 id="title"><span id="productTitle" class="a-size-large product-title-word-break">        Copper Gooseneck Kettle, 1.2 L       </span></h1><a id="bylineInfo" href="/stores/Hearth">Visit the Hearthmade Store</a>
<div id="averageCustomerReviews"><span id="acrPopover" title="4.6 out of 5 stars"><i class="a-icon a-icon-star"><span class="a-icon-alt">4.6 out of 5 stars</span></i></span><a id="acrCustomerReviewLink"><span id="acrCustomerReviewText" class="a-size-base">12,874 ratings</span></a></div>""" + amz("63.99", 'List Price: <span class="a-price a-text-price" data-a-strike="true"><span class="a-offscreen">$79.99</span><span aria-hidden="true">$79.99</span></span>') + """<div>Get $50 off instantly: Pay $13.99 upon approval</div></div><div id="rightCol"><div id="buybox"><span class="a-price"><span class="a-offscreen">$63.99</span><span aria-hidden="true">$63<sup>99</sup></span></span><div>FREE delivery Tuesday on orders over $35</div><div id="availability"><span class="a-size-medium a-color-success">In Stock</span></div><input id="add-to-cart-button" title="Add to Shopping Cart" type="button" value="Add to Cart"><input id="buy-now-button" type="submit" value="Buy Now"><div>Ships from Bigriver</div><div id="tradein">Trade in and save up to $12.50</div></div></div></div>""" + AMZ_CARDS,
     name="Copper Gooseneck Kettle, 1.2 L", price=63.99, currency="USD", list_price=79.99, availability="in_stock", rating=4.6, review_count=12874, brand="Hearthmade", category="Home & Kitchen > Kettles")

page("amazon-like, typical price, cards first", "https://www.bigriver.example/dp/B00LAMP002", "en-us",
     "<title>Bigriver.example: Clip Lamp</title>",
     AMZ_TOP + AMZ_CARDS + """<div id="dp"><div id="centerCol"><span id="productTitle">Clip Lamp</span>""" + amz("14.25", 'Typical price: <span class="a-price a-text-price" data-a-strike="true"><span class="a-offscreen">$17.99</span><span aria-hidden="true">$17.99</span></span>', '<div>Price per unit ($7.13 / Count)</div>') + """</div><div id="buybox"><div id="availability"><span>Only 3 left in stock - order soon.</span></div><input id="add-to-cart-button" type="button" value="Add to Cart"></div></div>""",
     name="Clip Lamp", price=14.25, currency="USD", list_price=17.99, availability="limited")

page("amazon-like, currently unavailable", "https://www.bigriver.example/dp/B00GONE003", "en-us",
     "<title>Bigriver.example: Travel Iron Mini</title>",
     AMZ_TOP + """<div id="dp"><div id="centerCol"><h1 id="title"><span id="productTitle">Travel Iron Mini</span></h1></div><div id="buybox"><div id="outOfStock"><span class="a-color-price">Currently unavailable.</span><br>We don't know when or if this item will be back in stock.</div></div></div>""" + AMZ_CARDS,
     name="Travel Iron Mini", availability="out_of_stock")

page("ebay-like auction", "https://www.bidhall.example/itm/vintage-compact-camera/1402", "en-us",
     '<title>Vintage Compact Camera 35mm tested | BidHall</title><meta property="og:type" content="bidhall-objects:item"><meta property="og:title" content="Vintage Compact Camera 35mm tested | BidHall">',
     """<div id="gh">Hi! Sign in <a href="/sh">Sell</a></div><div id="CenterPanel"><h1 class="x-item-title__mainTitle"><span class="ux-textspans ux-textspans--BOLD">Vintage Compact Camera 35mm tested</span></h1><div class="ux-layout">Condition: <span>Used</span></div><div>Time left: 2d 4h</div><div class="x-bid-price"><span>Current bid:</span><div class="x-price-primary"><span class="ux-textspans">US $41.00</span></div><a>[ 7 bids ]</a></div><a class="btn" role="button">Place bid</a><div class="x-bin-price"><span>Buy It Now:</span> <span class="ux-textspans">US $95.00</span></div><div>Shipping: <span>US $8.25</span> Economy</div><div>Enter US $42.00 or more</div><div>Item number: 1402</div></div><div class="merch"><h2>Similar sponsored items</h2><a href="/itm/1">Camera A <span>$29.99</span></a><a href="/itm/2">Camera B <span>$59.99</span></a></div>""",
     name="Vintage Compact Camera 35mm tested", price=41, currency="USD", condition="used", availability=("in_stock", None), sku=("1402", None))

page("ebay-like fixed price, microdata and approx", "https://www.bidhall.example/itm/9981", "en-gb",
     "<title>Brass Ship Bell for sale online | BidHall</title>" + ld({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "position": 1, "name": "Antiques", "item": "https://www.bidhall.example/b"}, {"@type": "ListItem", "position": 2, "name": "Maritime", "item": "https://www.bidhall.example/b/m"}]}, {"@context": "https://schema.org", "@type": "Product", "name": "Brass Ship Bell", "image": ["https://i.bidhall.example/bell.jpg"], "offers": {"@type": "Offer", "itemCondition": "https://schema.org/UsedCondition", "availability": "https://schema.org/InStock", "price": "38.50", "priceCurrency": "GBP", "shippingDetails": {"@type": "OfferShippingDetails", "shippingRate": {"@type": "MonetaryAmount", "value": "3.95", "currency": "GBP"}}}}),
     """<h1 class="x-item-title__mainTitle">Brass Ship Bell</h1><div class="x-price-primary">£38.50</div><div class="x-price-approx">Approximately <span>US $49.20</span></div><a role="button">Buy it now</a><a role="button">Add to basket</a><div>Postage: £3.95 Royal Mail</div>""",
     name="Brass Ship Bell", price=38.5, currency="GBP", availability="in_stock", condition="used", category="Antiques > Maritime", images="https://i.bidhall.example/bell.jpg")

page("etsy-like, price with plus, old price", "https://www.handmadehub.example/listing/771/linen-apron", "en-US",
     "<title>Linen Apron, Crossback, Pinafore - HandmadeHub</title>",
     """<div class="wt-header">Gifts <a href="/cart">Cart</a></div><div class="listing-page-content"><p class="urgency">In 12 carts</p><div data-selector="price-only" class="wt-display-flex"><p class="wt-text-title-larger"><span class="wt-screen-reader-only">Price:</span>$39.20+</p><p class="wt-text-strikethrough"><span class="wt-screen-reader-only">Original Price:</span>$56.00+</p><p>30% off</p></div><h1 data-buy-box-listing-title="true">Linen Apron, Crossback, Pinafore</h1><div><a href="/shop/thread">ThreadAndField</a> <span>5 out of 5 stars</span></div><select><option>Select a size</option><option>S ($39.20)</option><option>XL ($47.60)</option></select><button type="submit">Add to cart</button><div>Cost to ship: $6.50</div></div><h2>You may also like</h2><ul class="listing-cards"><li><a href="/listing/1">Apron A<span class="currency-value">$22.00</span></a></li><li><a href="/listing/2">Apron B<span>$31.00</span></a></li></ul>""",
     name="Linen Apron, Crossback, Pinafore", price=39.2, currency="USD", list_price=56, availability="in_stock", rating=5)

page("aliexpress-like, rendered div chars", "https://www.silkmart.example/item/10050.html", "en",
     '<title>USB Hub 4 Port - SilkMart 200003</title><meta property="og:title" content="5.47US $ 45% OFF|USB Hub 4 Port| | - SilkMart"><meta property="og:type" content="product">',
     """<div class="top">Welcome deal: US $4 off on US $40</div><div class="pdp-info-right"><div class="price--wrap"><div class="es--wrap notranslate"><div aria-hidden="true"><span class="es--char53">US</span><span> $</span><span class="es--char53">5</span><span class="es--char">.</span><span class="es--char">4</span><span class="es--char">7</span></div></div><div class="price--original"><span class="price--originalText">US $9.95</span><span>45% off</span></div></div><div class="title--wrap"><h1 data-pl="product-title">USB Hub 4 Port</h1></div><div class="reviewer"><strong>4.7</strong><a>318 Reviews</a> ౹ <span>2,000+ sold</span></div><div class="ship">Shipping: US $1.99</div><button>Buy now</button><button>Add to cart</button></div>""",
     name="USB Hub 4 Port", price=5.47, currency="USD", list_price=9.95, availability="in_stock", rating=4.7, review_count=318)

page("walmart-like, now and was in one element", "https://www.megamart.example/ip/Garden-Hose-50ft/55213", "en-US",
     "<title>Garden Hose, 50ft - MegaMart.example</title>",
     """<header><span>How do you want your items?</span><a href="/cart"><span>0</span><span>$0.00</span></a></header><main><section><h1 itemprop="name" id="main-title">Garden Hose, 50ft</h1><div><span class="rating-number">(4.2)</span> <a itemprop="ratingCount">1,120 reviews</a></div></section><section><div data-testid="price-wrap"><span itemprop="price" aria-hidden="false">Now $24.97</span><span><span>Was</span> <span aria-hidden="true" class="strike">$32.97</span></span><span>50 c/ft</span><div>You save <span>$8.00</span></div><div>Price when purchased online</div></div><button>Add to cart</button><div>Free shipping, arrives tomorrow on $35+</div></section><section><h2>Similar items you might like</h2><div role="group"><a href="/ip/1">Hose reel</a><div>current price $49.00</div></div><div role="group"><a href="/ip/2">Nozzle</a><div>current price $12.98</div></div></section></main>""",
     name="Garden Hose, 50ft", price=24.97, currency="USD", list_price=32.97, availability="in_stock", rating=4.2, review_count=1120)

page("ikea-like, integer and decimals, sr-only", "https://www.furnhaus.example/de/de/p/lunde-regal-weiss-30277/", "de",
     '<title>LUNDE Regal, weiß, 80x202 cm - Furnhaus</title><meta property="og:type" content="product"><meta property="og:title" content="LUNDE Regal, weiß, 80x202 cm">' + ld({"@context": "https://schema.org/", "@type": "Product", "name": "LUNDE Regal - weiß 80x202 cm", "sku": "302.77", "mpn": "302.77", "brand": {"@type": "Brand", "name": "Furnhaus"}, "offers": {"@type": "Offer", "priceCurrency": "EUR", "price": "59.99", "availability": "https://schema.org/InStock"}, "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.5, "reviewCount": 644}}),
     """<div class="pip-header-section"><h1><span class="pip-header-section__title--big">LUNDE</span> <span class="pip-header-section__description">Regal, weiß, 80x202 cm</span></h1><div class="pip-price-module"><span class="pip-price"><span class="pip-price__nowrap"><span class="pip-price__integer">59</span><span class="pip-price__decimals"><span class="pip-price__separator">.</span>99</span><span class="pip-price__currency">€</span></span><span class="pip-price__sr-text">Preis 59.99€</span></span></div><button>In den Warenkorb</button></div>""",
     name="LUNDE Regal, weiß, 80x202 cm", price=59.99, currency="EUR", availability="in_stock", sku="302.77", mpn="302.77", brand="Furnhaus", rating=4.5, review_count=644)

page("zalando-like, brand in heading, from price", "https://www.modefreund.example/sanna-kleid-blau-s0121c.html", "de-DE",
     "<title>Sanna KLEID - Freizeitkleid - blau | ModeFreund</title>",
     """<nav><ul><li><a href="/damen">Damen</a></li></ul></nav><x-wrapper><h1 class="_5Yd"><span class="brand"><a href="/sanna"><h3>Sanna</h3></a></span><span class="name">KLEID - Freizeitkleid - blau</span></h1><div class="_0xLoFW"><p><span class="sDq_FX">ab 27,99 €</span></p><p>Ursprünglich: <span class="strike">39,99 €</span> bis zu -30%</p><p>inkl. MwSt.</p></div><select><option>Größe wählen</option></select><button aria-label="In den Warenkorb"><span>In den Warenkorb</span></button><p>Standard-Lieferung 2-4 Werktage, kostenlos ab 29,90 €</p></x-wrapper>""",
     name="Sanna KLEID - Freizeitkleid - blau", price=27.99, currency="EUR", list_price=39.99, availability="in_stock")

page("bol-like, price with dash", "https://www.winkelbol.example/nl/nl/p/bordspel-havenmeester/93000/", "nl-NL",
     "<title>Bordspel Havenmeester | Games | winkelbol</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Bordspel Havenmeester", "gtin13": "8711000000012", "brand": {"@type": "Brand", "name": "Spelhuis"}, "productID": "93000", "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.4", "reviewCount": "57"}}),
     """<div class="usp">Gratis verzending vanaf 25 euro</div><h1 class="page-heading"><span data-test="title">Bordspel Havenmeester</span></h1><div class="price-block"><span class="promo-price" data-test="price">32<span class="promo-price__fraction" data-test="price-fraction">99</span></span><meta itemprop="priceCurrency" content="EUR"><span class="h-nowrap">Adviesprijs <del>€ 44,95</del></span><span>Je bespaart 26%</span></div><div class="buy-block__highlight">Op voorraad. Voor 23:59 besteld, morgen in huis</div><a class="btn js_btn_buy" role="button">In winkelwagen</a><h3>Andere verkopers (2)</h3><div>Vanaf <a href="/s">€ 30,50</a></div>""",
     name="Bordspel Havenmeester", price=32.99, currency="EUR", list_price=44.95, availability="in_stock", brand="Spelhuis", sku="93000", rating=4.4, review_count=57)

page("allegro-like", "https://targi.example/oferta/mlynek-do-kawy-1391", "pl",
     '<title>Młynek do kawy żarnowy - Targi</title><meta property="og:title" content="Młynek do kawy żarnowy"><meta property="og:type" content="product">',
     """<div>Darmowa dostawa od 45,00 zł ze Smart!</div><h1>Młynek do kawy żarnowy</h1><div aria-label="cena 249,99 zł"><span>249,<span>99</span> <span>zł</span></span></div><div>Cena z 30 dni przed obniżką: 279,00 zł</div><div>lub raty: 12 x 24,10 zł</div><div>dostawa od 8,99 zł</div><button>dodaj do koszyka</button><button>kup teraz</button><p>Stan: Nowy</p><section><h2>Podobne oferty</h2><div><a href="/oferta/1">Młynek A</a> <span>199,00 zł</span></div><div><a href="/oferta/2">Młynek B</a><span>159,00 zł</span></div></section>""",
     name="Młynek do kawy żarnowy", price=249.99, currency="PLN", list_price=(279, None), availability="in_stock", condition="new")

page("rakuten-like", "https://item.ichiba.example/teaya/sencha-100/", "ja",
     "<title>【ichiba】煎茶 100g：茶屋</title>",
     """<table><tr><td><a href="/teaya/">茶屋 ショップトップ</a> &gt; <a>緑茶</a></td></tr></table><table><tr><td><span class="catch_copy">送料無料ライン 3,980円以上</span><span class="item_name"><b>煎茶 100g</b></span></td></tr><tr><td><span class="item_number_title">商品番号</span><span class="item_number">sencha-100</span></td></tr><tr><td>価格</td><td><span class="price2">1,280円</span><span class="tax">(税込)</span> <span class="shippingCost">送料別</span></td></tr><tr><td><span>11ポイント(1倍)</span></td></tr><tr><td><button class="cart-button">商品をかごに追加</button></td></tr></table>""",
     name="煎茶 100g", price=1280, currency="JPY", availability="in_stock", sku="sencha-100")

page("mercado libre-like, dots and cents sup", "https://articulo.mercadito.example.ar/MLA-55-cafetera-italiana", "es-AR",
     "<title>Cafetera Italiana 6 Pocillos - $ 41.499,50</title>",
     """<header>Enviar a Capital Federal</header><ol class="andes-breadcrumb"><li><a class="andes-breadcrumb__link" href="/h">Hogar</a></li><li><a href="/b">Bazar</a></li></ol><div class="ui-pdp-header"><span class="ui-pdp-subtitle">Nuevo | +500 vendidos</span><h1 class="ui-pdp-title">Cafetera Italiana 6 Pocillos</h1><span class="ui-pdp-review__rating">4.8</span><span class="ui-pdp-review__amount">(210)</span></div><div class="ui-pdp-price"><s class="andes-money-amount andes-money-amount--previous" aria-label="Antes: 51999 pesos"><span class="andes-money-amount__currency-symbol">$</span><span class="andes-money-amount__fraction">51.999</span></s><div class="ui-pdp-price__second-line"><span class="andes-money-amount" itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="price" content="41499.5"><span class="andes-money-amount__currency-symbol">$</span><span class="andes-money-amount__fraction">41.499</span><span class="andes-money-amount__cents andes-money-amount__cents--superscript-36">50</span></span><span class="andes-money-amount__discount">20% OFF</span></div><div class="ui-pdp-price__subtitles">en 6x $ 6.916,58 sin interés</div></div><p>Stock disponible</p><button>Comprar ahora</button><button>Agregar al carrito</button>""",
     name="Cafetera Italiana 6 Pocillos", price=41499.5, currency="ARS", list_price=51999, availability="in_stock", condition="new", rating=4.8, review_count=210, category="Hogar > Bazar")

page("book shop with formats", "https://www.pageandspine.example/book/9780306406157", "en-GB",
     "<title>The Salt Road by Ines Marlow | Page &amp; Spine</title>",
     """<div class="book-title"><h1><span itemprop="name">The Salt Road</span> <span class="format">(Paperback)</span></h1><span class="contributors">Ines Marlow <b>(author)</b></span></div><div class="price"><b itemprop="price">£9.99</b></div><div class="rrp">RRP <strike>£12.99</strike></div><div class="stock-status">Available</div><div class="formats"><a href="/b/2">Hardback £20.00</a> <a href="/b/3">eBook £7.49</a> <a href="/b/4">Audio £15.99</a></div><ul><li>Publisher: Harbour Press</li><li>ISBN: 9780306406157</li><li>Number of pages: 320</li></ul><button>Add to basket</button>""",
     name="The Salt Road (Paperback)", price=9.99, currency="GBP", list_price=12.99, availability="in_stock", gtin="9780306406157")

page("book shop, several formats in json-ld", "https://buch.example/shop/home/artikeldetails/A1060", "de",
     "<title>Nordwind von Klara Feddersen - Buch | buch.example</title>" + ld({"@context": "http://schema.org", "@type": ["Product", "Book"], "name": "Nordwind", "author": {"@type": "Person", "name": "Klara Feddersen"}, "isbn": "978-3-16-148410-0", "image": "https://buch.example/nordwind.jpg", "offers": {"@type": "Offer", "price": "22,00", "priceCurrency": "EUR", "availability": "http://schema.org/InStock"}}),
     """<h1 class="element-headline">Nordwind</h1><p>Buch (Gebundene Ausgabe)</p><span class="element-text-standard">22,00 €</span> <span>inkl. gesetzl. MwSt.</span><ul class="formate"><li><a href="/1">Gebundene Ausgabe ab 22,00 €</a></li><li><a href="/2">eBook ab 17,99 €</a></li></ul><button>In den Warenkorb</button>""",
     name="Nordwind", price=22, currency="EUR", availability="in_stock", gtin="9783161484100", images="https://buch.example/nordwind.jpg")

page("electronics with several sellers", "https://preisradar.example/vergleich/kopfhoerer-q3/", "de",
     "<title>Kopfhörer Q3 | Preisvergleich</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Klangwerk Kopfhörer Q3", "brand": "Klangwerk", "mpn": "Q3-BK", "offers": {"@type": "AggregateOffer", "lowPrice": 148.9, "highPrice": 219, "offerCount": 12, "priceCurrency": "EUR"}}),
     """<h1>Klangwerk Kopfhörer Q3</h1><p>ab <strong>148,90 €</strong> bis 219,00 € (12 Angebote)</p><ul class="offers"><li>Shop A <a href="/go/1">€ 148,90</a> Versand € 4,99</li><li>Shop B <a href="/go/2">€ 151,00</a> Versand € 0,00</li><li>Shop C <a href="/go/3">€ 159,00</a></li></ul>""",
     name="Klangwerk Kopfhörer Q3", price=148.9, price_max=219, currency="EUR", brand="Klangwerk", mpn="Q3-BK")

page("grocery, unit and club price", "https://www.freshbasket.example/groceries/oat-drink-1l", "en-GB",
     "<title>FreshBasket Oat Drink 1L | FreshBasket</title>",
     """<header>Basket £0.00 Guide price <span>Min spend £40</span></header><div class="pd"><h1 class="pd__header">FreshBasket Oat Drink 1L</h1><div class="pd-price"><span class="nectar-price">£1.25 with Member Card</span><span class="pd__cost__retail-price">£1.60</span><span class="pd__cost__per-unit">£1.60 / ltr</span></div><button data-testid="add-button">Add</button></div><div>Any 2 for £3.00</div>""",
     name="FreshBasket Oat Drink 1L", price=1.6, currency="GBP", availability="in_stock")

page("grocery swedish, kr and jfr pris", "https://mathall.example/produkt/kaviar-190g", "sv",
     "<title>Kaviar 190g | Mathall</title>",
     """<div>Fri frakt över 500 kr</div><h1>Kaviar 190g</h1><p class="brand">Fiskarn</p><div class="price"><span>34</span><sup>90</sup><span>/st</span></div><p>Jfr-pris 183,68 kr/kg</p><p>Medlemspris 29,90 kr</p><button>Köp</button>""",
     name="Kaviar 190g", price=34.9, currency="SEK", availability="in_stock", brand="Fiskarn")

page("b2b net and gross german", "https://industriebedarf.example/artikel/4711", "de",
     "<title>Schwerlastregal 2000 kg | Industriebedarf</title>",
     """<h1>Schwerlastregal 2000 kg</h1><div class="artnr">Art.-Nr.: 4711</div><div class="prices"><div class="price-net"><b>1.200,00 €</b> exkl. MwSt.</div><div class="price-gross"><b>1.428,00 €</b> inkl. 19% MwSt.</div></div><table><tr><td>ab 5 Stück</td><td>1.150,00 €</td></tr><tr><td>ab 10 Stück</td><td>1.100,00 €</td></tr></table><p>Lieferzeit: 5-7 Werktage</p><button>In den Warenkorb</button><button>Angebot anfordern</button>""",
     name="Schwerlastregal 2000 kg", price=1428, currency="EUR", availability="in_stock", sku="4711")

page("b2b quote only, no price", "https://pumps.example/products/cx-900", "en",
     "<title>CX-900 Centrifugal Pump</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "CX-900 Centrifugal Pump", "mpn": "CX900", "brand": {"@type": "Brand", "name": "Hydrona"}, "offers": {"@type": "Offer", "availability": "https://schema.org/InStock"}}),
     "<header>Orders over $500 ship free</header><h1>CX-900 Centrifugal Pump</h1><p>Price on request</p><button>Request a quote</button>",
     name="CX-900 Centrifugal Pump", mpn="CX900", brand="Hydrona", availability="in_stock")

page("variant buttons with data-price", "https://tea.example/shop/darjeeling", "en-IE",
     "<title>Darjeeling First Flush - Tea House</title>",
     """<h1>Darjeeling First Flush</h1><div class="price" id="price-value">€14.50</div><ul class="sizes"><li class="selected" data-price="14.50" data-sku="DJ-100">100 g</li><li data-price="31.00" data-sku="DJ-250">250 g</li></ul><p>€14.50 per 100g</p><button>Add to cart</button>""",
     name="Darjeeling First Flush", price=14.5, currency="EUR", availability="in_stock")

page("price only in attributes, lazily rendered", "https://toybox.example/p/wooden-train", "en-AU",
     '<title>Wooden Train Set | ToyBox</title><meta name="twitter:label1" content="Price"><meta name="twitter:data1" content="$59.95"><meta property="og:type" content="product">',
     """<h1>Wooden Train Set</h1><div class="product-price" data-price="59.95" data-currency="AUD"></div><button>Add to cart</button>""",
     name="Wooden Train Set", price=59.95, currency="AUD", availability="in_stock")

page("json-ld in cents", "https://skin.example/products/night-balm", "en-us",
     "<title>Night Balm | Skin</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Night Balm", "offers": {"@type": "Offer", "price": 4800, "priceCurrency": "USD", "availability": "https://schema.org/InStock"}}),
     "<h1>Night Balm</h1><div class=price>$48.00</div><button>Add to bag</button>",
     name="Night Balm", price=48, currency="USD", availability="in_stock")

page("json-ld with list price, sale seen", "https://sport.example/p/yoga-mat", "fr",
     "<title>Tapis de yoga | Sport</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Tapis de yoga", "offers": {"@type": "Offer", "price": "49.99", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}),
     """<h1>Tapis de yoga</h1><div class="prix"><span class="prix-barre">49,99 €</span> <span class="prix-promo">34,99 €</span> <span>-30 %</span></div><button>Ajouter au panier</button>""",
     name="Tapis de yoga", price=34.99, currency="EUR", list_price=49.99, availability="in_stock")

page("json-ld price zero placeholder", "https://lamps.example/p/arc-lamp", "en-gb",
     "<title>Arc Lamp - Lamps</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Arc Lamp", "offers": {"@type": "Offer", "price": "0", "priceCurrency": "GBP", "availability": "https://schema.org/InStock"}}),
     "<h1>Arc Lamp</h1><span class=price>£249.00</span><button>Add to basket</button>",
     name="Arc Lamp", price=249, currency="GBP", availability="in_stock")

page("json-ld thousands as decimals", "https://sofa.example/id/meja-kayu", "id",
     "<title>Meja Kayu Jati | Sofa</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Meja Kayu Jati", "offers": {"@type": "Offer", "price": "1.299.000", "priceCurrency": "IDR", "availability": "https://schema.org/InStock"}}),
     "<h1>Meja Kayu Jati</h1><span class=price>Rp 1.299.000</span><button>Beli Sekarang</button>",
     name="Meja Kayu Jati", price=1299000, currency="IDR", availability="in_stock")

page("json-ld in stock, page sold out", "https://vinyl.example/lp/blue-hours", "en",
     "<title>Blue Hours LP - Vinyl</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Blue Hours LP", "sku": "LP9", "offers": {"@type": "Offer", "price": "28.00", "priceCurrency": "USD", "availability": "https://schema.org/OutOfStock"}}),
     "<h1>Blue Hours LP</h1><span class=price>$28.00</span><button disabled>Sold out</button><h3>In stock now</h3><div class=card><a href=/1>Red LP</a> $25.00 <button>Add to cart</button></div><div class=card><a href=/2>Green LP</a> $26.00 <button>Add to cart</button></div>",
     name="Blue Hours LP", price=28, currency="USD", availability="out_of_stock", sku="LP9")

page("microdata with reviews and nested related", "https://kitchen.example/p/paring-knife", "en-us",
     "<title>Paring Knife</title>",
     """<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Paring Knife</h1><img itemprop="image" src="/i/knife.jpg"><div itemprop="aggregateRating" itemscope itemtype="http://schema.org/AggregateRating"><span itemprop="ratingValue">4.9</span> (<span itemprop="reviewCount">81</span>)</div><span itemprop="brand">Edge</span> <span itemprop="mpn">E-PK</span><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="price" content="1,045.00">$1,045.00</span><meta itemprop="priceCurrency" content="USD"><link itemprop="availability" href="http://schema.org/PreOrder">Preorder</div><button>Pre-order</button>
<div itemprop="isSimilarTo" itemscope itemtype="http://schema.org/Product"><span itemprop="name">Bread Knife</span><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="price">$45.00</span></div></div><div itemprop="review" itemscope itemtype="http://schema.org/Review"><span itemprop="name">Great!</span><span itemprop="author">Ann</span><div itemprop="reviewRating" itemscope itemtype="http://schema.org/Rating"><meta itemprop="ratingValue" content="3"></div></div></div>""",
     name="Paring Knife", price=1045, currency="USD", availability="preorder", brand="Edge", mpn="E-PK", rating=4.9, review_count=81, images="https://kitchen.example/i/knife.jpg")

page("related carousel before the product", "https://watches.example/de/uhr-atlas", "de",
     "<title>Uhr Atlas | Watches</title>",
     """<div class="slider"><div class="slide"><a href="/a">Uhr Orion</a><span class="price">€ 199,00</span></div><div class="slide"><a href="/b">Uhr Vega</a><span class="price">€ 249,00</span></div><div class="slide"><a href="/c">Uhr Lyra</a><span class="price">€ 299,00</span></div></div><h1>Uhr Atlas</h1><div class="buybox"><span class="price">€ 459,00</span><button>In den Warenkorb</button><p>Lieferbar in 3-5 Tagen</p></div>""",
     name="Uhr Atlas", price=459, currency="EUR", availability="in_stock")

page("mobile duplicates hidden", "https://beds.example/p/oak-bed", "en-us",
     "<title>Oak Bed Frame | Beds</title>",
     """<div class="d-md-none mobile-bar"><span>Oak Bed Frame</span><span class="price">$799.00</span><button>Add to cart</button></div><h1>Oak Bed Frame</h1><div class="price-block d-none d-md-block"><span class="price--was">$999.00</span><span class="price--now">$799.00</span></div><div class="price-block d-md-none"><span class="price--was">$999.00</span><span class="price--now">$799.00</span></div><p>As low as $67/mo with Affirm</p><p>Protect it: 3-year plan +$89.00</p><button>Add to cart</button>""",
     name="Oak Bed Frame", price=799, currency="USD", list_price=999, availability="in_stock")

page("configurator, options with surcharges", "https://racks.example/server-r2", "en-us",
     "<title>Server R2 - Racks</title>",
     """<h1>Server R2</h1><div class="sum">Price as configured: <b>$2,349.00</b></div><select><option>16 GB</option><option>32 GB (+$120.00)</option><option>64 GB (+$340.00)</option></select><label><input type=checkbox> Rails +$59.00</label><label><input type=checkbox> Warranty +$199.00</label><button>Configure and buy</button><button>Add to cart</button>""",
     name="Server R2", price=2349, currency="USD", availability="in_stock")

page("marketplace with seller rating", "https://basar.example/angebot/lederjacke-braun", "de-AT",
     "<title>Lederjacke braun, Größe 50 | Basar</title>",
     """<h1>Lederjacke braun, Größe 50</h1><div class="price-box">€ 85</div><div>Zustand: gebraucht</div><div>Verkäufer: Franz (98% positiv)</div><button>Verkäufer kontaktieren</button><button>Jetzt kaufen</button><h2>Ähnliche Anzeigen</h2><ul><li><a href=/1>Jacke schwarz € 60</a></li><li><a href=/2>Mantel € 120</a></li><li><a href=/3>Weste € 30</a></li></ul>""",
     name="Lederjacke braun, Größe 50", price=85, currency="EUR", condition="used", availability="in_stock")

page("discontinued with successor", "https://cams.example/p/zoom-70", "en-gb",
     "<title>Zoom 70 Camera | Cams</title>",
     """<h1>Zoom 70 Camera</h1><p class="notice">This product has been discontinued.</p><div class="successor"><h3>Recommended alternative</h3><a href="/p/zoom-80">Zoom 80 Camera</a><span class="price">£349.00</span><a href="/p/zoom-80">View product</a></div>""" + ld({"@type": "Product", "@context": "https://schema.org", "name": "Zoom 70 Camera", "sku": "Z70"}),
     name="Zoom 70 Camera", availability="discontinued", sku="Z70")
