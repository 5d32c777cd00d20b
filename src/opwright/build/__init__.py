"""From a `BuildRequest` to an `Artifact` in the store: built once, found again for as long as it is right."""

from __future__ import annotations

from opwright.build.builder import build, quarantine
from opwright.build.explain import Miss
from opwright.build.lookup import Why, explain, lookup
from opwright.build.store import Store

__all__ = ["Miss", "Store", "Why", "build", "explain", "lookup", "quarantine"]
