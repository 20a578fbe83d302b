"""How the command line shows things: tables, live progress, receipts, the outcome of a crawl."""
