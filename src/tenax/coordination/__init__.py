"""What workers share and may lose at any moment: caches, the seen filter, reports for live views.

Nothing here makes decisions: if the service is empty or absent, the answer comes from elsewhere (the web, the
name servers, the store). No method raises because the service is in trouble. The contract is in base.py.
"""
