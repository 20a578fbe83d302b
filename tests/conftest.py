"""What all tests share."""

import os

from hypothesis import settings

from tenax.config.loading import KEY_VARIABLE
from tests.support.scratch import use_scratch

use_scratch()

# Secrets in a database need one from the environment; whoever tests the key beside a file takes it away.
os.environ[KEY_VARIABLE] = "dGhpcyBpcyBhIGtleSBmb3IgdGVzdHMgb25seSEhISE="

# How long an example takes on a busy machine says nothing about it.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
