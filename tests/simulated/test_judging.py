"""Results that lie on a device are judged there."""

from __future__ import annotations

from types import ModuleType

import torch

from opwright.checks.judging.outputs import expect, judge_call
from opwright.discovery import find_one
from opwright.inputs.call import Call, make_call
from opwright.session.graph_asked import GraphAsked, graph_cases
from opwright.spec.target import HOST


def test_a_wrong_result_on_a_device_is_looked_at_twice_and_told(device: ModuleType) -> None:
    spec = find_one("swish").spec
    (case,) = graph_cases(spec, GraphAsked(HOST, ()))
    drawn = make_call(spec, case)
    call = Call(spec, {name: value.to("simulated") for name, value in drawn.arguments.items()})
    expected = expect(spec, case, call)
    right = spec.reference(*call.tensors.values())
    assert expected.standards[0].oracle.device == torch.device("simulated", 0)
    assert judge_call(expected, [right], call).passed
    wrong = judge_call(expected, [right + 0.01], call)
    assert wrong.reasons[0].kind == "accuracy"
    assert "elements beyond the limit" in wrong.reasons[0].message
