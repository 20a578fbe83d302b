"""One worker: loop.py drives it, store_sync.py claims, settles, renews and releases."""
