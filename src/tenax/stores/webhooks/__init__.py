"""Webhooks, the events that they are notified of, and deliveries on their way."""
