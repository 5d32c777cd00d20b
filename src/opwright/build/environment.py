"""The environment in which compilers run."""

from __future__ import annotations

import os


def compiler_environment() -> dict[str, str]:
    """This process's environment, with messages in English and the same bytes for the same inputs."""
    environment = dict(os.environ)
    for name in ("LANGUAGE", "GCC_COLORS", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"):
        environment.pop(name, None)
    environment["LC_ALL"] = "C"
    environment.setdefault("SOURCE_DATE_EPOCH", "0")
    # A compiler cache would answer without reading what has to be recorded; the store is the cache.
    environment["CCACHE_DISABLE"] = "1"
    return environment
