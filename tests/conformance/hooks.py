"""The modules that schemathesis loads."""

import exceptions  # noqa: F401
import links  # noqa: F401
import values  # noqa: F401
