from __future__ import annotations

import pytest

from defect_folders import Defect, defects
from opwright.checks.process_state import differences, process_state
from opwright.discovery import find_one
from opwright.session.kept_state import kept_state

CHANGING = [d for d in defects() if any(e.check == "import_effects" for e in d.expected)]


@pytest.mark.parametrize("defect", CHANGING, ids=lambda defect: defect.name)
def test_what_a_defect_changes_as_it_is_read_is_put_back(defect: Defect) -> None:
    find_one(str(defect.folder.parent.parent / "correct" / "softmax"))  # imports what all import
    before = process_state()
    with kept_state():
        find_one(str(defect.folder))
        changed = list(differences(before, process_state()))
    assert changed, "this defect changes nothing as it is read"
    assert list(differences(before, process_state())) == []
