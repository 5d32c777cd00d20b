"""Makes trials of an operator in one process that has torch-npu, one after the other, with faults injected.

``python trials.py OPERATOR MODE`` reads ``[[arrangement, how, fault], ...]`` and writes what came of each.
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

from opwright.session.graph_asked import GraphAsked, planned
from opwright.session.graph_subject import set_up
from opwright.spec.target import parse_target


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
    from opwright.discovery import find_one

    operator, mode = sys.argv[1:]
    spec = find_one(operator).spec
    asked = GraphAsked(parse_target("npu"), (mode,))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        os.environ["OPWRIGHT_SIMULATED_ACL_LOG"] = str(log)
        payload = {
            "operator": operator,
            "artifact": None,
            "target": "npu",
            "backwards": [],
            "stage": str(Path(folder) / "stage"),
        }
        answer = set_up(payload)
        plan = {(one.arrangement, one.how): one for one in planned(spec, mode, asked)}
        told = []
        for arrangement, how, fault in json.load(sys.stdin):
            os.environ["OPWRIGHT_SIMULATED_ACL_FAULT"] = fault
            log.write_text("", encoding="utf-8")
            with without_markers() if fault == "dropped_markers" else nullcontext():
                trial = answer({**plan[arrangement, how].to_json(), "tolerance": None})
            told.append({"trial": trial, "log": log.read_text(encoding="utf-8").splitlines()})
    print(json.dumps(told))


main()
