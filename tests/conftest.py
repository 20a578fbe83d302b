"""What all tests share."""

from hypothesis import settings

# How long an example takes on a busy machine says nothing about it.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
