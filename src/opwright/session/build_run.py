"""Build operators one after the other, and say of each which field made that necessary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opwright.build.lookup import explain
from opwright.discovery import find
from opwright.log import waiting
from opwright.records.artifact import Artifact
from opwright.session.building import build_operator, request_for
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target


@dataclass(frozen=True)
class Built:
    """One operator's library, None for a callable; ``changed`` is the field or file that made it be built."""

    spec: OperatorSpec
    artifact: Artifact | None
    changed: str = ""


def build_operators(
    operators: Sequence[str],
    target: Target,
    *,
    binding: str | None = None,
    force: bool = False,
    why: bool = False,
) -> Iterator[Built]:
    """Find or build every operator that is named; all are found before the first is built.

    With ``why`` the field that changed is looked for. Raises what finding and building raise.
    """
    specs = []
    for text in operators:
        with waiting(f"reading {text}", asked_for=text):
            specs += [described.spec for described in find(text)]
    for spec in specs:
        request = request_for(spec, target, binding=binding) if why else None
        changed = explain(request).field if request is not None else ""
        artifact = build_operator(spec, target, binding=binding, force=force)
        yield Built(spec, artifact, changed)
