"""Secrets at rest: keys and sealing. Rotation and checks are in stores/commands."""
