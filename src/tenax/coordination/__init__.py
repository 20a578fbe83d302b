"""What workers share and may lose at any moment: caches, the seen filter, reports for live views.

Nothing in here decides anything: an empty or absent service means that somebody else is asked (the web, the
name servers, the store). No method raises because the service is in trouble. The contract is base.py.
"""
