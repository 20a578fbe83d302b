"""Secrets at rest: keys, sealing, rotation, and checks of how a store is kept."""
