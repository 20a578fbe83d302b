"""The crawl: lease a domain, take its most wanted url, visit it, settle the visit.

run/ opens a run, worker/ crawls it with the domains that it holds (domains/) by visits (visits/), reading/
turns bytes into pages, insight/ says what is going on. An engine (engine.py) runs a worker for one run and
ends it. This room talks to the outside only through the contracts of fetch and stores.
"""
