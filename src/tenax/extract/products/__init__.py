"""Finds the product that a page sells, on any shop: in its structured data, in what people see of it,
or in both.
`reading.find_product` is the door. A page that sells no product, or many, holds none.
"""
