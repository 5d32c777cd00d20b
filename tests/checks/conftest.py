from __future__ import annotations

from collections.abc import Iterator

import pytest

from opwright.session.checking import checking
from opwright.worker import Worker


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """One worker for every operator under test: torch is imported once."""
    with checking() as started:
        yield started
