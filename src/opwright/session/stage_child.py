"""A process in which an operator is used for the first time: it says how long each step took.

``python -m opwright.session.stage_child FILE OPERATOR TARGET CASE BINDING``, ``CASE`` in JSON, ``BINDING``
empty for the usual one. Only Python and
torch are there when the clock starts. FILE gets the answer: what an operator prints may be anything.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

_HOT_CALLS = 200


def main(file: str, operator: str, target: str, case: str, binding: str) -> None:
    """Find or build, load, call once, and call again."""
    Path(file).write_text(json.dumps(_stages(operator, target, json.loads(case), binding or None)))


def _stages(
    operator: str, target: str, case: dict[str, Any], binding: str | None
) -> dict[str, Any]:
    started = time.perf_counter()
    from opwright.discovery import find_one

    described: Any = find_one(operator)
    described.load(target, binding=binding)
    loaded_seconds = time.perf_counter() - started

    from opwright.checks.device.placed import placed
    from opwright.devices.device import device_for
    from opwright.inputs.call import make_call
    from opwright.spec.case import case_from_json
    from opwright.spec.target import parse_target

    device = device_for(parse_target(target))
    call = make_call(described.spec, case_from_json(case))
    call = placed(call, device) if device else call
    positional, keywords = described.spec.schema.as_call(call.arguments)
    wait = device.synchronize if device else _nothing
    if device is not None:
        wait()  # the inputs' copies are no part of the first call
    times_us = []
    with torch.no_grad():
        for _ in range(1 + _HOT_CALLS):
            began = time.perf_counter_ns()
            described(*positional, **keywords)
            wait()
            times_us.append((time.perf_counter_ns() - began) / 1e3)
    return {"load_seconds": loaded_seconds, "first_us": times_us[0], "hot_us": times_us[1:]}


def _nothing() -> None:
    return None


if __name__ == "__main__":
    main(*sys.argv[1:6])
