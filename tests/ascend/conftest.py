"""The environment that all tests with torch-npu share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ascend.environment import Environment, Trials, make_environment


@pytest.fixture(scope="session")
def environment() -> Environment:
    """torch-npu on the simulated runtime; skips where pip cannot get it."""
    return make_environment()


@pytest.fixture(scope="session")
def trials(environment: Environment) -> Iterator[Trials]:
    """A process that makes trials of the vendor's example."""
    with environment.trials("gating") as started:
        yield started
