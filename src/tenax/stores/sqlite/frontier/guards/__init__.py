"""What the guards of a crawl have found out about sites."""
