"""Write an operator's trial as a script, with the built library beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from opwright.errors import RecordError
from opwright.files import write_atomic
from opwright.graph.emitting import script_for, why_not_emitted
from opwright.graph.modes import parse_mode
from opwright.graph.superkernel import emitting
from opwright.graph.superkernel import mode as superkernel
from opwright.records.graph import GraphedOperator
from opwright.session.building import build_operator
from opwright.session.graph_asked import GraphAsked, graph_cases
from opwright.spec.operator import OperatorSpec

_UNFIT = re.compile(r"[^\w.=-]+")  # what a mode's options may hold and a file's name had better not


def emitted(
    record: GraphedOperator, spec: OperatorSpec, mode: str, asked: GraphAsked
) -> GraphedOperator:
    """The record with the files that were written for a mode, or why there are none.

    Raises what a build raises, and `RecordError` for a folder that cannot be written.
    """
    assert asked.emit is not None
    kind, option = parse_mode(mode)
    script = asked.emit / f"{spec.name}_{_UNFIT.sub('_', mode)}.py"
    if kind is superkernel.MODE:
        return _emitted_for_npu(record, spec, option, script, asked)
    if why := spec.lacks_kernels_for(asked.target) or why_not_emitted(spec, asked.target):
        return replace(record, not_emitted=why)
    artifact = build_operator(spec, asked.target)
    assert artifact is not None
    library = f"lib{spec.name}_{asked.target.kind}{artifact.library.suffix}"
    text = script_for(
        spec,
        graph_cases(spec, asked)[0],
        target=asked.target,
        library=library,
        mode=(kind.name, option),
        allowed=asked.allowed,
        runs=asked.repeat,
    )
    _write(asked.emit / library, artifact.library.read_bytes())
    _write(script, text.encode())
    return replace(record, emitted=(str(script), str(asked.emit / library)))


def _emitted_for_npu(
    record: GraphedOperator, spec: OperatorSpec, option: str, script: Path, asked: GraphAsked
) -> GraphedOperator:
    if why := emitting.why_not_emitted(spec):
        return replace(record, not_emitted=why)
    text = emitting.script_for(
        spec,
        graph_cases(spec, asked)[0],
        option=option,
        allowed=asked.allowed,
        runs=asked.repeat,
        seconds=asked.seconds,
    )
    _write(script, text.encode())
    return replace(record, emitted=(str(script),))


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    except OSError as error:
        raise RecordError(
            f"{path} cannot be written: {error.strerror}", hint="Name another folder for --emit."
        ) from error
