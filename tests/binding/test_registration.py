"""What autograd, vmap and autocast need is made by the first call that asks, and once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from operator_folder import write_operator
from opwright.binding.registration import deferred

TRAINED = """
trained = Operator(
    "trained(Tensor x) -> Tensor", inputs={"x": Tensor(batch)}, dtypes=("float32", "bfloat16"),
    reference=torch.sin, function=torch.sin, backward="reference", vmap=batch, autocast="lower",
)
"""
# Loading imports none of these; each is imported by the call that asks for it.
PROGRAM = """
import sys
import torch
import opwright

parts = ("autograd", "batching", "autocast", "reference_gradient")
imported = lambda: [part for part in parts if f"opwright.binding.{part}" in sys.modules]
op = opwright.load(sys.argv[1])
assert imported() == [], imported()
x = torch.ones(3)
with torch.autocast("cpu", torch.bfloat16):
    assert torch.ops.opwright.trained(x).dtype == torch.bfloat16
assert imported() == ["autograd", "autocast"], imported()
torch.vmap(torch.ops.opwright.trained)(torch.ones(2, 3))
assert "batching" in imported(), imported()
x.requires_grad_()
torch.ops.opwright.trained(x).sum().backward()
assert torch.equal(x.grad, torch.cos(x.detach()))
assert len(imported()) == len(parts), imported()
"""


def test_a_kernel_is_made_by_its_first_call_and_once() -> None:
    made = []

    def make():
        made.append(1)
        return lambda x, *, y: (x, y)

    kernel = deferred(make)
    assert made == []
    assert [kernel(1, y=2), kernel(3, y=4)] == [(1, 2), (3, 4)]
    assert made == [1]


def test_a_library_is_loaded_without_what_only_training_needs(tmp_path: Path) -> None:
    folder = write_operator(tmp_path / "op", TRAINED)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
