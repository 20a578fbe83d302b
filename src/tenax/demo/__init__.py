"""The demo web that `tenax demo` crawls: a small site on loopback."""
