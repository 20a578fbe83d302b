"""Measures how the frontier behaves as it grows: a store of up to ten million urls, crawled without a
network."""
