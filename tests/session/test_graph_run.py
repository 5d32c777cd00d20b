"""Planted operators are caught in the graph mode that shows their fault; correct ones are left alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graph_operators import RIGHT, graphed
from made_graph import RIGHT as RIGHT_TRIAL
from made_graph import made_operator
from opwright.errors import CompileError, NotEvidence, WorkerError
from opwright.records.graph import GraphedOperator, GraphTrial
from opwright.session import graph_run
from opwright.session.graph_asked import GraphAsked
from opwright.session.graph_planted import GraphDefect, Silent, graph_defects, try_graph_defect
from opwright.session.graph_run import GraphRun, graph_operators, graphing
from opwright.spec.target import Target
from opwright.worker import Worker

CPU, SIMULATED = Target("cpu"), Target("simulated")
DEFECTS = {defect.name: defect for defect in graph_defects()}
ON_CPU = [name for name, one in DEFECTS.items() if one.target == CPU]
ON_SIMULATED = [name for name, one in DEFECTS.items() if one.target == SIMULATED]
simulated = pytest.mark.xdist_group("simulated")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One process that has imported torch."""
    with graphing(GraphAsked(CPU, ())) as started:
        yield started


@pytest.fixture(scope="session")
def device() -> None:
    from opwright.session.simulating import build_simulated_device

    build_simulated_device()


@pytest.fixture
def right(tmp_path: Path) -> Path:
    file = tmp_path / "right.py"
    file.write_text(RIGHT)
    return file


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the trials of one kind alone."""
    plan = graph_run.planned

    def choose(how: str) -> None:
        monkeypatch.setattr(
            graph_run, "planned", lambda *given: [t for t in plan(*given) if t.how == how]
        )

    return choose


def caught(defect: GraphDefect, worker: Worker, target: Target) -> None:
    found = try_graph_defect(worker, defect, target)
    if found.answer == "not checkable" and defect.torch:
        pytest.skip(found.reason)  # the suite's own PyTorch is newer, a GPU's may be older
    assert (found.answer, found.reason) == ("caught", "")
    allowed = {kind for f in defect.stated for kind in (f.kind, *f.other_kinds)}
    assert target.device_type == "cuda" or set(found.kinds) <= allowed


@pytest.mark.parametrize("name", ON_CPU)
def test_a_planted_operator_is_caught_when_compiled(name: str, worker: Worker) -> None:
    caught(DEFECTS[name], worker, CPU)


@simulated
@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", ON_SIMULATED)
def test_a_planted_operator_is_caught_when_captured(name: str, worker: Worker) -> None:
    caught(DEFECTS[name], worker, SIMULATED)


def all_pass(graphed_operator: GraphedOperator) -> None:
    trials = {(t.arrangement, t.how): (t.verdict, t.findings) for t in graphed_operator.trials}
    assert set(trials.values()) == {("pass", ())}, trials
    assert {trial.fused.verdict for trial in graphed_operator.trials} == {"not checked"}
    assert graphed_operator.verdict == "pass"


def test_a_correct_operator_passes_compiled_in_every_arrangement(
    right: Path, worker: Worker
) -> None:
    found = graphed(worker, f"{right}:doubled", GraphAsked(CPU, ("compile:aot_eager",)))
    all_pass(found)
    assert [t.arrangement for t in found.trials[2:4]] == ["two in series", "three in series"]
    calls = {trial.arrangement: trial.facts["calls_in_graphs"] for trial in found.trials}
    assert (calls["two in series"], calls["three in series"]) == (2, 3)
    assert (found.mode, found.label, found.compared) == (
        "compile:aot_eager",
        "hardware",
        "bit for bit",
    )


@simulated
@pytest.mark.usefixtures("device")
def test_a_correct_operator_passes_captured_in_every_arrangement(
    right: Path, worker: Worker
) -> None:
    found = graphed(worker, f"{right}:doubled", GraphAsked(SIMULATED, ("cudagraph",)))
    all_pass(found)
    assert found.label == "simulated"
    assert found.trials[0].facts["names"] == ["aten::mul"]


@simulated
@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    ("mode", "target"), [("compile:aot_eager", CPU), ("cudagraph", SIMULATED)], ids=str
)
def test_one_that_writes_its_argument_passes_too(
    mode: str, target: Target, right: Path, worker: Worker
) -> None:
    asked = GraphAsked(target, (mode,), join=("quantisation",))
    all_pass(graphed(worker, f"{right}:scaled_into", asked))


@pytest.mark.slow
def test_a_correct_operator_passes_with_inductor(right: Path, worker: Worker, only: Any) -> None:
    only("static")
    found = graphed(worker, f"{right}:doubled", GraphAsked(CPU, ("compile",), alone=True))
    all_pass(found)
    assert found.mode == "compile"


@pytest.mark.exhaustive
@pytest.mark.parametrize("operator", ["add2", "swish", "bias_gelu", "moe_gating_top_k_softmax"])
@pytest.mark.parametrize("mode", ["compile:inductor", "compile:aot_eager"])
def test_shipped_operators_pass_compiled(operator: str, mode: str, worker: Worker) -> None:
    all_pass(graphed(worker, operator, GraphAsked(CPU, (mode,))))


@simulated
@pytest.mark.exhaustive
@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("operator", ["add2", "swish", "bias_gelu", "moe_gating_top_k_softmax"])
def test_shipped_operators_pass_captured(operator: str, worker: Worker) -> None:
    all_pass(graphed(worker, operator, GraphAsked(SIMULATED, ("cudagraph",))))


@simulated
@pytest.mark.slow
@pytest.mark.usefixtures("device")
def test_a_shipped_kernel_is_found_among_the_nodes(worker: Worker, only: Any) -> None:
    only("replayed")
    found = graphed(worker, "add2", GraphAsked(SIMULATED, ("cudagraph",), join=("elementwise",)))
    all_pass(found)
    launches = {trial.arrangement: len(trial.facts["launches"]) for trial in found.trials}
    assert (launches["alone"], launches["two in series"], launches["three in series"]) == (1, 2, 3)


@pytest.mark.slow
def test_three_shipped_operators_pass_compiled_alone(worker: Worker, only: Any) -> None:
    only("static")
    for operator in ("add2", "swish", "bias_gelu"):
        asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True)
        all_pass(graphed(worker, operator, asked))


@pytest.mark.cuda
@pytest.mark.slow
@pytest.mark.parametrize(
    "mode", ["cudagraph", "compile:inductor", "compile:aot_eager", "compile:cudagraphs"]
)
@pytest.mark.parametrize("operator", ["add2", "swish", "bias_gelu"])
def test_shipped_operators_pass_on_a_gpu(operator: str, mode: str, worker: Worker) -> None:
    found = graphed(worker, operator, GraphAsked(Target("cuda"), (mode,)))
    all_pass(found)
    assert found.label == "hardware"


@pytest.mark.cuda
@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_operator_is_caught_on_a_gpu(name: str, worker: Worker) -> None:
    caught(DEFECTS[name], worker, Target("cuda"))


def test_what_is_not_the_same_by_less_than_a_tolerance_passes(worker: Worker, only: Any) -> None:
    only("static")
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True, tolerance=(1e-6, 1e-6))
    found = graphed(worker, DEFECTS["noise_in_the_last_digits"].folder, asked)
    assert found.verdict == "pass"
    assert found.compared == "within atol 1e-06, rtol 1e-06"


@pytest.mark.parametrize(
    ("mode", "target", "why"),
    [
        ("cudagraph", CPU, "a host has no streams to capture"),
        ("compile:cudagraphs", CPU, "makes code for cuda, and not for cpu"),
        ("compile:inductor", SIMULATED, "makes code for cpu and cuda, and not for simulated"),
    ],
)
def test_what_cannot_run_is_not_run_with_the_reason(
    mode: str, target: Target, why: str, right: Path, worker: Worker
) -> None:
    found = graphed(worker, f"{right}:doubled", GraphAsked(target, (mode,)))
    assert why in found.not_run
    assert (found.trials, found.verdict) == ((), "not checked")


def test_a_target_without_a_device_is_not_run(
    right: Path, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_run, "device_count", lambda target: 0)
    found = graphed(worker, f"{right}:doubled", GraphAsked(Target("cuda"), ("cudagraph",)))
    assert found.not_run == "there is no device for the target cuda here"


def test_sizes_that_cannot_change_are_not_checked_and_take_nothing_from_a_pass(
    tmp_path: Path, worker: Worker
) -> None:
    file = tmp_path / "right.py"
    dtypes = '    dtypes=("float32",),\n'
    fixed = f'{dtypes}    constraints=("n == 8",),\n'
    file.write_text(RIGHT.replace(dtypes, fixed).replace("((4,), (2, 3))", "((),)"))
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True)
    found = graphed(worker, f"{file}:doubled", asked)
    static, dynamic = found.trials
    assert (static.verdict, dynamic.verdict, found.verdict) == ("pass", "not checked", "pass")
    assert (
        dynamic.equal.reason
        == "no other sizes meet the description's constraints, or they would be too large"
    )


def test_one_that_does_not_build_is_put_down_once_and_the_next_one_taken(
    tmp_path: Path, right: Path, worker: Worker
) -> None:
    (tmp_path / "op.py").write_text(
        RIGHT.partition("doubled =")[0]
        + 'broken = Operator("broken(Tensor input) -> Tensor", inputs={"input": Tensor(batch, n)}, '
        'dtypes=("float32",), reference=lambda input: input, sources={"cpu": "broken.cpp"})\n'
    )
    (tmp_path / "broken.cpp").write_text("this is no C++\n")
    asked = GraphAsked(CPU, ("compile:aot_eager", "cudagraph"), alone=True)
    run = graph_run.GraphRun()
    named = [str(tmp_path / "op.py"), f"{right}:doubled"]
    graph_run.graph_operators(run, worker, named, asked, Silent())
    assert [type(error) for error in run.errors] == [CompileError]
    assert run.exit_code == CompileError.exit_code
    told = [(each.name, each.mode, each.verdict) for each in run.operators]
    assert told == [
        ("broken", "compile:aot_eager", "not checked"),
        ("doubled", "compile:aot_eager", "pass"),
        ("doubled", "cudagraph", "not checked"),
    ]
    assert run.operators[0].not_run == run.errors[0].what


def test_sizes_and_dtypes_that_are_named_are_tried_one_after_the_other(
    tmp_path: Path, worker: Worker
) -> None:
    file = tmp_path / "right.py"
    file.write_text(RIGHT.replace('dtypes=("float32",)', 'dtypes=("float32", "float64")'))
    asked = GraphAsked(
        CPU,
        ("compile:aot_eager",),
        alone=True,
        hows=("static",),
        shapes=({"batch": (2,), "n": 3}, {"batch": (1, 2), "n": 7}),
        dtypes=("float64", "float32"),
    )
    found = graphed(worker, f"{file}:doubled", asked)
    all_pass(found)
    assert sorted(trial.case for trial in found.trials) == [
        "batch=1x2,n=7 float32",
        "batch=1x2,n=7 float64",
        "batch=2,n=3 float32",
        "batch=2,n=3 float64",
    ]
    one = graphed(worker, f"{file}:doubled", replace(asked, shapes=None, dtypes=("float64",)))
    assert ["float64" in trial.case for trial in one.trials] == [True]


def test_one_that_returns_its_argument_is_not_checked_where_it_cannot_be_compiled(
    tmp_path: Path, worker: Worker
) -> None:
    file = tmp_path / "returned.py"
    file.write_text(
        RIGHT.replace("float factor=2.0) -> ()", "float factor=2.0) -> Tensor(a!)").replace(
            "    output.copy_(input * factor)", "    return output.copy_(input * factor)"
        )
    )
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True)
    found = graphed(worker, f"{file}:scaled_into", asked)
    assert found.verdict == "not checked"
    assert "no operator that returns its argument" in found.trials[0].equal.reason


def test_an_end_is_told_with_mode_and_stage(worker: Worker, only: Any) -> None:
    only("static")
    folder = DEFECTS["ends_its_process_when_captured"].folder
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True, repeat=8)
    (trial,) = graphed(worker, folder, asked).trials
    (finding,) = trial.findings
    assert finding.kind == "crash"
    assert finding.details["mode"] == "compile:aot_eager"
    assert finding.details["stage"] == trial.stage
    assert trial.stage.startswith("run ")


def test_records_of_all_are_plain_data(right: Path, worker: Worker, only: Any) -> None:
    only("static")
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True)
    found = graphed(worker, f"{right}:doubled", asked)
    run = graph_run.GraphRun(operators=[found])
    record = run.record("opwright graph", "0")
    assert json.dumps(record.environment)
    assert run.exit_code == 0
    run.operators = [replace(found, trials=(), not_run="no device")]
    assert run.exit_code == 4
    failing = GraphTrial(
        *("alone", "static", "case"), *(found.trials[0].equal,) * 3, found.trials[0].fused
    )
    assert failing.verdict == "pass"


# Planted kernels, which other checks find as well -> what a graph shows of them.
KERNELS = {
    "host_decides": ("cannot be captured", "waiting for a stream"),
    "launched_on_stream_0": ("empty graph", "Not on the current stream: `twice"),
    "memory_of_its_own": ("cannot be captured", "giving memory back to the device itself"),
    "stream_of_its_own": ("empty graph", "Not on the current stream: `twice"),
    "waits_for_the_device": ("cannot be captured", "waiting for the device"),
    "waits_for_the_stream": ("cannot be captured", "waiting for a stream"),
}


@simulated
@pytest.mark.slow
@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", KERNELS)
def test_a_planted_kernel_is_caught_and_its_cause_named(
    name: str, worker: Worker, only: Any
) -> None:
    only("replayed")
    kind, words = KERNELS[name]
    folder = Path(__file__).parent.parent / "device_defects" / name
    asked = GraphAsked(SIMULATED, ("cudagraph",), alone=True)
    (trial,) = graphed(worker, folder, asked).trials
    said = {finding.kind: finding.message for finding in trial.findings}
    assert words in said[kind]


@simulated
@pytest.mark.usefixtures("device")
def test_one_that_fails_everywhere_is_not_said_to_be_spoiled_by_a_capture(
    worker: Worker, only: Any
) -> None:
    only("after a failure")
    folder = Path(__file__).parent.parent / "correct" / "causal_attention"  # its mask is the host's
    asked = GraphAsked(SIMULATED, ("cudagraph",), alone=True)
    (trial,) = graphed(worker, folder, asked).trials
    assert [finding.kind for finding in trial.findings] == ["fails as it is"]


# One that ends the worker, one that is right, one whose arguments fit into no memory, one for a GPU alone.
ODD = """
import os
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(2,), edge=(1,))
n = Dim("n", typical=(8,), edge=(5,))


def killer(input):
    os.kill(os.getppid(), 9)
    return input * 2


def operator(name, **more):
    return Operator(
        f"{name}(Tensor input) -> Tensor",
        inputs={"input": Tensor(rows, n)},
        dtypes=("float32",),
        reference=lambda input: input * 2,
        **more,
    )


ends_its_worker = operator("ends_its_worker", function=killer)
right = operator("right", function=lambda input: input * 2)
"""


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    return file


def test_an_operator_that_ends_the_worker_leaves_the_next_one_to_be_judged(odd: Path) -> None:
    run, asked = GraphRun(), GraphAsked(CPU, ("compile:aot_eager",), alone=True)
    with graphing(asked) as own:
        graph_operators(run, own, [f"{odd}:ends_its_worker", f"{odd}:right"], asked, Silent())
    assert [type(error) for error in run.errors] == [WorkerError]
    assert [operator.name for operator in run.operators] == ["ends_its_worker", "right"]
    assert run.operators[0].not_run
    assert run.operators[1].verdict == "pass"


def test_arguments_that_cannot_be_made_are_no_fault_of_the_operator(
    odd: Path, worker: Worker
) -> None:
    sizes = ({"rows": 1_000_000, "n": 100_000},)
    asked = GraphAsked(CPU, ("compile:aot_eager",), alone=True, shapes=sizes)
    found = graphed(worker, f"{odd}:right", asked)
    assert found.verdict == "not checked"
    assert [trial.findings for trial in found.trials] == [()] * len(found.trials)
    assert "arguments could not be made: the process failed to allocate" in (
        found.trials[0].equal.reason
    )


def test_a_target_without_sources_is_not_run_and_proves_nothing(
    worker: Worker, tmp_path: Path
) -> None:
    run = GraphRun()
    file = tmp_path / "op.py"
    file.write_text(
        ODD.replace('right = operator("right", function=lambda input: input * 2)', "")
        + 'generated = operator("generated", sources={"cpu": "generated.cpp"})\n'
    )
    (tmp_path / "generated.cpp").write_text("")
    asked = GraphAsked(SIMULATED, ("cudagraph",), alone=True, emit=tmp_path / "written")
    graph_operators(run, worker, [f"{file}:generated"], asked, Silent())
    (found,) = run.operators
    assert found.not_run == found.not_emitted == "generated has no sources for target simulated"
    assert run.exit_code == NotEvidence.exit_code


def test_a_script_that_is_not_written_takes_the_success_from_a_run() -> None:
    passed = made_operator(RIGHT_TRIAL)
    run = GraphRun(operators=[passed])
    assert run.exit_code == 0
    run.operators.append(replace(passed, not_emitted="its function has no text"))
    assert run.exit_code == NotEvidence.exit_code
