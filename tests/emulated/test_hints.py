"""What a wave does together: sectors of memory, banks of shared memory, lanes that wait."""

from __future__ import annotations

import re

import pytest

from emulated.building import KERNELS

pytestmark = pytest.mark.xdist_group("emulator")  # it is compiled first

SOURCE = "hints.cu"


def lines_of(function: str) -> set[int]:
    lines = (KERNELS / SOURCE).read_text().splitlines()
    return {i for i, line in enumerate(lines, 1) if re.search(rf"// here: {function}\b", line)}


@pytest.mark.parametrize(
    ("function", "kind", "part"),
    [
        ("columns", "uncoalesced", "reads take 32 sectors of 32 bytes where 4 would do"),
        ("one_bank", "bank_conflict", "32 lanes of a wave meet in one bank"),
        ("odd_lanes", "divergence", "16 of 32 lanes of a wave get here"),
    ],
)
def test_a_hint_names_the_line_and_how_bad_it_is(load, function, kind, part) -> None:
    kernels = load(SOURCE, watched=True)
    kernels.call(function)
    hints = [finding for finding in kernels.findings() if finding.kind == kind]
    assert {hint.where.line for hint in hints} == lines_of(function)
    for hint in hints:
        assert hint.is_note
        assert part in hint.message
        assert hint.kernel.startswith(f"{function}_kernel")


@pytest.mark.parametrize("function", ["side_by_side", "padded"])
def test_accesses_that_a_device_serves_at_once_give_no_hint(load, function) -> None:
    kernels = load(SOURCE, watched=True)
    kernels.call(function)
    assert kernels.findings() == []
