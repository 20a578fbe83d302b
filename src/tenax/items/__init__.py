"""Makes items of pages: the contract of parsers, the page that they see, parsers without code, schemas. Pure
but for the code of users, which runs in reader processes only (`crawl/reading/`). Items are stored with the
visits that found them (`stores/*/frontier/`).
"""
