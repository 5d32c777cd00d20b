"""The operators with one deliberate fault each, and what has to be found in them."""

from __future__ import annotations

from opwright.session.planted import Defect, Expected, correct_folders, defects, planted_folder

DEFECTS = planted_folder() / "defects"
CORRECT = planted_folder() / "correct"

__all__ = ["CORRECT", "DEFECTS", "Defect", "Expected", "correct_folders", "defects"]
