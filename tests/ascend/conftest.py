"""The environment that all tests with torch-npu share."""

from __future__ import annotations

import pytest

from ascend.environment import Environment, make_environment


@pytest.fixture(scope="session")
def environment() -> Environment:
    """torch-npu on the simulated runtime; skips where pip cannot get it."""
    return make_environment()
