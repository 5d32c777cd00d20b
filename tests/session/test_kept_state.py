from __future__ import annotations

import pytest

from defect_folders import CORRECT, Defect, defects
from opwright.checks.state.floating_point import control_state
from opwright.checks.state.process import differences, process_state
from opwright.discovery import find_one
from opwright.session.kept_state import kept_state

CHANGING = [
    defect
    for defect in defects()
    if {expected.check for expected in defect.expected} & {"import_effects", "fp_control"}
]
AS_THEY_ARE_CALLED = {  # not as their description is read
    "flushes_to_zero_on_call",
    "flushes_to_zero_on_load",
    "rounding_left_changed",
    "traps_left_on",
}


def state() -> dict[str, str]:
    return process_state() | control_state(threads=False)


@pytest.mark.parametrize("defect", CHANGING, ids=lambda defect: defect.name)
def test_what_a_defect_changes_as_it_is_read_is_put_back(defect: Defect) -> None:
    find_one(str(CORRECT / "softmax"))  # imports what all of them import
    before = state()
    with kept_state():
        find_one(str(defect.folder))
        changed = list(differences(before, state()))
    assert bool(changed) == (defect.name not in AS_THEY_ARE_CALLED), changed
    assert list(differences(before, state())) == []
