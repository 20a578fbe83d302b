"""No test is judged by the time it takes: machines are noisy."""

from hypothesis import settings

settings.register_profile("tenax", deadline=None)
settings.load_profile("tenax")
