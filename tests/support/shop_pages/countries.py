# ruff: noqa: E501
# fmt: off
"""Product pages in the manner of large shops of many countries."""

from tests.support.shop_pages.building import Shelf, ld

SHELF = Shelf()
page = SHELF.add

S = "in_stock"
page("electronics us, json-ld @graph with two products, open box", "https://www.circuitbarn.example/site/55-tv/64.p", "en-US",
 '<title>Visio 55" Class 4K TV V55 - Circuit Barn</title><meta property="og:title" content="Visio - 55&quot; Class 4K TV"><meta property="og:type" content="product">',
 """<div class="header"><span>Top deals</span></div><div class="shop-product-title"><div class="sku-title"><h1 class="heading-5 v-fw-regular">Visio - 55" Class V-Series 4K TV</h1></div><div class="title-data"><div class="model product-data"><span class="product-data-label">Model:</span><span class="product-data-value body-copy">V55</span></div><div class="sku product-data"><span class="product-data-label">SKU:</span><span class="product-data-value">6437741</span></div></div><p class="visually-hidden">Rating 4.5 out of 5 stars with 2031 reviews</p></div>
<div class="priceView-layout-large"><div class="priceView-hero-price priceView-customer-price"><span aria-hidden="true">$399.99</span><span class="sr-only">Your price for this item is $399.99</span></div><div class="pricing-price__regular-price">Was $479.99</div><div class="pricing-price__savings">Save $80.00</div></div><div class="finance">or <b>$33.34/mo.</b> for 12 months</div><div class="open-box"><a href="/site/open-box">Open-Box: from $327.99</a></div><div class="protection"><label>2-Year Plan <span>$59.99</span></label></div><button class="btn btn-primary add-to-cart-button">Add to Cart</button><section><h2>Frequently viewed together</h2><div><a href="/a">Soundbar</a><div class="priceView-customer-price"><span>$149.99</span></div></div></section>""",
 name='Visio - 55" Class V-Series 4K TV', price=399.99, currency="USD", list_price=479.99, availability=S, sku="6437741", rating=4.5, review_count=2031)
page("newegg-like sup price", "https://www.partsegg.example/p/N82E16", "en-us",
 "<title>Solid State Drive 1TB NVMe - PartsEgg.example</title>",
 """<div class="page-content"><ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/s">Storage</a></li><li><a href="/ssd">SSDs</a></li></ol><div class="product-wrap"><h1 class="product-title">Solid State Drive 1TB NVMe</h1><div class="product-inventory"><strong>In stock.</strong> Limit 5 per customer.</div><div class="product-buy-box"><ul class="price"><li class="price-note"></li><li class="price-was"><span class="price-was-data">$129.99</span></li><li class="price-current"><span class="price-current-label"></span>$<strong>94</strong><sup>.99</sup></li><li class="price-save"><span class="price-save-label">Save: </span><span class="price-save-percent">26%</span></li><li class="price-ship">Free Shipping</li></ul><button class="btn btn-primary btn-wide">Add to cart <i class="fas"></i></button></div></div></div>""",
 name="Solid State Drive 1TB NVMe", price=94.99, currency="USD", list_price=129.99, availability=S, category="Storage > SSDs")
page("department store, sale range and colors", "https://www.fairbanks.example/shop/product/womens-blouse?ID=8801", "en-US",
 "<title>Women's Silk Blouse & Reviews - Tops - Fairbanks</title>" + ld({"@context": "http://schema.org", "@type": "Product", "name": "Women's Silk Blouse", "productID": "8801", "brand": {"@type": "Brand", "name": "Alba"}, "image": "https://slimages.example/1.tif", "offers": [{"@type": "Offer", "SKU": "1", "itemOffered": {"@type": "Product", "name": "blue S"}, "availability": "http://schema.org/InStock", "priceCurrency": "USD", "price": 59.5}, {"@type": "Offer", "availability": "http://schema.org/InStock", "priceCurrency": "USD", "price": 59.5}]}),
 """<div class="star-deals">$10 off $50 with code</div><h1 class="p-name h3" itemprop="name"><div class="brand"><a href="/b/alba">Alba</a></div> Women's Silk Blouse</h1><div class="price-wrapper"><div class="lowest-sale-price"><span class="bold">$41.65</span> <span>(30% off)</span></div><div class="c-strike">$59.50</div></div><div>Now $41.65 with code</div><button class="button expanded">Add To Bag</button>""",
 name=("Alba Women's Silk Blouse", "Women's Silk Blouse"), price=41.65, currency="USD", list_price=59.5, availability=S, brand="Alba", sku="8801")
page("uk catalogue shop, stock check", "https://www.cataloghouse.example/product/4471120", "en-GB",
 "<title>Buy Steam Iron 2400W | Irons | Catalog House</title>",
 """<h1 class="Namestyles__Title"><span data-test="product-title">Steam Iron 2400W</span></h1><div itemprop="brand"><a href="/b">Pressella</a></div><span itemprop="sku">447/1120</span><section data-test="product-price"><li itemprop="price" content="24.99" class="Pricestyles__PriceLi"><h2>£24.99</h2></li><li class="was"><small>Was £39.99</small></li></section><div>Spread the cost. 3 months on orders over £49</div><form><input placeholder="Postcode"><button>Check stock</button></form><button data-test="add-to-trolley-button">Add to trolley</button><div>Add care: 3 years <b>£4.99</b></div>""",
 name="Steam Iron 2400W", price=24.99, currency="GBP", list_price=39.99, availability=S, brand="Pressella", sku="447/1120")
page("fashion uk, price in script only with visible duplicate", "https://www.asso.example/prd/2233", "en-GB",
 '<title>ASSO midi dress in green | ASSO</title><meta property="og:title" content="ASSO midi dress in green | ASSO">' + ld({"@context": "https://schema.org", "@type": "Product", "name": "ASSO midi dress in green", "brand": {"@type": "Brand", "name": "ASSO"}, "sku": "2233", "color": "Green", "image": "https://images.asso.example/2233-1"}),
 """<div id="aside-content"><div class="product-hero"><h1>ASSO midi dress in green</h1></div><span data-id="current-price" data-testid="current-price" class="product-price-discounted">Now £21.00</span> <span data-id="previous-price" class="grid-text">Was £42.00</span> <span>(-50%)</span><select><option>UK 6 - Not available</option><option>UK 8</option></select><button data-test-id="add-button"><span>Add to bag</span></button><div>Free delivery over £35</div></div><h2>You might also like</h2><ul><li><a href="/p/1"><p>Dress A</p><span>£30.00</span></a></li></ul>""",
 name="ASSO midi dress in green", price=21, currency="GBP", list_price=42, availability=S, brand="ASSO", sku="2233", images="https://images.asso.example/2233-1")
page("german electronics, price dash in spans", "https://www.mediahalle.example/de/product/_geschirrspueler-260.html", "de",
 '<title>Geschirrspüler GS 60 kaufen | MediaHalle</title><meta itemprop="price" content="399.00">',
 """<div id="product-details"><div class="details"><h1 itemprop="name">SPÜLA GS 60 Geschirrspüler (598 mm breit, 44 dB)</h1><dl><dt>Art.-Nr.:</dt><dd>2604422</dd></dl></div><div class="price-sidebar"><div class="price big length-4">399,-</div><small>inkl. MwSt. zzgl. Versand <span>29,90 €</span></small><div class="old-price">UVP 649.-</div><div class="availability"><ul><li class="online-available">Online auf Lager</li></ul></div><a class="button js-buy">In den Warenkorb</a></div></div><div>Finanzierung ab 18,15 € / Monat</div>""",
 name="SPÜLA GS 60 Geschirrspüler (598 mm breit, 44 dB)", price=399, currency=("EUR", None), list_price=(649, None), availability=S, sku="2604422")
page("otto-like, ratings and services", "https://www.ottokar.example/p/boxspringbett-mira-C77/", "de",
 '<title>Mira Boxspringbett online kaufen | OTTOKAR</title>',
 """<div class="p_promo">15€ Gutschein für Neukunden</div><h1 class="js_pdp_short-info__main-name">Mira Boxspringbett, mit Topper</h1><div class="pdp_customer-rating"><span class="pdp_cr-stars" aria-label="4,5 von 5 Sternen"></span><a>(118)</a></div><div class="pdp_price"><span class="pdp_price__retail-price">€ 899,00</span><span class="pdp_price__price">€ 549,99</span><span>-38%</span></div><div class="pdp_price__tax">inkl. MwSt, zzgl. Versandkosten</div><div>oder 48 Raten ab 14,27 €</div><div>lieferbar - in 3 Wochen bei dir</div><button>In den Warenkorb</button><div>Altgeräte-Mitnahme 19,99 €</div>""",
 name="Mira Boxspringbett, mit Topper", price=549.99, currency="EUR", list_price=899, availability=S, rating=4.5, review_count=118)
page("music shop, price before name in buy box", "https://www.klanghaus.example/de/gitarre_st62.htm", "de",
 "<title>Gitarre ST-62 – Klanghaus Deutschland</title>",
 """<div class="product-main"><div class="product-title"><h1 itemprop="name">Harlan ST-62 Vintage</h1></div><p>E-Gitarre</p><ul><li>Korpus: Erle</li></ul></div><div class="product-buy"><div class="price-and-availability"><div class="price-wrapper"><div class="price">139 €</div><p>Alle Preise inkl. MwSt.</p><p>Versandkostenfrei ab 99 €</p></div><span class="availability">sofort lieferbar</span></div><button>In den Warenkorb</button></div><div class="artikelnummer">Artikelnummer 199301</div><div class="bundles">Im Set günstiger: <a href="/set1">Set 1 € 179</a> <a href="/set2">Set 2 € 219</a></div>""",
 name="Harlan ST-62 Vintage", price=139, currency="EUR", availability=S, sku="199301")
page("french electronics, euros superscript", "https://www.fnouc.example/a1399/casque-audio-zik", "fr",
 '<title>Casque audio Zik - Casque - Achat & prix | fnouc</title>',
 """<h1 class="f-productHeader-Title">Casque audio Zik sans fil noir</h1><div class="f-faPriceBox"><span class="f-faPriceBox__price userPrice checked">149<sup>€99</sup></span><del>199€99</del></div><div>Ou 4x 38,25€</div><p class="f-buyBox-availabilityStatus">En stock en ligne</p><button class="f-buyBox-button">Ajouter au panier</button><div>Autres offres à partir de 139€00 <a href="/o">neufs</a></div>""",
 name="Casque audio Zik sans fil noir", price=149.99, currency="EUR", list_price=199.99, availability=S)
page("french marketplace, cents after sign", "https://www.cdiscompte.example/f-1170.html", "fr-FR",
 "<title>Canapé d'angle 5 places - Cdiscompte</title>",
 """<h1 itemprop="name">Canapé d'angle 5 places gris</h1><div class="fpPriceBloc"><div class="fpStriked jsStriked">au lieu de 799,99 €</div><span class="fpPrice price jsMainPrice" itemprop="price" content="449,99">449€<span>99</span></span><span class="fpPriceEco">dont 14,50 € d'éco-part.</span></div><div class="fpStock">En stock</div><input type="submit" value="Ajouter au panier"><p>Livraison 39,99 €</p>""",
 name="Canapé d'angle 5 places gris", price=449.99, currency="EUR", list_price=799.99, availability=S)
page("spanish department store", "https://www.elcorte.example/hogar/A31/", "es-ES",
 "<title>Juego de sábanas · El Corte · Hogar</title>",
 """<header>Envío gratis desde 50€</header><div class="product-detail"><p class="brand"><a href="/marca">Lino&Co</a></p><h1 class="product-title">Juego de sábanas algodón 200 hilos</h1><div class="product-price"><span class="current sale">35,95 €</span><span class="former stroked">59,95 €</span><span class="discount">-40%</span></div><p>Ref. A3198-12</p><select><option>Cama 90 cm</option></select><button>Añadir a la cesta</button></div>""",
 name="Juego de sábanas algodón 200 hilos", price=35.95, currency="EUR", list_price=59.95, availability=S, brand="Lino&Co", sku="A3198-12")
page("dutch retailer, strikethrough reader text", "https://www.koelblauw.example/product/9921/laptop.html", "nl-NL",
 '<title>Laptop 14 inch 16GB - Koelblauw - Voor 23.59u, morgen in huis</title>' + ld({"@context": "https://schema.org", "@type": "Product", "name": "Laptop 14 inch 16GB", "brand": {"@type": "Brand", "name": "Nimbus"}, "gtin13": "4006381333931", "mpn": "NB14", "sku": "9921", "offers": {"@type": "Offer", "price": 799.0, "priceCurrency": "EUR", "availability": "https://schema.org/InStock", "itemCondition": "https://schema.org/NewCondition"}, "aggregateRating": {"@type": "AggregateRating", "ratingValue": 9.1, "bestRating": 10, "reviewCount": 88}}),
 """<h1><span class="js-product-name">Laptop 14 inch 16GB</span></h1><div class="sales-price sales-price--large"><span class="sales-price__former"><span class="screen-reader-only">Oude prijs:</span>899,-</span><strong class="sales-price__current">799,-</strong></div><button>In mijn winkelwagen</button>""",
 name="Laptop 14 inch 16GB", price=799, currency="EUR", list_price=(899, None), availability=S, brand="Nimbus", gtin="4006381333931", mpn="NB14", sku="9921", rating=4.55, review_count=88, condition="new")
page("polish electronics", "https://www.x-sklep.example/p/5122-monitor-27.html", "pl",
 '<title>Monitor 27" 144Hz - x-sklep.example</title>',
 """<div class="sc-free">Darmowa dostawa od 99 zł</div><h1 class="sc-1bker4h-4">Monitor 27" 144Hz</h1><div><span>od </span><a href="/m">Vertex</a></div><div>kod producenta: VX27 | kod x: 5122</div><div class="u7xnnm-3"><div class="u7xnnm-2">1 299,00 zł</div><div class="u7xnnm-4">999,00 zł</div></div><div>Raty 10 x 99,90 zł</div><button title="Dodaj do koszyka">Dodaj do koszyka</button><div>Dostępny</div>""",
 name='Monitor 27" 144Hz', price=999, currency="PLN", list_price=1299, availability=S)
page("czech, vat and dash", "https://www.alzak.example/sluchatka-d556.htm", "cs-CZ",
 "<title>Sluchátka Hi-Fi One | Alzak.example</title>",
 """<h1 itemprop="name">Sluchátka Hi-Fi One</h1><div class="pricenormal"><span class="c1">Cena</span><span class="c2">2 489,-</span></div><div class="priceDetail"><span class="price_withVat">1 990,-</span> <span class="price_withoutVat">bez DPH 1 645,-</span></div><span class="stcStock">Skladem &gt; 5 ks</span><a class="btnx normal green buy">Koupit</a><span>Kód: OX55</span>""",
 name="Sluchátka Hi-Fi One", price=1990, currency=("CZK", None), list_price=(2489, None), availability=S, sku=("OX55", None))
page("romanian emog", "https://www.emog.example.ro/frigider-no-frost/pd/D1/", "ro",
 "<title>Frigider No Frost 364 l - eMOG.ro</title>",
 """<h1 class="page-title">Frigider No Frost 364 l, clasa A++</h1><div class="product-code-display">Cod produs: D1XZ</div><div class="product-page-pricing"><p class="product-old-price"><span>PRP: </span><s>2.199<sup>99</sup> <span>Lei</span></s> <span>(-18%)</span></p><p class="product-new-price">1.799<sup>99</sup> <span>Lei</span></p></div><span class="label label-in_stock">in stoc</span><button>Adauga in Cos</button><h3>Alte oferte</h3><p>de la 1.849,99 Lei</p>""",
 name="Frigider No Frost 364 l, clasa A++", price=1799.99, currency="RON", list_price=2199.99, availability=S, sku="D1XZ")
page("russian, no price words in classes", "https://www.dnc.example.ru/product/77/", "ru",
 "<title>Купить Мышь беспроводная M1 в интернет магазине. Характеристики, цена</title>",
 """<h1 class="product-card-top__title">Мышь беспроводная M1</h1><div class="product-card-top__code">Код товара: 1327854</div><a class="product-card-top__rating" data-rating="4.6"><i></i> 4.6</a><div class="product-buy__price-wrap"><div class="product-buy__price product-buy__price_active">1 299 ₽<span class="product-buy__prev">1 599</span></div><div class="product-buy__sub">от 130 ₽/ мес.</div></div><div class="order-avail-wrap">В наличии: в 12 магазинах</div><button class="button-ui buy-btn">Купить</button>""",
 name="Мышь беспроводная M1", price=1299, currency="RUB", list_price=(1599, None), availability=S, sku="1327854", rating=4.6)
page("ukrainian rozetka-like", "https://rozetta.example.ua/ua/chainyk/p19/", "uk",
 "<title>Чайник скляний 1.7 л – фото, відгуки, характеристики | ROZETTA</title>",
 """<h1 class="product__title">Чайник скляний 1.7 л</h1><p class="product__code">Код: 19445</p><div class="product-prices__inner"><p class="product-prices__small">1 199 ₴</p><p class="product-prices__big product-prices__big_color_red">899 ₴</p></div><p class="status-label">Є в наявності</p><button class="buy-button"><span>Купити</span></button>""",
 name="Чайник скляний 1.7 л", price=899, currency="UAH", list_price=1199, availability=S, sku="19445")
page("indian flipcard", "https://www.flipcard.example/phone-x/p/itm1?pid=MOB1", "en-IN",
 "<title>Phone X (Black, 64 GB) - Buy Online at Flipcard.example</title>",
 """<div><a href="/viewcart">Cart</a></div><div class="_1AtVbE"><h1 class="yhB1nd"><span class="B_NuCI">Phone X (Black, 64 GB)&nbsp;&nbsp;(4 GB RAM)</span></h1><div><span id="productRating_1"><div class="_3LWZlK">4.4</div></span><span class="_2_R_DZ"><span>1,53,207 Ratings&nbsp;</span><span>&amp;</span><span>&nbsp;10,112 Reviews</span></span></div><div>Extra ₹2,000 off</div><div class="CEmiEU"><div class="_25b18c"><div class="_30jeq3 _16Jk6d">₹11,499</div><div class="_3I9_wc _2p6lqe">₹13,999</div><div class="_3Ay6Sb"><span>17% off</span></div></div></div><div>Bank Offer 10% off up to ₹1,250</div><div>Get it exchanged for up to ₹10,850 off</div><div>Deliver by Tue | ₹40</div><ul><li><button>ADD TO CART</button></li><li><button>BUY NOW</button></li></ul></div>""",
 name="Phone X (Black, 64 GB) (4 GB RAM)", price=11499, currency="INR", list_price=13999, availability=S, rating=(4.4, None), review_count=(153207, 10112))
page("indian sold out", "https://www.mantra.example/kurta/9/buy", "en-IN",
 "<title>Buy Block Print Kurta - Kurtas for Women | Mantra</title>",
 """<div class="pdp-price-info"><h1 class="pdp-title">Hathi</h1><h1 class="pdp-name">Block Print Kurta</h1><p class="pdp-discount-container"><span class="pdp-price"><strong>Rs. 839</strong></span><span class="pdp-mrp"><s>MRP Rs. 1399</s></span><span class="pdp-discount">(40% OFF)</span></p><p class="pdp-vatInfo">inclusive of all taxes</p></div><div class="size-buttons">SIZES</div><div class="pdp-out-of-stock">This item is out of stock</div><button class="pdp-notify">Notify me</button>""",
 name="Block Print Kurta", price=839, currency="INR", list_price=1399, availability="out_of_stock")
page("lazada-like pdp-price", "https://www.lazar.example.sg/products/fan-i2.html", "en",
 '<title>Desk Fan USB | Lazar Singapore</title>' + ld({"@context": "https://schema.org", "@type": "Product", "name": "Desk Fan USB", "brand": {"@type": "Brand", "name": "No Brand"}, "sku": "2", "offers": {"@type": "AggregateOffer", "priceCurrency": "SGD", "lowPrice": 15.9, "offerCount": 2, "availability": "https://schema.org/InStock"}}),
 """<h1 class="pdp-mod-product-badge-title">Desk Fan USB</h1><div class="pdp-product-price"><span class="pdp-price pdp-price_type_normal pdp-price_color_orange">$15.90</span><div class="origin-block"><span class="pdp-price pdp-price_type_deleted">$29.90</span><span class="pdp-product-price__discount">-47%</span></div></div><div class="delivery-option-item__shipping-fee">$1.49</div><button>Buy Now</button><button>Add to Cart</button>""",
 name="Desk Fan USB", price=15.9, currency="SGD", list_price=29.9, availability=S, brand="No Brand", sku="2")
page("shopee-like range with discount", "https://shopie.example.my/Kasut-i.1.2", "ms",
 "<title>Kasut Sukan Lelaki | Shopie Malaysia</title>",
 """<div class="page-product"><div class="flex flex-auto"><div class="attM6y"><span>Kasut Sukan Lelaki</span></div><div class="flex"><div class="OitLRu">4.8</div><div>1.2k Ratings</div><div>3.4k Sold</div></div><div class="_2iXiyp"><div class="_2MaBXe">RM59.90 - RM79.90</div><div class="_3e_UQT">RM35.90 - RM47.90</div><div class="MITExd">40% off</div></div><div>Shipping RM4.90</div><button>Add to cart</button><button>Buy now</button></div></div>""",
 name="Kasut Sukan Lelaki", price=35.9, price_max=47.9, currency="MYR", list_price=(59.9, 79.9, None), availability=S)
page("japanese electronics points", "https://www.yodoba.example/product/1001/", "ja",
 "<title>ヨドバ.com - 電気ケトル 0.8L ホワイト 通販【全品無料配達】</title>",
 """<h1 id="products_maintitle"><span>電気ケトル 0.8L ホワイト</span></h1><ul><li>価格：<span id="js_scl_unitPrice" class="productPrice">￥3,980</span>（税込）</li><li>ゴールドポイント 398ポイント（10%還元）</li><li>販売終了日</li></ul><p class="uiIconTxt">在庫あり</p><a class="js_c_cartButton">ショッピングカートに入れる</a><h2>この商品を見た人はこれも見ています</h2><div><a href="/p/2">ケトルA</a>￥2,980</div>""",
 name="電気ケトル 0.8L ホワイト", price=3980, currency="JPY", availability=S)
page("korean marketplace", "https://www.coupong.example/vp/products/77", "ko",
 '<title>무선 청소기 - 진공청소기 | 쿠퐁</title><meta property="og:title" content="무선 청소기 - 진공청소기 | 쿠퐁">',
 """<h2 class="prod-buy-header__title">무선 청소기</h2><a class="moveAnchor"><span class="count">1,204개 상품평</span></a><div class="prod-price-container"><div class="prod-origin-price"><span class="discount-rate">25%</span><span class="origin-price">199,000원</span></div><div class="prod-sale-price"><span class="total-price"><strong>149,000<span class="price-unit">원</span></strong></span></div></div><div class="prod-shipping-fee">무료배송</div><button class="prod-cart-btn">장바구니 담기</button><button class="prod-buy-btn">바로구매</button>""",
 name="무선 청소기", price=149000, currency="KRW", list_price=199000, availability=S)
page("chinese tmall-like", "https://detail.tiane.example.cn/item.htm?id=55", "zh",
 "<title>不锈钢保温杯500ml-天鹅</title>",
 """<div class="tb-detail-hd"><h1>不锈钢保温杯500ml</h1></div><dl class="tm-price-panel"><dt>价格</dt><dd><em class="tm-yen">¥</em><span class="tm-price">129.00</span></dd></dl><dl class="tm-promo-panel"><dt>促销价</dt><dd><em class="tm-yen">¥</em> <span class="tm-price">79.00</span></dd></dl><div>运费 ¥8.00</div><div class="tb-btn-buy"><a>立即购买</a></div><div class="tb-btn-basket"><a>加入购物车</a></div>""",
 name="不锈钢保温杯500ml", price=79, currency="CNY", list_price=129, availability=S)
page("brazilian cash price first", "https://www.kabumba.example.br/produto/99/ssd-480", "pt-BR",
 "<title>SSD 480GB - KaBUMba</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "SSD 480GB", "sku": "99", "offers": {"@type": "Offer", "price": 249.9, "priceCurrency": "BRL", "availability": "https://schema.org/InStock"}}),
 """<h1 class="titulo_det">SSD 480GB</h1><div class="preco_traco">De: R$ 329,90 por: <strong>R$ 293,99</strong></div><div class="preco_desconto">R$ 249,90 à vista</div><div>em até 10x de R$ 29,40 sem juros</div><button>COMPRAR</button>""",
 name="SSD 480GB", price=249.9, currency="BRL", list_price=(329.9, 293.99, None), availability=S, sku="99")
page("argentinian, price with decimals hidden", "https://www.fravoga.example.ar/p/heladera-22/", "es-AR",
 "<title>Heladera Ciclica 277 Lts - Fravoga</title>",
 """<h1>Heladera Cíclica 277 Lts</h1><div class="sc-price"><span class="sc-old">$1.099.999</span><div class="sc-now"><span>$874.999</span></div><span>20% OFF</span></div><p>12 cuotas sin interés de $72.916</p><p>Precio sin impuestos nacionales: $723.139</p><button>Comprar</button>""",
 name="Heladera Cíclica 277 Lts", price=874999, currency="ARS", list_price=1099999, availability=S)
page("tailwind headless shop", "https://www.loftly.example/products/nora-chair", "en",
 '<title>Nora Chair | Loftly</title><meta name="description" content="Chairs from $89">',
 """<nav class="flex items-center font-normal"><a href="/">Loftly</a></nav><main class="mx-auto"><div class="grid grid-cols-2"><div class="relative"><img src="/img/nora.jpg" class="w-full" alt="Nora Chair"></div><div class="px-4"><h1 class="text-3xl font-normal">Nora Chair</h1><p class="mt-2 text-xl font-normal full-width">$189</p><div class="mt-4"><button class="bg-black text-white px-6">Add to cart — $189</button></div><ul class="list-none text-sm"><li>Ships in 2 days</li></ul></div></div></main>""",
 name="Nora Chair", price=189, currency="USD", availability=S)
page("button with the price only", "https://www.zineshop.example/zines/moth", "en-us",
 "<title>Moth #4 — Zineshop</title>",
 """<h1>Moth #4</h1><p>48 pages, risograph.</p><button>Buy now $14.00</button><p>Ships worldwide.</p>""",
 name="Moth #4", price=14, currency="USD", availability=S)
page("old html shop, tables, no classes", "https://www.wollecke.example/artikel.php?id=331", "de",
 "<title>Merinowolle 50g - Wollecke</title>",
 """<table width=800><tr><td><a href="/">Start</a> | <a href="/agb">AGB</a> | <a href="/korb">Warenkorb (0 Artikel, 0,00 EUR)</a></td></tr><tr><td><font size=5><b>Merinowolle 50g</b></font><br>Best.-Nr.: MW-50<br>Preis: <b>4,95 EUR</b> (99,00 EUR/kg)<br>inkl. 19% MwSt., zzgl. Versand<br><form>Menge <input name=menge size=3> <input type=submit value="in den Warenkorb"></form></td></tr></table>""",
 name="Merinowolle 50g", price=4.95, currency="EUR", availability=S, sku="MW-50")
page("microdata with offers per seller and condition", "https://www.rebuy-it.example/i,1/konsole", "de",
 "<title>Konsole 500 GB gebraucht kaufen</title>",
 """<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Spielkonsole 500 GB</h1><meta itemprop="sku" content="11"><div itemprop="offers" itemscope itemtype="http://schema.org/AggregateOffer"><meta itemprop="lowPrice" content="119.99"><meta itemprop="highPrice" content="159.99"><meta itemprop="priceCurrency" content="EUR"><div class="price-box"><span class="price">139,99 €</span><del>299,00 €</del></div><div>Zustand: <select><option>sehr gut</option><option>gut</option></select></div><button>In den Warenkorb</button></div></div>""",
 name="Spielkonsole 500 GB", price=(119.99, 139.99), currency="EUR", list_price=(299, None), availability=S, sku="11")
page("og product only, price per meta, sold out text", "https://www.kidsbarn.example/p/play-tent", "en-US",
 '<title>Play Tent - Kids Barn</title><meta property="og:type" content="og:product"><meta property="og:title" content="Play Tent"><meta property="og:price:amount" content="1,299.00"><meta property="og:price:currency" content="USD">',
 """<h1>Play Tent</h1><div>$1,299.00</div><p>Temporarily out of stock</p>""",
 name="Play Tent", price=1299, currency="USD", availability="out_of_stock")
page("json-ld stale list price, member price seen lower", "https://www.outdoorcoop.example/product/180/down-jacket", "en-US",
 "<title>Down Jacket - Men's | Outdoor Coop</title>" + ld({"@context": "https://schema.org", "@type": "Product", "name": "Down Jacket - Men's", "sku": "180", "brand": "Alpinist", "offers": [{"@type": "Offer", "price": "139.73", "priceCurrency": "USD", "availability": "https://schema.org/InStock"}, {"@type": "Offer", "price": "199.95", "priceCurrency": "USD", "availability": "https://schema.org/InStock"}]}),
 """<h1 id="product-page-title"><a href="/b/alpinist">Alpinist</a> Down Jacket - Men's</h1><span class="price-value">$139.73 - $199.95</span><p>Members earn $13.97</p><button>Add to cart</button>""",
 name=("Down Jacket - Men's", "Alpinist Down Jacket - Men's"), price=139.73, price_max=199.95, currency="USD", availability=S, sku="180", brand="Alpinist")
page("auction house german", "https://www.versteigerung.example/los/881", "de",
 "<title>Los 881: Art Déco Tischuhr</title>",
 """<h1>Art Déco Tischuhr</h1><div>Startpreis: 80 €</div><div>Aktuelles Gebot: <b>125 €</b> (9 Gebote)</div><div>Schätzpreis: 200 - 300 €</div><div>Endet in 3 Tagen</div><input placeholder="130 €"><button>Gebot abgeben</button><div>Versand: 12 €</div>""",
 name="Art Déco Tischuhr", price=125, currency="EUR", availability=(S, None))
page("ended auction sold price", "https://www.bidhall.example/itm/441", "en-us",
 "<title>Antique Map 1820 | BidHall</title>",
 """<h1 class="it-ttl">Antique Map 1820</h1><div class="msg">Bidding has ended on this item.</div><div>Ended: Jan 4</div><div class="vi-price">Winning bid: <span id="prcIsum_bidPrice">US $210.00</span></div><div>Shipping: $15.00</div><h2>Similar items</h2><a href="/1">Map <b>$99.00</b></a>""",
 name="Antique Map 1820", price=210, currency="USD", availability="out_of_stock")
page("wholesale tiers, unit price table", "https://www.packwell.example/s-4080", "en-US",
 "<title>Mailing Tubes 2 x 12\" S-4080 - Packwell</title>",
 """<h1>Mailing Tubes - 2 x 12"</h1><table><tr><th>Model</th><th>Price each, carton of 50</th><th>5+</th></tr><tr><td>S-4080</td><td>$0.98</td><td>$0.91</td></tr></table><p>In stock, ships today</p><input value="Add to cart" type="submit">""",
 name='Mailing Tubes - 2 x 12"', price=0.98, currency="USD", availability=S)
page("software, download", "https://www.notewell.example/buy", "en-US",
 "<title>Notewell Pro – Buy</title>" + ld({"@context": "https://schema.org", "@type": "SoftwareApplication", "name": "Notewell Pro", "operatingSystem": "Windows", "offers": {"@type": "Offer", "price": "49.00", "priceCurrency": "USD"}, "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.7", "ratingCount": "913"}}),
 """<h1>Notewell Pro</h1><p>$49 one-time</p><button>Buy now</button>""",
 name="Notewell Pro", price=49, currency="USD", availability=S, rating=4.7, review_count=913)
page("car dealer", "https://www.autohof.example/fahrzeug/kombi-1-5", "de",
 "<title>Kombi 1.5 TSI | Autohof</title>" + ld({"@context": "https://schema.org", "@type": ["Product", "Car"], "name": "Kombi 1.5 TSI", "brand": {"@type": "Brand", "name": "Wagna"}, "mileageFromOdometer": {"@type": "QuantitativeValue", "value": "21000"}, "offers": {"@type": "Offer", "price": "21990", "priceCurrency": "EUR", "itemCondition": "http://schema.org/UsedCondition", "availability": "http://schema.org/InStock"}}),
 """<h1>Kombi 1.5 TSI</h1><div>21.990 €</div><div>ab 249 € mtl.</div><div>21.000 km</div><button>Anfragen</button>""",
 name="Kombi 1.5 TSI", price=21990, currency="EUR", availability=S, brand="Wagna", condition="used")
page("pharmacy with pack variants", "https://www.apomed.example/vitamin-d3-tabletten-p123", "de",
 "<title>Vitamin D3 Tabletten, 60 St. | apomed</title>",
 """<h1>Vitamin D3 Tabletten</h1><p>60 St | Tabletten | PZN: 01234567</p><div class="pack"><label>60 St <b>9,95 €</b></label><label>120 St <b>17,95 €</b></label></div><div class="price-box"><span class="price-box__price">9,95 €</span><span class="price-box__avp">AVP² 13,49 €</span><span class="price-box__save">Sie sparen 26%</span><span class="price-box__base">0,17 € / 1 St</span></div><p>Sofort lieferbar</p><button>In den Warenkorb</button>""",
 name="Vitamin D3 Tabletten", price=9.95, currency="EUR", list_price=(13.49, None), availability=S)
page("page with long navigation before heading and reviews naming prices", "https://www.toolworld.example/drill-d18", "en-GB",
 "<title>Cordless Drill D18 | Toolworld</title>",
 "<div class='menu'>" + "".join(f"<div><a href='/c{n}'>Category {n}</a><span>from £{n}9</span></div>" for n in range(1, 30)) + """</div><h1>Cordless Drill D18</h1><div class="buy"><div class="inc-vat">£119.99 <span>inc. VAT</span></div><div class="ex-vat">£99.99 <span>ex. VAT</span></div><button>Add to Basket</button></div><div class="tabs"><h3>Reviews</h3><p>I paid £149.99 elsewhere. Great for £120!</p><p>Worth £200.</p></div>""",
 name="Cordless Drill D18", price=119.99, currency="GBP", availability=S)
page("h1 is the shop, name in h2", "https://www.oilmill.example/produkt/leinoel", "de",
 "<title>Leinöl kaltgepresst 250 ml - Ölmühle Auer</title>",
 """<header><h1><a href="/">Ölmühle Auer</a></h1></header><div class="content"><h2>Leinöl kaltgepresst 250 ml</h2><div class="preis">6,80 € <small>(27,20 € / Liter)</small></div><button>In den Warenkorb</button></div><div><h3>Weitere Produkte</h3><a href="/2">Rapsöl 5,90 €</a></div>""",
 name="Leinöl kaltgepresst 250 ml", price=6.8, currency="EUR", availability=S)
page("two h1, slogan first", "https://www.beltco.example/belt-classic", "en",
 "<title>Classic Leather Belt - BeltCo</title>",
 """<h1 class="slogan">Handmade in Leeds since 1974</h1><div class="p"><h1>Classic Leather Belt</h1><p>£45.00</p><button>Add to bag</button></div>""",
 name="Classic Leather Belt", price=45, currency="GBP", availability=S)
page("price in aria label only and svg", "https://www.tradepost.example/ip/blanket", "en-US",
 "<title>Fleece Blanket - Tradepost</title>",
 """<h1>Fleece Blanket</h1><span class="price-group" role="text" aria-label="$17.94"><span class="price-currency" itemprop="priceCurrency" content="USD">$</span><span class="price-characteristic" itemprop="price" content="17.94">17</span><span class="price-mark">.</span><span class="price-mantissa">94</span></span><div class="prod-ProductOffer-oosMsg">Delivery not available</div><button>Add to Cart</button>""",
 name="Fleece Blanket", price=17.94, currency="USD", availability=S)
