"""What all tests share."""

from hypothesis import settings

from tests.support.scratch import use_scratch

use_scratch()

# How long an example takes on a busy machine says nothing about it.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
