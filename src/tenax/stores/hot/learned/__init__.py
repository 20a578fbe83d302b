"""What was learned about domains: see crawl/domains."""
