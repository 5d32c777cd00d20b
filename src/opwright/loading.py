"""`load`: an operator from where it stands, ready to be called."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from opwright.discovery import find_one

# Imported here and not by the description: while that runs, Python writes no bytecode.
from opwright.operator import Operator


def load(operator: str | Path, *, target: str = "cpu", binding: str | None = None) -> Operator:
    """The operator that ``operator`` names, built for ``target`` and registered with the dispatcher.

    ``operator`` is a folder with an ``op.py``, a Python file, ``file.py:name``, or the name of an
    installed operator. Raises `DiscoveryError`, `SpecError`, and what a build raises.
    """
    found = cast("Operator", find_one(str(operator)))
    return found.load(target, binding=binding)
