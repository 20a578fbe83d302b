"""The site that `tenax demo` crawls: a small museum on loopback."""
