"""Decisions: facts and the present instant go in, a plan comes out.

Every function here is pure: no I/O, no clock, no randomness of its own. `now` is an argument, and
so is `roll`, a number in [0, 1) drawn by the caller where a plan wants jitter. What is planned
here is carried out by `crawl`, and `explain` asks the same functions why a url is where it is.
"""
