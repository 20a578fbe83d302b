"""Decisions: functions that take facts and the current instant and return a plan.

Every function here is pure: no I/O, no clock, no randomness. `now` is an argument, and so is `roll`, a random
number in [0, 1) for plans with jitter. `crawl` carries the plans out, and `explain` uses the same functions
to explain the fate of a url.
"""
