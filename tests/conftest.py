"""For every test: hypothesis draws the same examples each time, and never judges by the clock of a shared machine."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "veristream", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=False
)
settings.load_profile("veristream")
