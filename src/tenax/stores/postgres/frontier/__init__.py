"""The frontier: claim, load, settle, renew, release, and the tables that settling writes."""
