"""The only builder: puts concrete backends behind the contracts. Doors ask here for what they need.

engine.py builds what a crawl runs on and must stay light: every start pays for its imports. server.py builds
what servers have beside a crawl.
"""
