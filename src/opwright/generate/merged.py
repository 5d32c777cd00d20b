"""Several sources as one translation unit, for which the headers that they share are read once.

Names that are local to one of them are local to the unit: no two of them may be alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from opwright.spec.request import Unit


def merged(name: str, sources: Iterable[Path]) -> Unit:
    """The unit ``name`` of all ``sources``, whose folders the build looks for includes in."""
    return Unit(name, text="".join(f'#include "{path.name}"\n' for path in sources))
