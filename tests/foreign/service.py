"""The running service that the programs of this folder call, as `cargo xtask foreign` describes it."""

import os
import time

URL = os.environ["SERVICE_URL"]
KEY = os.environ["SERVICE_KEY"]
SECRET = os.environ["SERVICE_SECRET"]
# The id of an icon of the demo catalogue.
ICON = int(os.environ["SERVICE_ICON"])


def until(get, has_ended, seconds=60):
    """Calls `get` until `has_ended` accepts its result, and returns that."""
    limit = time.monotonic() + seconds
    while not has_ended(result := get()):
        assert time.monotonic() < limit, f"no end after {seconds} s: {result}"
        time.sleep(0.1)
    return result
