"""Webhooks: events collected from the store, signed, and sent until they are delivered."""
