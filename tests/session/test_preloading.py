"""What processes of trials are born with has not looked for a GPU: after that no fork could use one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from opwright.session import bench_run, graph_run, subject, timing_run
from opwright.session.bench_asked import BenchAsked
from opwright.session.graph_asked import GraphAsked
from opwright.spec.target import Target

MODES = ("cudagraph", "compile:inductor", "compile:aot_eager", "compile:cudagraphs")
PRELOADED = {
    "graph": graph_run.preload_for(GraphAsked(Target("cuda"), MODES)),
    "check": (*subject.PRELOAD, *subject.COMPILER),
    "bench": bench_run.preload_for(BenchAsked(Target("cuda"), against=("compile",))),
    "timing": timing_run._PRELOAD,
}
# Prints who asks for GPUs while the modules are imported, and whether a fork could still use one.
PROGRAM = """
import importlib, os, sys, traceback
import torch

def watched(name):
    ask = getattr(torch.cuda, name)
    def watching(*given, **named):
        frames = [f for f in traceback.extract_stack()[:-1] if "importlib" not in f.filename]
        print(f"{name} asked by {frames[-1].filename}:{frames[-1].lineno}")
        return ask(*given, **named)
    setattr(torch.cuda, name, watching)

for name in ("is_available", "device_count", "current_device", "get_device_properties", "_lazy_init"):
    watched(name)
for module in sys.argv[1:]:
    importlib.import_module(module)
sys.stdout.flush()
if os.fork() == 0:
    if torch.cuda._is_in_bad_fork():
        print("a fork cannot use a GPU", flush=True)
    os._exit(0)
os.wait()
"""


def asked_while_importing(modules: tuple[str, ...], folder: Path) -> str:
    path = os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *modules],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.parametrize("command", PRELOADED)
def test_it_looks_for_no_gpu(command: str, tmp_path: Path) -> None:
    assert asked_while_importing(PRELOADED[command], tmp_path) == ""


def test_a_module_that_looks_for_one_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "looks.py").write_text("import torch\n\ntorch.cuda.is_available()\n")
    assert "is_available asked by" in asked_while_importing(("looks",), tmp_path)


def test_inductor_is_imported_beforehand_for_the_host_alone() -> None:
    name = "torch._inductor.compile_fx"
    assert name in graph_run.preload_for(GraphAsked(Target("cpu"), ("compile",)))
    assert name in bench_run.preload_for(BenchAsked(Target("cpu"), against=("compile",)))
    for kind in ("cuda", "hip"):
        assert name not in graph_run.preload_for(GraphAsked(Target(kind), ("compile",)))
        assert name not in bench_run.preload_for(BenchAsked(Target(kind), against=("compile",)))
