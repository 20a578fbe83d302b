# ruff: noqa: E501
# fmt: off
"""Small product pages in many languages and currencies."""

from typing import Any

from tests.support.shop_pages.building import Shelf

SHELF = Shelf()
page = SHELF.add

R = '<div class="related"><h3>{0}</h3><a href="/1">A <i>{1}</i></a><a href="/2">B <i>{2}</i></a></div>'

def small(
    key: str, host: str, lang: str, name: str, area: str, button: str, related: str, **truth: Any
) -> None:
    page(key, f"https://{host}/p/1234", lang, f"<title>{name} | {host}</title>", f'<main><h1>{name}</h1>{area}<button>{button}</button></main>{related}', name=name, **truth)

S = "in_stock"
small("hungarian", "bolt.example", "hu", "Konyhakés", '<div class="ar"><span>Eredeti ár: 15 990 Ft</span> <strong>12.990 Ft</strong></div><p>Raktáron</p>', "Kosárba", R.format("Hasonló termékek", "8.990 Ft", "9.990 Ft"), price=12990, currency="HUF", list_price=15990, availability=S)
small("indian", "dukaan.example", "en-IN", "Mixer Grinder 750W", '<div><span class="sp">₹1,29,999</span> <span class="mrp">M.R.P.: <del>₹1,49,999</del></span> <span>13% off</span></div><p>EMI from ₹6,112/month</p><p>Only few left</p>', "ADD TO CART", R.format("Similar products", "₹2,999", "₹3,499"), price=129999, currency="INR", list_price=149999, availability=("limited", S))
small("swiss", "laden.example.ch", "de-CH", "Wanderschuh Pass", "<div class=preis><s>CHF 1'499.–</s> 1'299.– CHF</div>", "In den Warenkorb", "", price=1299, currency="CHF", list_price=1499, availability=S)
small("norwegian", "butikk.example", "nb", "Støvsuger X1", '<div class="product-price">kr 1 299,-</div><p>Veil. pris 1 799,-</p><p>På lager</p>', "Legg i handlekurv", R.format("Relaterte produkter", "499,-", "899,-"), price=1299, currency="NOK", list_price=1799, availability=S)
small("danish", "butik.example.dk", "da", "Termokande", '<p class="before">Før <s>449,00 kr.</s></p><p class="now">Nu 299,00 kr.</p><p>Levering fra 39,00 kr.</p><p>På lager</p>', "Læg i kurv", "", price=299, currency="DKK", list_price=449, availability=S)
small("finnish", "kauppa.example", "fi", "Leivänpaahdin", '<div class="hinta"><span>39,90 €</span> <small>Norm. 59,90 €</small></div><p>Varastossa</p>', "Lisää ostoskoriin", R.format("Samankaltaisia tuotteita", "29,90 €", "49,90 €"), price=39.9, currency="EUR", list_price=59.9, availability=S)
small("korean", "mall.example.kr", "ko", "무선 이어폰", '<div class="price"><del>₩15,900</del> <strong>₩12,900</strong></div><p>배송비 3,000원 (50,000원 이상 무료배송)</p>', "장바구니 담기", R.format("관련 상품", "9,900원", "19,900원"), price=12900, currency="KRW", list_price=15900, availability=S)
small("korean won after", "gage.example", "ko", "머그컵", '<dl><dt>소비자가</dt><dd><s>18,000원</s></dd><dt>판매가</dt><dd><b>13,500원</b></dd><dt>배송비</dt><dd>3,000원</dd></dl>', "구매하기", "", price=13500, currency="KRW", list_price=18000, availability=S)
small("hebrew", "hanut.example", "he", "שולחן עץ", '<div dir="rtl" class="price">‏1,299.00 ₪</div><p>במלאי</p>', "הוסף לסל", "", price=1299, currency="ILS", availability=S)
small("turkish", "dukkan.example", "tr", "Bakır Cezve", '<div class="fiyat"><span class="eski">1.499,90 ₺</span> <span class="yeni">1.299,90 ₺</span></div><p>300 TL üzeri kargo bedava</p><p>Sepette 1.169,91 TL</p>', "Sepete Ekle", R.format("Benzer Ürünler", "499,90 TL", "799,90 TL"), price=1299.9, currency="TRY", list_price=1499.9, availability=S)
small("russian", "magazin.example", "ru", "Чайник электрический", '<div class="price"><span class="price-old">4 990 ₽</span><span class="price-new">3 490 ₽</span></div><p>Артикул: 778812</p><p>В наличии</p><p>Доставка от 299 ₽</p>', "В корзину", R.format("Похожие товары", "2 990 ₽", "1 990 ₽"), price=3490, currency="RUB", list_price=4990, availability=S, sku="778812")
small("ukrainian", "kramnytsia.example", "uk", "Рюкзак міський", '<div class="price"><s>1 899 грн</s> <b>1 499 грн</b></div><p>Є в наявності</p>', "Купити", "", price=1499, currency="UAH", list_price=1899, availability=S)
small("uae english", "souk.example", "en-AE", "Oud Burner", '<div class="priceNow">AED <strong>149.00</strong></div><div class="priceWas">Was: <span>AED 199.00</span></div><p>You save AED 50.00</p>', "Add To Cart", R.format("Customers also viewed", "AED 89.00", "AED 59.00"), price=149, currency="AED", list_price=199, availability=S)
small("uae arabic digits", "souk.example", "ar-AE", "مبخرة عود", '<div class="price">١٬٢٩٩٫٥٠ د.إ</div><p>متوفر</p>', "أضف إلى السلة", "", price=1299.5, currency="AED", availability=S)
small("thai", "raan.example", "th", "หม้อหุงข้าว", '<div class="price"><del>฿2,590.00</del> <ins>฿1,990.00</ins></div><p>มีสินค้า</p>', "เพิ่มลงตะกร้า", "", price=1990, currency="THB", list_price=2590, availability=S)
small("indonesian", "toko.example", "id", "Kipas Angin", '<div class="harga"><span class="coret">Rp 599.000</span><b>Rp 449.000</b></div><p>Stok: 12</p>', "Tambah ke Keranjang", R.format("Produk terkait", "Rp 199.000", "Rp 299.000"), price=449000, currency="IDR", list_price=599000, availability=S)
small("vietnamese", "cuahang.example", "vi", "Bình giữ nhiệt", '<div class="gia"><span class="gia-cu">450.000₫</span> <span class="gia-moi">359.000₫</span></div><p>Còn hàng</p>', "Thêm vào giỏ hàng", "", price=359000, currency="VND", list_price=450000, availability=S)
small("czech", "obchod.example", "cs", "Horské kolo", '<div class="price-final"><strong>18 990 Kč</strong></div><div class="price-standard"><span>22 990 Kč</span></div><div class="price-additional">15 694 Kč bez DPH</div><p>Skladem (3 ks)</p>', "Do košíku", R.format("Podobné produkty", "17 990 Kč", "12 990 Kč"), price=18990, currency="CZK", list_price=22990, availability=("limited", S))
small("slovak comma", "obchod.example.sk", "sk", "Stan pre dvoch", '<div class="price">129,90 € <small>108,25 € bez DPH</small></div><p>Na sklade</p>', "Do košíka", "", price=129.9, currency="EUR", availability=S)
small("romanian", "magazin.example.ro", "ro", "Aspirator vertical", '<p class="product-old-price">PRP: 1.299<sup>99</sup> Lei</p><p class="product-new-price">899<sup>99</sup> <span>Lei</span></p><p>în stoc</p>', "Adauga in Cos", "", price=899.99, currency="RON", list_price=1299.99, availability=S)
small("greek", "katastima.example", "el", "Καφετιέρα", '<div class="price"><del>89,90 €</del> 69,90 €</div><p>Άμεσα διαθέσιμο</p>', "Προσθήκη στο καλάθι", "", price=69.9, currency="EUR", list_price=89.9, availability=S)
small("italian sold out", "bottega.example", "it", "Moka Rossa", '<div class="prezzo">€ 34,50</div><p class="stock">Non disponibile</p><p>Spedizione gratuita oltre € 59</p>', "Avvisami", R.format("Prodotti correlati", "€ 29,90", "€ 39,90"), price=34.5, currency="EUR", availability="out_of_stock")
small("spanish", "tienda.example", "es", "Silla plegable", '<div class="precio"><span class="antes">Antes 59,95 €</span> <span class="ahora">Ahora 44,95 €</span></div><p>Envío 4,95 €</p><p>Disponible</p>', "Añadir al carrito", R.format("También te puede interesar", "19,95 €", "24,95 €"), price=44.95, currency="EUR", list_price=59.95, availability=S)
small("portuguese", "loja.example.pt", "pt-PT", "Mesa de cabeceira", '<p>PVPR <s>129,00€</s></p><p class="preco">99,00€</p><p>Esgotado</p>', "Avise-me", "", price=99, currency="EUR", list_price=129, availability="out_of_stock")
small("chilean", "tienda.example.cl", "es-CL", "Parka Andes", '<ol><li data-event-price="69.990" class="prices-0"><span>$ 69.990</span></li><li data-normal-price="99.990" class="prices-1"><span>$ 99.990</span></li></ol>', "Agregar al Carro", "", price=69990, currency="CLP", list_price=99990, availability=S)
small("chinese", "shangcheng.example.cn", "zh-CN", "保温杯", '<div class="summary-price"><span>京东价</span><span class="p-price"><span>￥</span><span class="price">129.00</span></span> <del>￥159.00</del></div><p>有货</p>', "加入购物车", "", price=129, currency="CNY", list_price=159, availability=S)
small("taiwanese", "gouwu.example.tw", "zh-TW", "帆布包", '<div>定價 <s>NT$1,280</s></div><div>特價 NT$990</div>', "加入購物車", "", price=990, currency="TWD", list_price=1280, availability=S)
small("mexican", "tienda.example.mx", "es-MX", "Licuadora 600W", '<div class="price"><span>$1,299<sup>00</sup></span> <span class="tachado">$1,799<sup>00</sup></span></div><p>6 meses sin intereses de $216.50</p>', "Agregar al carrito", "", price=1299, currency="MXN", list_price=1799, availability=S)
small("south african", "winkel.example.za", "en-ZA", "Braai Grid", '<div class="buybox-price">R 1,299</div><div class="strike-through">R 1,599</div><p>eB 1,299 | Discovery Miles 12,990</p>', "Add to Cart", "", price=1299, currency="ZAR", list_price=1599, availability=S)
small("new zealand tiers", "shop.example.nz", "en-NZ", "Merino Beanie", '<p class="rrp">RRP $49.99</p><p class="special">Special $29.99</p><p>Afterpay 4 x $7.50</p><p>In stock - ships in 24 hours</p>', "Add to Cart", "", price=29.99, currency="NZD", list_price=49.99, availability=S)
small("price then cents element", "store.example", "en-us", "Drill Press", '<div class="price-format__large"><span>$</span><span>349</span><span>.</span><span>00</span></div><div class="u__strike"><span>$399.00</span></div><p>Save $50.00 (13%)</p><p>Pay $324.00 after $25 OFF your total qualifying purchase upon opening a new card</p>', "Add to Cart", "", price=349, currency="USD", list_price=399, availability=S)
small("member price second", "store.example", "en-us", "Vitamin C 500mg", '<p>$18.99</p><p>Members pay $15.19</p><p>Subscribe &amp; save: $17.09</p><p>One-time purchase</p>', "Add to cart", "", price=18.99, currency="USD", availability=S)
