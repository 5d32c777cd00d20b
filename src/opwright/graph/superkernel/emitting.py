"""The trial of a SuperKernel as a script for a machine with torch-npu and without Opwright."""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType

from opwright.graph.differences import Allowed
from opwright.graph.emitting import FROM, TO, Given
from opwright.graph.superkernel import ge, npugraph_ex
from opwright.graph.superkernel.asked import read_asked
from opwright.graph.superkernel.option_table import GE
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec

_CORES = (
    24,
    48,
)  # of the devices that the vendor's example is for; the script says where to change them


def why_not_emitted(spec: OperatorSpec) -> str:
    """Why there is no such script for an operator; empty where there is."""
    if spec.function is None:
        return f"{spec.name} is no Python function: give it function=, which calls your operator of torch-npu"
    return _unwritable(spec.function)


def _unwritable(function: object) -> str:
    if str(function).startswith("<OpOverload") or type(function).__name__ == "OpOverloadPacket":
        return ""
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        return "the operator's function has no text of its own: write it with def"
    if function.__closure__:
        return (
            f"{function.__name__} uses variables of the function around it, which a script has not"
        )
    own = [n for n, value in _globals_of(function).items() if not isinstance(value, ModuleType)]
    return (
        f"{function.__name__} uses {', '.join(own)} of its file, which a script has not"
        if own
        else ""
    )


def _globals_of(function: FunctionType) -> dict[str, object]:
    names = function.__code__.co_names
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def script_for(
    spec: OperatorSpec, case: Case, *, option: str, allowed: Allowed, runs: int, seconds: float
) -> str:
    """The script's text, for an operator that `why_not_emitted` has nothing against."""
    asked = read_asked(option)
    # Not imported: it imports torch-npu.
    body = Path(__file__).with_name("script_body.py").read_text(encoding="utf-8")
    before, _, rest = body.partition(FROM)
    after = rest.partition(TO)[2]
    given = Given(spec, case)
    options: object = npugraph_ex.compiler_options(option, full_cores=False)
    full: object = npugraph_ex.compiler_options(option, full_cores=True)
    if asked.way == GE:
        options, full = (ge.option_text(asked, full_cores=cores) for cores in (None, _CORES))
    parts = (
        f"NAME, WAY, SCOPE = {spec.name!r}, {asked.way!r}, {asked.scope!r}",
        f"OPTIONS = {options!r}",
        f"FULL_CORES = {full!r}{'  # cubes and vectors of your device' if asked.way == GE else ''}",
        f"RUNS, SECONDS = {runs}, {seconds}",
        f"TOLERANCE = {allowed.tolerance!r}",
        *("", "", *_operator(spec), "", "", *given.draw(), "", "", *given.call(), "", ""),
    )
    return f"{before}{FROM}{chr(10).join(parts)}\n{TO}{after}"


def _operator(spec: OperatorSpec) -> list[str]:
    function = spec.function
    if not isinstance(function, FunctionType):
        return [f"operator = torch.ops.{str(function).replace('::', '.')}"]
    imports = [
        f"import {value.__name__} as {name}" if value.__name__ != name else f"import {name}"
        for name, value in _globals_of(function).items()
        if isinstance(value, ModuleType)
    ]
    source = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    return [
        *imports,
        *(["", ""] if imports else []),
        *source,
        "",
        "",
        f"operator = {function.__name__}",
    ]
