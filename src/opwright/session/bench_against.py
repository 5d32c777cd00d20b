"""What a worker needs of an operator, and of others beside which it is timed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opwright.discovery import find_one
from opwright.errors import UsageError
from opwright.session.bench_asked import BenchAsked
from opwright.session.bench_rivals import described_rival
from opwright.session.bench_subject import OPERATOR
from opwright.session.building import build_operator
from opwright.session.cases import plain_artifact, plain_backwards
from opwright.session.checking import built_backward
from opwright.spec.operator import OperatorSpec


def what_is_held_against(asked: BenchAsked, beside: OperatorSpec) -> list[dict[str, Any]]:
    """What the worker needs for every subject beside the operator. Raises `UsageError`, too.

    A file of functions that has none for this operator is left out.
    """
    subjects = [_what_is_loaded_for(text, asked, beside) for text in asked.against]
    return _told_apart([each for each in subjects if each.get("there", True)])


def _what_is_loaded_for(text: str, asked: BenchAsked, beside: OperatorSpec) -> dict[str, Any]:
    rival = described_rival(text, beside)
    if rival is not None:
        return {**rival, "text": text}
    spec = find_one(text).spec
    if [a.type for a in spec.schema.arguments] != [a.type for a in beside.schema.arguments]:
        raise UsageError(
            f"{spec.name} does not take what {beside.name} takes: {spec.schema.text} beside "
            f"{beside.schema.text}",
            hint="Name an operator with arguments of the same types in the same order.",
        )
    artifact = build_operator(spec, asked.target, binding=asked.binding)
    return {
        "kind": OPERATOR,
        "name": spec.name,
        "text": text,
        "operator": text,
        "artifact": plain_artifact(artifact),
        "backwards": backward_libraries(spec, asked),
    }


def _told_apart(against: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Versions of one operator are called alike: then each is called what the user has written."""
    names = [OPERATOR, *(each["name"] for each in against)]
    return [
        {**each, "name": each["text"]} if names.count(each["name"]) > 1 else each
        for each in against
    ]


def backward_libraries(spec: OperatorSpec, asked: BenchAsked) -> list[Any]:
    """The libraries that compute gradients, where these are timed. Raises `UsageError` where there are none."""
    if not asked.gradients:
        return []
    if spec.backward is None:
        raise UsageError(
            f"{spec.name} gives no gradients that could be timed",
            hint="Leave --gradients out, or give the operator a backward.",
        )
    built = [built_backward(each, asked.target, asked.binding) for each in spec.backwards]
    return plain_backwards(built)
