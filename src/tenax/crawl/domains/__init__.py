"""Leased domains in a worker's memory: their queue, pace, robots.txt rules and known urls. No I/O."""
