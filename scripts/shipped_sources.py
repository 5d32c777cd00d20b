"""Whether the sources of a shipped operator are still those that a record is of."""

from __future__ import annotations

from collections.abc import Collection

from opwright.discovery import find_one, shipped_folders
from opwright.session.recording import sources_digest
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import parse_target


def shipped_specs() -> dict[str, OperatorSpec]:
    """Every shipped operator by name, and what computes their gradients."""
    return {spec.name: spec for name in shipped_folders() for spec in find_one(name).spec.family}


def are_changed(spec: OperatorSpec, target: str, digests: Collection[str]) -> bool:
    """Whether a record with these ``sources_digest`` for the target is of other sources than today's."""
    return sources_digest(spec, parse_target(target)) not in digests
