# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for what has no event of its own."""
import time

PATIENCE_S = 60


def wait_until(condition, what: str, most_s: float = PATIENCE_S):
    """What `condition` gives, polled until it is true, up to a generous end."""
    end = time.monotonic() + most_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited in vain for: {what}")
