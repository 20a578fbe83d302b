# ruff: noqa: E501
# fmt: off
"""Product pages that mix what they sell with what they offer besides."""

from tests.support.shop_pages.building import Shelf, ld

SHELF = Shelf()
page = SHELF.add

S = "in_stock"
page("industrial, savings called price, viewed below", "https://www.worldindustrial.example/p/maple-top", "en-US",
 '<title>60&quot;W x 24&quot;D Maple Workbench Top | World Industrial</title>',
 """<div class="header"><a href="/cart">$0.00</a></div><section class="details"><div class="details-info with-slider"><div class="item-info"><h1 id="item-desc">60"W x 24"D Maple Workbench Top</h1><p id="legacy" class="item-num">Item #: T9F432251</p></div><div rating="5" class="star-rating"><span class="star-one">☆</span><span class="star-five">☆</span><span class="number-reviews">(6)</span></div><section class="lead-time-cont"><p class="lead-time same">Ships same day. <span class="question-mark">? <span class="question-info">Transit time is determined by shipping method.</span></span></p></section><div class="shipping"><p class="change-shipping">Enter zip code</p></div></div><div class="details-cart"><div class="pricing"><p class="price main">Price: $165.95</p></div><div class="global-cc-cont"><span id="global-cc-finance" class="price">Save $4.98</span> with 3% off when you use your credit card.</div><div class="add-cart-list"><button id="add-cart-main" class="add-cart-slider">Add to Cart</button><button>Add to List</button></div></div></section><section class="also-viewed"><h3>Customers Also Viewed</h3><a href="/p/1"><p class="title">96"W top</p></a> $299.00</section>""",
 name='60"W x 24"D Maple Workbench Top', price=165.95, currency="USD", availability=S, sku="T9F432251", review_count=6)
page("ebay-like, converted price and trending", "https://www.bidhall.example/itm/cable/1", "en",
 "<title>Cable USB 2m | BidHall</title>",
 """<div itemscope itemtype="https://schema.org/Product"><h1 class="it-ttl" itemprop="name" id="itemTitle"><span class="g-hdn">Details about  &nbsp;</span>Cable USB 2m</h1><div class="u-flL condText" id="vi-itm-cond" itemprop="itemCondition">New</div><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><div class="vi-bbox-dspn u-flL lable" id="orgPrc-lbl">Was:</div><span id="orgPrc" class="vi-originalPrice">US $9.98</span><div class="vi-bbox-dspn u-flL lable binLable" id="prcIsum-lbl">Price:</div><div class="u-flL w29 vi-price"><span class="notranslate" id="prcIsum" itemprop="price" content="5.98">US $5.98</span><span itemprop="availability" content="https://schema.org/InStock"></span><span itemprop="priceCurrency" content="USD"></span><div class="u-cb convPrice vi-binConvPrc" id="prcIsumConv">Approximately <span id="convbidPrice">RMB 38.06</span></div></div></div><a id="binBtn_btn">Buy It Now</a><a id="atcRedesignId_btn">Add to cart</a><div>Trending at <b>US $6.99</b></div></div>""",
 name="Cable USB 2m", price=5.98, currency="USD", list_price=9.98, availability=S, condition="new")
page("newegg-like, add-on product before the buy box", "https://www.partsegg.example/gpu/p/N8", "en-us",
 "<title>Graphics Card 16GB - PartsEgg.example</title>",
 """<div class="product-wrap"><h1 class="product-title">Graphics Card 16GB</h1><div class="addon"><a href="/p/N1">Mouse pad</a><ul class="price"><li class="price-current"><span class="price-current-label"></span>$<strong>19</strong><sup>.99</sup></li></ul></div><div class="product-buy-box is-product-blackfriday-first"><div class="product-pane"><div class="price-current_2026"><span class="price-current-label"></span>$<strong>1,220</strong><sup>.50</sup></div><div class="price-was"><span class="price-was-data">$1,379.00</span></div></div><button>Add to cart</button></div></div>""",
 name="Graphics Card 16GB", price=1220.5, currency="USD", list_price=1379, availability=S)
page("overstock-like, dollars and cents", "https://www.surplus.example/Lighting/1947/product.html", "en-us",
 '<title>Track Lighting Chrome - Surplus</title>',
 """<div id="product-page"><div class="product-title"><h1>Track Lighting Chrome Finish</h1><span>by <a id="brand-name" href="/b">Lumenta</a></span></div><div class="price"><section id="priceSection"><span class="sale-label">Sale:</span><span class="monetary-price-value" itemprop="price" content="269.99"><span class="sign">$</span><span class="dollars">269</span><span class="decimal">.</span><span class="cents">99</span></span><span class="reference-label">Compare at</span> <span class="reference-price-value">$439.00</span><span class="savings">Save $169.01 (38%)</span></section></div><div class="item-number">ITEM#: 19478614</div><form id="addToCartForm"><button>Add to Cart</button></form></div><div class="ratings"><span class="count">34 Reviews</span></div>""",
 name="Track Lighting Chrome Finish", price=269.99, currency="USD", list_price=439, availability=S, brand="Lumenta", sku="19478614", review_count=34)
page("wayfair-like", "https://www.homefair.example/lighting/pdp/lantern-j001.html", "en-US",
 '<title>Lantern Pendant | Homefair</title>' + ld({"@context": "http://schema.org", "@type": "Product", "name": "Lantern Pendant", "sku": "J001", "brand": {"@type": "Thing", "name": "Duprey"}, "offers": {"@type": "Offer", "availability": "http://schema.org/InStock", "priceCurrency": "USD", "price": "98.99"}, "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.7, "reviewCount": 210}}),
 """<header><h1 class="logo">Homefair</h1></header><h1 class="pl-Heading">Lantern Pendant</h1><div class="StandardPriceBlock"><div class="BasePriceBlock BasePriceBlock--highlight"><span class="notranslate">$98<sup>.99</sup></span></div><div class="SFPrice"><s>$180.00</s> <span>45% Off</span></div></div><span>$9/mo. for 12 mos</span><button>Add to Cart</button><h3>Compare Similar Items</h3><table><tr><td>$98.99</td><td>$112.99</td><td>$87.99</td></tr></table>""",
 name="Lantern Pendant", price=98.99, currency="USD", list_price=180, availability=S, sku="J001", brand="Duprey", rating=4.7, review_count=210)
page("costco-like, member only with dashes", "https://www.clubstore.example/sink.product.1004.html", "en-us",
 '<title>Stainless Sink Combo | ClubStore</title><meta property="og:type" content="product"><meta property="og:title" content="Stainless Sink Combo"><meta property="product:price:amount" content="329.99"><meta property="product:price:currency" content="USD">',
 """<h1 itemprop="name">Stainless Sink Combo</h1><p id="product-body-item-number">Item <span>1330472</span></p><div id="math-table"><div class="online-price" data-opvalue="MzI5"><span class="op-label">Online Price</span> <span class="value">$- -.- -</span></div><div id="pull-right-price"><span class="value">329.99</span><span class="currency">$</span></div></div><input id="add-to-cart-btn" value="Add to Cart" type="button">""",
 name="Stainless Sink Combo", price=329.99, currency="USD", availability=S, sku="1330472")
page("home depot-like, superscripts on both sides", "https://www.depothome.example/p/Mower/3111", "en-US",
 "<title>21 in. Mower - Depot Home</title>",
 """<h1 class="product-details__title">21 in. Mower</h1><div class="product-info-bar">Internet #311123 Model #M21 Store SKU #100445</div><div class="price"><div class="price-format__large price-format__main-price"><span class="price-format__large-symbols">$</span><span>299</span><span class="price-format__large-symbols">00</span></div><div class="price__was-price"><span class="u__strike"><span>$349.00</span></span></div><div>Save <span class="u__text--success">$50.00</span>(14%)</div></div><div>Pay $274.00 after $25 OFF your total qualifying purchase</div><button>Add to Cart</button>""",
 name="21 in. Mower", price=299, currency="USD", list_price=349, availability=S, sku=("100445", "M21", "311123"))
page("pottery-like, sale range with regular range", "https://www.barnpot.example/products/duvet/", "en-US",
 "<title>Linen Duvet | Barn Pot</title>" + ld({"@context": "http://schema.org", "@type": "Product", "name": "Linen Duvet", "offers": {"@type": "AggregateOffer", "lowPrice": "79.00", "highPrice": "349.00", "priceCurrency": "USD"}}),
 """<h1>Linen Duvet</h1><div class="product-price"><span class="price-group-message">Special</span> <span class="product-price-special"><span class="currency">$</span><span class="amount">79</span> – <span class="currency">$</span><span class="amount">349</span></span> <span class="price-regular">Reg. $99 – $429</span></div><button>Add to cart</button>""",
 name="Linen Duvet", price=79, price_max=349, currency="USD", list_price=(99, 429, None), availability=S)
page("shop with sticky bar before heading naming another price", "https://www.sleepy.example/products/mattress", "en-US",
 '<title>Sleepy Mattress</title><meta property="og:type" content="product"><meta property="og:price:amount" content="1,095.00"><meta property="og:price:currency" content="USD">',
 """<div class="promo-bar">Save $200 on any mattress + free pillows ($130 value)</div><h1>Sleepy Mattress</h1><div class="Price"><span class="Price__compare">$1,295</span><span class="Price__sale">$1,095</span></div><p>or $46/mo with 0% APR</p><fieldset><label>Twin $695</label><label>Queen $1,095</label><label>King $1,295</label></fieldset><button>Add to cart - $1,095</button>""",
 name="Sleepy Mattress", price=1095, currency="USD", list_price=1295, availability=S)
page("sold out with json-ld without price, others below", "https://www.keebs.example/products/board-65", "en",
 "<title>Board 65 – Keebs</title>" + ld({"@context": "http://schema.org", "@type": "Product", "name": "Board 65", "offers": {"@type": "Offer", "availability": "http://schema.org/OutOfStock", "priceCurrency": "USD"}}),
 """<h1>Board 65</h1><p>Sold out</p><form><button disabled>Sold out</button></form><div><h4>Other boards</h4><div class="tile"><a href="/p/1">Board 60</a><b>$120.00</b></div><div class="tile"><a href="/p/2">Board 75</a><b>$180.00</b></div></div>""",
 name="Board 65", availability="out_of_stock")
page("classified ad", "https://www.marktplein.example/a/fietsen/m1.html", "nl",
 "<title>Racefiets carbon maat 56 | Fietsen</title>",
 """<h1 class="title">Racefiets carbon maat 56</h1><span class="price">€ 450,00</span><div>Bieden vanaf € 400,00</div><ul class="bids"><li>Jan € 400,00</li><li>Piet € 405,00</li></ul><div>Conditie: Gebruikt</div><button>Bericht</button><h2>Vergelijkbare advertenties</h2><a href=/1>Fiets € 300,00</a>""",
 name="Racefiets carbon maat 56", price=450, currency="EUR", condition="used")
page("wine shop, per bottle and per case", "https://www.cellarlane.example/product/rioja", "en-GB",
 "<title>Rioja Reserva 2015 | Cellar Lane</title>",
 """<h1>Rioja Reserva 2015</h1><div class="prices"><span class="bottle">£12.99 per bottle</span><span class="mix">£9.99 when you mix six</span><span class="case">£59.94 per case of 6</span></div><button>Add to basket</button>""",
 name="Rioja Reserva 2015", price=(12.99, 9.99), currency="GBP", availability=S)
page("bookstore with list and member in table", "https://www.barnbooks.example/w/tides/112", "en-US",
 "<title>The Tides by M. Vale, Paperback | Barn Books</title>",
 """<h1 class="pdp-header-title" itemprop="name">The Tides</h1><span>by <a href="/a">M. Vale</a></span><div class="price"><span id="pdp-cur-price" class="price current-price">$<sup></sup>17.10</span> <s class="old-price">$19.00</s> <span>Save 10%</span></div><div id="formatSelect"><span>Paperback $17.10</span><span>Hardcover $28.00</span><span>NOOK $9.99</span></div><input type="submit" value="ADD TO CART"><p>Usually ships within 24 hours</p><dl><dt>ISBN-13:</dt><dd>9780306406157</dd></dl>""",
 name="The Tides", price=17.1, currency="USD", list_price=19, availability=S, gtin="9780306406157")
page("travel gear with color prices in swatches", "https://www.altitude.example/backpack-40", "en-CA",
 "<title>Backpack 40 - Altitude</title>",
 """<h1>Backpack 40</h1><div class="product-price"><span class="price-range">C$149.95</span></div><ul class="swatches"><li title="Red"><span class="swatch-price">C$149.95</span></li><li title="Blue"><span class="swatch-price">C$99.95</span></li></ul><button>Add to cart</button><p>Free shipping on orders over C$50</p>""",
 name="Backpack 40", price=149.95, currency="CAD", availability=S)
page("eu shop, price in h1's sibling without class and omnibus", "https://sklep.example/kurtka", "pl",
 "<title>Kurtka puchowa | Sklep</title>",
 """<h1>Kurtka puchowa</h1><div><div>299,00 zł</div><div><span>Cena regularna: </span><del>499,00 zł</del></div><div>Najniższa cena z 30 dni przed obniżką: 279,00 zł</div></div><button>Do koszyka</button>""",
 name="Kurtka puchowa", price=299, currency="PLN", list_price=(499,), availability=S)
page("price with currency code behind and switcher", "https://www.nordlys.example/eu/product/parka", "en",
 "<title>Parka | Nordlys</title>",
 """<ul class="currency"><li>EUR</li><li>USD</li><li>GBP</li></ul><h1>Parka</h1><p class="price">1,250.00 EUR</p><p>Duties included. Free returns within 30 days.</p><button>Add to bag</button>""",
 name="Parka", price=1250, currency="EUR", availability=S)
page("swedish with Ord. pris", "https://www.skohuset.example.se/p/kanga", "sv",
 "<title>Känga brun | Skohuset</title>",
 """<h1>Känga brun</h1><div class="ProductPrice"><span class="ProductPrice-current">799 kr</span> <span>Ord. pris 1 299 kr</span></div><p>Fri frakt från 499 kr</p><p>I lager</p><button>Lägg i varukorgen</button>""",
 name="Känga brun", price=799, currency="SEK", list_price=1299, availability=S)
page("sold auction lot with estimate", "https://www.hammer.example/lots/77", "en-GB",
 "<title>Lot 77: Oil painting of a harbour | Hammer</title>",
 """<h1>Lot 77: Oil painting of a harbour</h1><p>Estimate £800 - £1,200</p><p>Current bid <strong>£650</strong> (4 bids)</p><button>Place bid</button><p>Buyer's premium 25%. Minimum bid £680</p>""",
 name="Lot 77: Oil painting of a harbour", price=650, currency="GBP", availability=(S, None))
page("microdata without offers, price by class", "https://www.hobbyhut.example/train.html", "en-GB",
 "<title>Steam Train OO Gauge | Hobby Hut</title>",
 """<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Steam Train OO Gauge</h1><meta itemprop="sku" content="ST-OO"><p class="rrp">RRP: £149.99</p><p class="our_price">£119.99</p><p>You save £30.00</p><p class="stock">2 in stock</p><input type="image" src="/buy.gif" alt="Add to Basket"></div><div class="box">Gift Card £10.00</div>""",
 name="Steam Train OO Gauge", price=119.99, currency="GBP", list_price=149.99, availability=S, sku="ST-OO")
page("shop with cookie text, geo popup and price after long gallery", "https://www.veloworks.example/bikes/gravel-g2", "en-GB",
 "<title>Gravel G2 2020 | Veloworks</title>",
 "<div class='cookie'>We use cookies</div><div class='modal'>Ship to US? Prices in USD. Free over $150</div><div class=gallery>" + "".join(f"<div class=slide><img src='/g{n}.jpg' width=800 alt='Gravel G2'></div>" for n in range(12)) + """</div><div class="product-info"><span class="brandname">VELOWORKS</span><h1>Gravel G2 2020</h1><div class="price-area"><span class="rrp-label">RRP</span> <span class="rrp-value">£1,799.00</span><span class="sale-label">Now</span> <span class="sale-value">£1,349.00</span><span class="save-label">Save</span><span class="save-value">£450.00</span></div><a class="finance" href="/finance">From £37.47 per month</a><select><option>S - Out of stock</option><option>M - In stock</option></select><button id="addToBasket">Add to basket</button></div><div>Customers also bought<div><a href=/p/1>Pump</a> £19.99</div></div>""",
 name="Gravel G2 2020", price=1349, currency="GBP", list_price=1799, availability=S, brand="VELOWORKS")
page("supermarket us, sale with regular in sentence", "https://www.groceryville.example/p/olive-oil-16oz/22", "en-US",
 "<title>Olive Oil, 16 oz | Groceryville</title>",
 """<h1>Olive Oil, 16 oz</h1><div class="ProductPrice"><mark aria-label="$7.99 discounted from $9.49">$7.99<s class="original">$9.49</s></mark></div><div>$0.50/oz</div><div>SNAP eligible</div><div>Save $1.00 with card</div><button>Add to Cart</button>""",
 name="Olive Oil, 16 oz", price=7.99, currency="USD", list_price=9.49, availability=S)
page("luxury, price on several lines with tax note, sizes unavailable", "https://www.maisonverre.example/fr-fr/sac-lune.html", "fr-FR",
 "<title>Sac Lune en cuir | Maison Verre</title>",
 """<h1 class="product-name">Sac Lune en cuir</h1><p class="product-price">1 950,00&nbsp;€</p><p>TVA incluse</p><p>Livraison offerte</p><button>Ajouter au panier</button><button>Prendre rendez-vous</button><div class="product-ref">Référence: ML-2301</div>""",
 name="Sac Lune en cuir", price=1950, currency="EUR", availability=S, sku="ML-2301")
page("italian with virgola and risparmi", "https://www.casaviva.example/p/55", "it-IT",
 "<title>Macchina da caffè C3 - CasaViva</title>",
 """<h1>Macchina da caffè C3</h1><div class="prezzo-old">Prezzo consigliato: 199,90 €</div><div class="prezzo-new">Prezzo: <b>149,90 €</b></div><div>Risparmi: 50,00 € (25%)</div><div>Disponibilità immediata</div><button>Aggiungi al carrello</button>""",
 name="Macchina da caffè C3", price=149.9, currency="EUR", list_price=199.9, availability=S)
page("portuguese br, from-to and instalments bigger than price font", "https://www.lojaboa.example.br/geladeira/p", "pt-BR",
 "<title>Geladeira Frost Free 400L | Loja Boa</title>",
 """<h1>Geladeira Frost Free 400L</h1><p class="old">de R$ 3.499,00</p><p class="best">por <strong>R$ 2.849,05</strong> no Pix</p><p>ou <b>R$ 2.999,00</b> em 10x de R$ 299,90 sem juros</p><button>Comprar</button>""",
 name="Geladeira Frost Free 400L", price=(2849.05, 2999), currency="BRL", list_price=(3499, 2999), availability=S)
page("json-ld wrong product first (organization, two products)", "https://www.tilehaus.example/product/terrazzo-grey", "en-GB",
 "<title>Terrazzo Grey Tile | Tilehaus</title>" + ld([{"@context": "https://schema.org", "@type": "Organization", "name": "Tilehaus"}, {"@context": "https://schema.org", "@type": "Product", "name": "Sample pack", "offers": {"@type": "Offer", "price": "5.00", "priceCurrency": "GBP"}}, {"@context": "https://schema.org", "@type": "Product", "name": "Terrazzo Grey Tile", "sku": "TG1", "offers": {"@type": "Offer", "price": "42.50", "priceCurrency": "GBP", "availability": "https://schema.org/InStock"}}]),
 """<h1>Terrazzo Grey Tile</h1><p>£42.50 per m²</p><p>£5.00 sample</p><button>Add to basket</button>""",
 name="Terrazzo Grey Tile", price=42.5, currency="GBP", availability=S, sku="TG1")
page("json-ld price with comma and symbol", "https://www.teppich.example/berber", "de",
 "<title>Berber Teppich 160x230</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Berber Teppich 160x230", "offers": {"@type": "Offer", "price": "1.249,00 €", "priceCurrency": "EUR", "availability": "http://schema.org/InStock"}}),
 """<h1>Berber Teppich 160x230</h1><span>1.249,00 €</span><button>In den Warenkorb</button>""",
 name="Berber Teppich 160x230", price=1249, currency="EUR", availability=S)
page("json-ld in html comment and entities", "https://www.penfold.example/pens/nib", "en-US",
 """<title>Nib &amp; Co Pen</title><script type="application/ld+json"><!-- {"@context":"https://schema.org","@type":"Product","name":"Nib &amp; Co Pen","offers":{"@type":"Offer","price":"18.00","priceCurrency":"USD","availability":"InStock"}} --></script>""",
 """<h1>Nib &amp; Co Pen</h1><span class=price>$18.00</span><button>Add to cart</button>""",
 name="Nib & Co Pen", price=18, currency="USD", availability=S)
page("rdfa product with good relations price", "https://www.schrauben.example/m8", "de",
 "<title>Schraube M8 x 40</title>",
 """<div vocab="http://schema.org/" typeof="Product"><h1 property="name">Schraube M8 x 40</h1><span property="sku">M8-40</span><div property="offers" typeof="Offer"><span property="price" content="0.12">0,12</span> <span property="priceCurrency" content="EUR">€</span><link property="availability" href="http://schema.org/InStock"></div></div><button>In den Warenkorb</button>""",
 name="Schraube M8 x 40", price=0.12, currency="EUR", availability=S, sku="M8-40")
page("deposit and eco fee beside the price", "https://www.getraenke.example/cola-12", "de",
 "<title>Cola 12 x 1 l | Getränke</title>",
 """<h1>Cola 12 x 1 l</h1><div class="price">10,99 €</div><div>zzgl. 3,30 € Pfand</div><div>(0,92 € / 1 l)</div><button>In den Warenkorb</button>""",
 name="Cola 12 x 1 l", price=10.99, currency="EUR", availability=S)
page("was in the same element as now", "https://www.gardenco.example/bench", "en-GB",
 "<title>Garden Bench | Garden Co</title>",
 """<h1>Garden Bench</h1><p class="price">Was £249.00 Now £199.00 Save £50</p><p>Pre-order: dispatched from 3rd May</p><button>Pre-order now</button>""",
 name="Garden Bench", price=199, currency="GBP", list_price=249, availability="preorder")
page("percentage off and final below", "https://www.dealsport.example/shoe", "en-IN",
 "<title>Run Shoe | DealSport</title>",
 """<h1>Run Shoe</h1><div><span>MRP</span> <span>₹4,999</span></div><div><span>Price</span> <span>₹2,499</span> <span>(50% OFF)</span></div><div>Best price ₹2,249 with coupon SAVE10</div><button>ADD TO BAG</button>""",
 name="Run Shoe", price=2499, currency="INR", list_price=4999, availability=S)
page("product with several sellers offers table", "https://www.bookbarter.example/isbn/9780306406157", "en-US",
 "<title>The Salt Road - 9780306406157 - BookBarter</title>",
 """<h1>The Salt Road</h1><p>by Ines Marlow</p><p>ISBN 9780306406157</p><h3>Used from $3.49</h3><h3>New from $11.20</h3><table><tr><td>Good</td><td>$3.49</td><td>Shop A</td><td><button>Add to cart</button></td></tr><tr><td>Like new</td><td>$6.10</td><td>Shop B</td><td><button>Add to cart</button></td></tr></table>""",
 name="The Salt Road", price=(3.49, 11.2), currency="USD", availability=S, gtin="9780306406157")
page("coming soon", "https://www.gadgetly.example/p/ring-2", "en-US",
 '<title>Ring 2 - Gadgetly</title><meta property="og:type" content="product"><meta property="og:title" content="Ring 2">',
 """<h1>Ring 2</h1><p class="price">$299</p><p>Coming soon</p><button>Notify me</button>""",
 name="Ring 2", price=299, currency="USD", availability=("out_of_stock", "preorder", None))
page("kit with component prices listed", "https://www.brewkit.example/starter", "en-US",
 "<title>Starter Brew Kit | Brewkit</title>",
 """<h1>Starter Brew Kit</h1><div class="price">$129.00</div><button>Add to cart</button><h3>What's in the box</h3><ul><li>Fermenter (value $45.00)</li><li>Hydrometer (value $12.00)</li><li>Bottles (value $30.00)</li></ul>""",
 name="Starter Brew Kit", price=129, currency="USD", availability=S)
page("photo print, price by javascript option", "https://www.printlab.example/canvas", "en-US",
 "<title>Canvas Print - PrintLab</title>",
 """<h1>Canvas Print</h1><label>8x10 - $24.99</label><label>16x20 - $49.99</label><label>24x36 - $89.99</label><div class="total">Total: $24.99</div><button>Add to cart</button>""",
 name="Canvas Print", price=24.99, currency="USD", availability=S)
page("page in english for swedish shop without language", "https://www.nordkit.example.se/tent", "",
 "<title>Tent 2P | Nordkit</title>",
 """<h1>Tent 2P</h1><span class="price">3.499 kr</span><button>Add to cart</button>""",
 name="Tent 2P", price=3499, currency="SEK", availability=S)
page("arabic egypt pounds", "https://souq.example.eg/p/9", "ar-EG",
 "<title>خلاط كهربائي</title>",
 """<h1>خلاط كهربائي</h1><div class="price"><del>1,499 جنيه</del> <ins>1,199 جنيه</ins></div><button>أضف إلى العربة</button>""",
 name="خلاط كهربائي", price=1199, currency="EGP", list_price=1499, availability=S)
page("hardware with vat toggle", "https://www.fixings.example/bolt", "en-GB",
 "<title>Coach Bolt M10 (Pack of 10) | Fixings</title>",
 """<h1>Coach Bolt M10 (Pack of 10)</h1><div class="price-ex"><span>£8.32</span><span>ex VAT</span></div><div class="price-inc"><span>£9.98</span><span>inc VAT</span></div><p>48 in stock</p><button>Add to trolley</button><p>Next day delivery £4.95</p>""",
 name="Coach Bolt M10 (Pack of 10)", price=9.98, currency="GBP", availability=S)
page("subscription box with monthly only", "https://www.coffeebox.example/classic", "en-US",
 '<title>Classic Box | Coffee Box</title><meta property="og:type" content="product"><meta property="og:title" content="Classic Box"><meta property="product:price:amount" content="22"><meta property="product:price:currency" content="USD">',
 """<h1>Classic Box</h1><p>$22 / month</p><button>Subscribe</button>""",
 name="Classic Box", price=22, currency="USD")
