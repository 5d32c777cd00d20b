"""A library that is not whole or does not load is set aside and built again, whoever wanted to use it."""

from __future__ import annotations

from collections.abc import Callable

from opwright.errors import LoadError
from opwright.records.artifact import Artifact


def with_whole(
    build: Callable[[], Artifact | None], use: Callable[[Artifact | None], object]
) -> Artifact | None:
    """Build or find a library, and use it; returns the one that was used, None for a callable.

    One that ``use`` refuses with `LoadError` is set aside. If it was found in the store, it is built again
    and used, once; one that was built just now would be no better the next time. Raises what ``build``
    and ``use`` raise.
    """
    artifact = build()
    try:
        use(artifact)
    except LoadError as error:
        if artifact is None:
            raise
        from opwright.build.quarantine import (
            quarantine,
        )  # who finds a whole one pays nothing for it

        quarantine(artifact, error.what)
        if not artifact.hit:
            raise
        artifact = build()
        use(artifact)
    return artifact
