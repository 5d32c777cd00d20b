"""Makes trials of an operator in one process that has torch-npu, one after the other, with faults injected.

``python trials.py OPERATOR`` reads lines ``[mode, [[arrangement, how, fault], ...]]`` and answers each with a line:
what came of every trial.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import torch

from opwright.discovery import find_one
from opwright.session.graph_asked import GraphAsked, planned
from opwright.session.graph_subject import set_up
from opwright.spec.target import parse_target

MARK = "told: "  # others print, too


@contextmanager
def without_markers() -> Iterator[None]:
    """Scopes that never reach the graph."""
    npu = torch.get_device_module("npu")
    with (
        patch.object(npu, "super_kernel_scope_begin", lambda name=None: None),
        patch.object(npu, "super_kernel_scope_end", lambda name=None: None),
    ):
        yield


def main() -> None:
    operator = sys.argv[1]
    target = parse_target("npu")
    spec = find_one(operator).spec
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        os.environ["OPWRIGHT_SIMULATED_ACL_LOG"] = str(log)
        payload = {
            "operator": operator,
            "artifact": None,
            "target": str(target),
            "backwards": [],
            "stage": str(Path(folder) / "stage"),
        }
        answer = set_up(payload)
        for line in sys.stdin:
            mode, asked = json.loads(line)
            plans = planned(spec, mode, GraphAsked(target, (mode,)))
            plan = {(one.arrangement, one.how): one for one in plans}
            told = []
            for arrangement, how, fault in asked:
                os.environ["OPWRIGHT_SIMULATED_ACL_FAULT"] = fault
                log.write_text("", encoding="utf-8")
                with without_markers() if fault == "dropped_markers" else nullcontext():
                    trial = answer({**plan[arrangement, how].to_json(), "tolerance": None})
                lines = log.read_text(encoding="utf-8").splitlines()
                told.append({"trial": trial, "log": lines})
            print(MARK + json.dumps(told), flush=True)


main()
