"""What a start costs is measured in fresh processes, and one that comes to no end is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_folder import write_doubled, write_operator
from opwright.discovery import find_one
from opwright.errors import CompileError, WorkerError
from opwright.session.bench_asked import BenchAsked
from opwright.session.bench_cases import bench_cases
from opwright.session.bench_run import BenchRun, bench_operators
from opwright.session.stages import Use, measure_stages
from opwright.spec.case import Case
from opwright.spec.target import Target

CPU = Target("cpu")
NOTING = """
import os

def noting(x):
    with open(__file__ + ".calls", "a") as file:
        file.write(f"{os.getpid()} {os.environ['OPWRIGHT_STORE']}\\n")
    return 2 * x

op = Operator(
    "noting(Tensor x) -> Tensor",
    inputs={"x": Tensor(rows)}, dtypes=("float32",),
    reference=lambda x: 2 * x, function=noting,
)
"""
DYING = NOTING.replace("noting", "dying").replace("return 2 * x", "os._exit(7)")


def described(folder: Path, text: str) -> tuple[str, Case]:
    path = write_operator(folder, text)
    return str(path), bench_cases(find_one(str(path)).spec)[0]


@pytest.mark.slow
def test_each_stage_has_a_time_from_every_fresh_process(tmp_path: Path) -> None:
    operator, case = described(tmp_path, NOTING)
    told: list[tuple[int, str]] = []
    stages = measure_stages(Use(operator, CPU, case), 2, lambda *each: told.append(each))
    assert [stage.name for stage in stages] == [
        *("cold build and load", "store hit and load", "first call", "hot call"),
    ]
    assert all(len(stage.times_us) == 2 and min(stage.times_us) > 0 for stage in stages)
    assert told == [(n, what) for what in ("cold build", "store hit") for n in (0, 1)]
    lines = (tmp_path / "op.py.calls").read_text().splitlines()
    processes = dict(line.split() for line in lines)
    assert len(processes) == 4, "each a process of its own"
    assert len(lines) == 4 * 201
    cold, other, *hits = processes.values()
    assert cold != other, "every cold build has a store of its own"
    assert hits == [other, other], "and the hits are in the last one's"


def test_a_process_that_comes_to_no_end_is_named_with_what_it_left(tmp_path: Path) -> None:
    operator, case = described(tmp_path, DYING)
    with pytest.raises(WorkerError, match="came to no end in a fresh process") as error:
        measure_stages(Use(operator, CPU, case), 2, lambda *each: None)
    assert error.value.what.startswith(operator)
    assert "7" in error.value.what.partition("\n")[2]


def test_one_that_does_not_build_says_so_as_a_build_does(tmp_path: Path) -> None:
    broken = write_doubled(tmp_path, "not_to_be_started")
    (broken / "kernel.cpp").write_text("none of this is C++\n")
    run = BenchRun()

    class Nobody:
        def begin(self, operator: str, rows: int) -> None:
            raise AssertionError("nothing is measured")

        row = begin  # type: ignore[assignment]

    bench_operators(run, [str(broken)], BenchAsked(CPU, stages=True), Nobody())  # type: ignore[arg-type]
    (error,) = run.errors
    assert isinstance(error, CompileError)
    assert "kernel.cpp:1" in error.what
