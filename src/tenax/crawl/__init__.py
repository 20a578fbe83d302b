"""The crawl: lease a domain, take its most wanted url, visit it, settle the visit.

A worker (worker.py) holds leased domains (domain.py), asks their robots.txt (robots.py), fetches, turns
answers into visits (visit.py) and settles them in batches (batch.py). An engine (engine.py) runs a worker
for one run and ends it. explain.py, doctor.py and progress.py say what is going on. This room talks to the
outside only through the contracts of fetch and stores.
"""
