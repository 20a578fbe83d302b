"""Measures how the frontier behaves as it grows: a store of up to 100 million urls, crawled without a
network."""
