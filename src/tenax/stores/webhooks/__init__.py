"""Webhooks, the events they are notified of, and their deliveries."""
