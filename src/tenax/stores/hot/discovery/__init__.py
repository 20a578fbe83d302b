"""How urls are found: sitemaps, yields, and the domains out of scope that pages link to."""
