"""The emulator in an operator's library: what it is asked, and what it says of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from opwright.binding.attach import attach
from opwright.binding.dispatch import dispatcher_op
from opwright.binding.emulation import Emulation
from opwright.discovery import find_one
from opwright.session.building import build_operator
from opwright.spec.target import Target

# The emulator is compiled first, and one operator for all.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("binding_emulation")]

OPERATOR = Path(__file__).parent.parent / "emulated_defects" / "launched_on_stream_0"
WAVE32 = Target("emulated", "wave32")
Call = Callable[[torch.Tensor], torch.Tensor]


@pytest.fixture(scope="module")
def operator() -> tuple[Emulation, Call]:
    """An operator whose one fault is harmless here."""
    spec = find_one(str(OPERATOR)).spec
    artifact = build_operator(spec, WAVE32)
    assert artifact is not None
    dispatcher = dispatcher_op(spec)
    attach(dispatcher, WAVE32, artifact)
    return Emulation(artifact), dispatcher.overload


@pytest.fixture
def emulation(operator: tuple[Emulation, Call]) -> Iterator[Emulation]:
    operator[0].reset()
    yield operator[0]
    operator[0].reset()


@pytest.fixture
def call(operator: tuple[Emulation, Call]) -> Call:
    return operator[1]


def test_a_call_runs_the_device_code(emulation: Emulation, call: Call) -> None:
    x = torch.randn(300)
    assert torch.equal(call(x), x * 2)
    (kernel,) = emulation.kernels()
    assert kernel["launches"] == 1
    assert kernel["block"] == [256, 1, 1]


def test_what_was_found_names_the_line(emulation: Emulation, call: Call) -> None:
    call(torch.randn(300))
    (found,) = emulation.findings()
    assert (found["kind"], found["level"]) == ("wrong_stream", "finding")
    assert found["file"].endswith("kernel.cu")


def test_a_reset_forgets_everything(emulation: Emulation, call: Call) -> None:
    call(torch.randn(300))
    emulation.reset()
    assert emulation.findings() == []
    assert emulation.kernels() == []


def test_the_end_of_a_call_that_went_well_is_no_finding(emulation: Emulation) -> None:
    emulation.finish()
    assert emulation.findings() == []


def test_results_are_right_in_every_order(emulation: Emulation, call: Call) -> None:
    x = torch.randn(300)
    for order in ("reverse", "random:7", "forward"):
        emulation.set("order", order)
        assert torch.equal(call(x), x * 2)


@pytest.mark.parametrize(("option", "value"), [("order", "sideways"), ("speed", "1")])
def test_an_option_that_there_is_not_is_refused(
    emulation: Emulation, option: str, value: str
) -> None:
    with pytest.raises(ValueError, match=f"no option '{option}' with value '{value}'"):
        emulation.set(option, value)
