from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import pytest
import torch

from checks.one_tensor import subject
from opwright.checks import call_effects
from opwright.records.verdict import Outcome


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    mask, folder = os.umask(0o022), os.getcwd()
    yield
    os.umask(mask)
    os.chdir(folder)


def outcome(effect: Callable[[], object]) -> Outcome:
    def with_effect(value: torch.Tensor) -> torch.Tensor:
        effect()
        return value.exp()

    one = subject(with_effect, torch.exp)
    return call_effects.run(next(iter(call_effects.cases(one.spec))), one)


def test_a_call_that_only_computes_passes() -> None:
    found = outcome(lambda: None)
    assert found.verdict == "pass"
    assert found.figures["compared"] > 50


def test_what_is_set_and_put_back_is_no_change() -> None:
    assert outcome(lambda: os.umask(os.umask(0o077))).verdict == "pass"


@pytest.mark.parametrize(
    "effect, says",
    [
        (lambda: os.umask(0o077), "the mask of new files"),
        (lambda: os.chdir("/"), "the current folder"),
    ],
)
def test_a_setting_that_a_call_leaves_is_found(effect: Callable[[], object], says: str) -> None:
    (finding,) = outcome(effect).findings
    assert says in finding.message


def test_files_left_open_by_each_call_are_found() -> None:
    opened: list[int] = []
    try:
        (finding,) = outcome(lambda: opened.append(os.open("/dev/null", os.O_RDONLY))).findings
    finally:
        for file in opened:
            os.close(file)
    assert "6 calls leave 6 open files behind" in finding.message


def test_threads_left_running_by_each_call_are_found_and_one_for_all_calls_is_not() -> None:
    end = threading.Event()
    started: list[threading.Thread] = []

    def start() -> None:
        started.append(threading.Thread(target=end.wait))
        started[-1].start()

    try:
        assert outcome(lambda: started or start()).verdict == "pass"
        (finding,) = outcome(start).findings
    finally:
        end.set()
        for thread in started:
            thread.join()
    assert "running threads" in finding.message
