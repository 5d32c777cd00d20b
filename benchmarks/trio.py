"""What PyTorch's own tools find in an operator: opcheck, gradcheck, and assert_close on three random inputs.

They run in a child process that is held to the same limits as Opwright's checks: what ends the process
counts as found. Each declared dtype gets three inputs of sizes that the description calls typical, at
the default tolerances of ``assert_close``; ``opcheck`` gets the three of the first dtype, and
``gradcheck`` one in float64 where that is declared and the operator gives gradients.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from opwright.checks.planning.choices import dtype_choices, scalar_choices
from opwright.errors import WorkerError
from opwright.session.building import build_operator
from opwright.session.cases import payload_of
from opwright.session.checking import built_backward
from opwright.spec.case import Case, case_from_json
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import allowed, has_empty, roomy_size_sets
from opwright.spec.target import Target, parse_target
from opwright.worker import Ended, Limits, Worker

SETUP = "trio:set_up"
# What opcheck imports at its first call takes seconds: once here, and not in every child.
OPCHECKS = ("torch._dynamo", "torch._functorch.aot_autograd", "torch.testing._internal.optests")
PRELOAD = ("torch", *OPCHECKS, "opwright.session.subject", "trio")
INPUTS = 3
_MAX_ELEMENTS = 1 << 24
_TRIES = 500


def find_fault(worker: Worker, operator: str, spec: OperatorSpec, limits: Limits) -> str:
    """What the three find, as ``tool: message``, or nothing. Raises what a build raises."""
    target = Target("cpu")
    artifact = build_operator(spec, target)
    backwards = [built_backward(one, target, None) for one in spec.backwards]
    worker.limits = limits
    worker.use(payload_of(operator, artifact, target, backwards), setup=SETUP)
    questions = list(plan(spec))
    try:
        for question, result in zip(questions, worker.run(questions), strict=True):
            found = result.message if isinstance(result, Ended) else result["found"]
            if found:
                return f"{question['tool']}: {found}"
    except WorkerError as error:  # it ends its process as it is loaded
        return f"import: {error.what}"
    return ""


def plan(spec: OperatorSpec) -> Iterator[dict[str, Any]]:
    """Each tool with each of its inputs: the quickest first."""
    scalars = scalar_choices(spec)[0]
    dtypes = dtype_choices(spec)
    cases = {
        (number, place): Case("trio", "", chosen, typical_sizes(spec, number), scalars, seed=number)
        for number in range(INPUTS)
        for place, chosen in enumerate(dtypes)
    }
    for case in cases.values():
        yield {"tool": "assert_close", "case": case.to_json()}
    for number in range(INPUTS):
        yield {"tool": "opcheck", "case": cases[number, 0].to_json()}
    wide = [case for case in cases.values() if case.dtypes.get("T") == "float64"]
    for case in wide[:1]:
        yield {"tool": "gradcheck", "case": case.to_json()}


def typical_sizes(spec: OperatorSpec, seed: int) -> dict[str, Any]:
    """A size that is called typical for each dim, drawn; small ones where no such draw is allowed."""
    source, scalars = random.Random(seed), scalar_choices(spec)[0]
    for _ in range(_TRIES):
        drawn = {name: source.choice(dim.typical) for name, dim in spec.dims.items()}
        if allowed(spec, drawn, scalars, _MAX_ELEMENTS) and not has_empty(spec, drawn, scalars):
            return drawn
    return roomy_size_sets(spec, scalars, count=1)[0]


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """In the child: load the operator as Opwright does; returns what puts one question to one tool."""
    from opwright.binding.attach import attach
    from opwright.binding.dispatch import dispatcher_op
    from opwright.discovery import find_one
    from opwright.inputs.call import make_call
    from opwright.records.artifact import artifact_from_json
    from opwright.session.subject import attach_backwards

    spec = find_one(payload["operator"]).spec
    dispatcher = dispatcher_op(spec)
    artifact = artifact_from_json(payload["artifact"]) if payload["artifact"] else None
    target = parse_target(payload["target"])
    attach(dispatcher, target, artifact)
    attach_backwards(spec, target, payload["backwards"])

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        call = make_call(spec, case_from_json(question["case"]))
        try:
            TOOLS[question["tool"]](spec, dispatcher.overload, call)
        except Exception as error:  # noqa: BLE001 - an operator may raise anything
            lines = str(error).splitlines() or [""]
            return {"found": f"{type(error).__name__}: {lines[0]}"}
        return {"found": ""}

    return answer


def by_assert_close(spec: OperatorSpec, operator: Any, call: Any) -> None:
    """Raise where the operator and its reference differ by more than the dtype's default tolerance."""
    import torch

    from opwright.inputs.call import reference_results, results_of

    expected = reference_results(spec, call, wide=False)
    with torch.no_grad():
        results = results_of(spec, operator, call)
    assert len(results) == len(expected), f"{len(results)} outputs, expected {len(expected)}"
    for result, right in zip(results, expected, strict=True):
        torch.testing.assert_close(result, right, equal_nan=True)


def by_opcheck(spec: OperatorSpec, operator: Any, call: Any) -> None:
    """Raise where `torch.library.opcheck` finds the registration wrong."""
    import torch

    positional, keywords = spec.schema.as_call(call.arguments)
    torch.library.opcheck(operator, tuple(positional), keywords)


def by_gradcheck(spec: OperatorSpec, operator: Any, call: Any) -> None:
    """Raise where gradients differ from finite differences; nothing where there are no gradients."""
    import torch

    for value in call.tensors.values():
        if value.is_floating_point():
            value.requires_grad_()
    positional, keywords = spec.schema.as_call(call.arguments)
    function = partial(operator, **keywords)
    try:
        returned = function(*positional)
    except (RuntimeError, NotImplementedError):
        return  # refused, which is an answer
    outputs = returned if isinstance(returned, (tuple, list)) else [returned]
    if any(isinstance(output, torch.Tensor) and output.requires_grad for output in outputs):
        torch.autograd.gradcheck(function, tuple(positional))


TOOLS: dict[str, Callable[[OperatorSpec, Any, Any], None]] = {
    "assert_close": by_assert_close,
    "opcheck": by_opcheck,
    "gradcheck": by_gradcheck,
}
