"""Whole measurements of small operators: what comes of right ones, and that no wrong one is timed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from operator_folder import write_doubled
from opwright.discovery import find_one
from opwright.errors import CompileError, FoundFault, UsageError
from opwright.measure.stopping import Limits
from opwright.records.measurement import OperatorMeasurement
from opwright.session import bench_run, bench_subject
from opwright.session.bench_asked import BenchAsked
from opwright.session.bench_cases import bench_cases
from opwright.session.bench_rivals import described_rival, function_of
from opwright.session.bench_run import BenchRun, bench_operators
from opwright.spec.target import Target
from timed_operators import TIMED

CPU = Target("cpu")
SMALL = ({"n": 64},)


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    file = tmp_path / "many.py"
    file.write_text(TIMED)
    return file


class Told:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []
        self.rows: list[tuple[int, str]] = []

    def begin(self, operator: str, rows: int) -> None:
        self.begun.append((operator, rows))

    def row(self, process: int, case: str) -> None:
        self.rows.append((process, case))


def asked(**changes: Any) -> BenchAsked:
    limits = Limits(seconds=0.05, max_samples=200)
    facts: dict[str, Any] = {"cache": "warm", "processes": 2, "shapes": SMALL, "limits": limits}
    return BenchAsked(CPU, **{**facts, **changes})


def bench(*texts: object, told: Told | None = None, **changes: Any) -> BenchRun:
    run = BenchRun()
    bench_operators(run, [str(text) for text in texts], asked(**changes), told or Told())
    return run


def only(run: BenchRun) -> OperatorMeasurement:
    assert run.errors == []
    (operator,) = run.operators
    return operator


def test_every_subject_has_a_row_a_case_with_the_samples_of_every_process(operators: Path) -> None:
    told = Told()
    run = bench(
        f"{operators}:timed_right",
        told=told,
        against=("reference", f"{operators}:timed_too"),
        shapes=({"n": 8}, {"n": 16}),
        dtypes=("float64",),
    )
    operator = only(run)
    subjects = ("operator", "reference", "timed_too")
    cases = ("n=8 float64", "n=16 float64")
    assert [(row.case, row.subject) for row in operator.rows] == [
        (case, subject) for case in cases for subject in subjects
    ]
    for row in operator.rows:
        assert [series.process for series in row.series] == [0, 1]
        assert row.estimate.samples == sum(len(series.times_us) for series in row.series)
        assert (row.timer, row.cache) == ("host", "warm")
        assert (row.rechecked == 0) == (row.subject == "reference"), (
            "it is what others are judged by"
        )
        assert row.roofline["bytes"] == 2 * 8 * row.sizes["n"]
        assert "process_peak_bytes" in {**row.memory_bytes, **row.device["not_measured"]}
    samples = {(row.case, row.estimate.samples) for row in operator.rows}
    assert len(samples) == len(cases), "all subjects of a case have as many"
    assert [(ratio.case, ratio.against) for ratio in operator.ratios] == [
        (case, against) for case in cases for against in subjects[1:]
    ]
    assert told.begun == [("timed_right", 4)]
    assert told.rows == [(process, case) for process in (0, 1) for case in cases]
    assert operator.checked.startswith("not checked: a Python function has no binary")
    record = run.record("opwright bench", "0.1.0")
    assert record.operators == (operator,)
    assert record.machine["before"]["host"]["cpus"] == record.machine["after"]["host"]["cpus"] >= 1
    assert record.environment["torch"]


def be_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ceilings and memory, which take longer than all the rest."""
    monkeypatch.setattr(bench_run, "SETUP", "quick_bench:set_up")
    here = Path(__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", f"{here.parent / 'src'}{os.pathsep}{here}")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    be_quick(monkeypatch)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> BenchRun:
    """One operator for each way in which timing can end, all of them in one run."""
    folder = tmp_path_factory.mktemp("several")
    (folder / "many.py").write_text(TIMED)
    broken = write_doubled(folder / "broken", "not_to_be_built")
    (broken / "kernel.cpp").write_text("none of this is C++\n")
    names = ("slow", "wrong", "later", "twentieth", "dies", "refuses", "adds", "right")
    texts = [broken, *(f"{folder / 'many.py'}:timed_{name}" for name in names)]
    limits = Limits(seconds=60.0, min_samples=400, max_samples=400)
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        return bench(*texts, shapes=None, limits=limits)


of_several = pytest.mark.xdist_group("several")


def measured(run: BenchRun, name: str) -> OperatorMeasurement:
    return next(operator for operator in run.operators if operator.name == name)


@of_several
def test_those_that_can_be_timed_are_whatever_becomes_of_the_others(several: BenchRun) -> None:
    assert [operator.name for operator in several.operators] == [
        *("timed_slow", "timed_adds", "timed_right"),
    ]
    assert [type(error) for error in several.errors] == [
        *(CompileError, FoundFault, FoundFault, FoundFault, FoundFault, FoundFault),
    ]
    assert several.exit_code == CompileError.exit_code, "that of the first"


@of_several
def test_an_operator_that_sleeps_is_slower_than_its_reference(several: BenchRun) -> None:
    operator = measured(several, "timed_slow")
    row, reference = operator.rows
    assert row.estimate.median_us >= 1000, "it never sleeps less"
    assert reference.estimate.median_us < row.estimate.median_us
    (ratio,) = operator.ratios
    assert (ratio.subject, ratio.against) == ("operator", "reference")
    assert ratio.ratio is not None
    assert ratio.ratio > 1
    assert ratio.verdict in ("slower", "cannot tell"), "two processes may disagree"


@of_several
def test_what_is_wrong_at_first_later_or_now_and_then_is_not_timed(several: BenchRun) -> None:
    for error in several.errors[1:4]:
        assert error.what.startswith("operator is wrong on n=64 float32: ")
        assert error.exit_code == 3


@of_several
def test_one_that_comes_to_no_end_while_it_is_timed_is_named_with_its_case(
    several: BenchRun,
) -> None:
    died, raised = several.errors[4:]
    assert died.what.startswith("timed_dies could not be timed on n=64 float32: it ")
    assert "SIGSEGV" in died.what
    assert raised.what.startswith("timed_refuses could not be timed on n=64 float32: it ")
    assert "out of order" in raised.what


@of_several
def test_what_a_call_writes_to_is_as_it_was_before_the_next_one(several: BenchRun) -> None:
    """Added up call after call it would be wrong from the second on."""
    own, _ = measured(several, "timed_adds").rows
    assert own.rechecked > 50


def test_the_same_function_twice_is_neither_faster_nor_slower(operators: Path, quick: None) -> None:
    """Not even on a busy machine: only beyond a factor of two would it be."""
    operator = only(
        bench(f"{operators}:timed_right", against=(f"{operators}:timed_right",), bound=1.0)
    )
    (ratio,) = operator.ratios
    assert ratio.against == "timed_right"
    assert ratio.verdict in ("same", "cannot tell"), ratio.reason


def test_another_operator_that_is_wrong_is_not_timed_either(operators: Path, quick: None) -> None:
    run = bench(f"{operators}:timed_right", against=(f"{operators}:timed_wrong",))
    (error,) = run.errors
    assert isinstance(error, FoundFault)
    assert error.what.startswith("timed_wrong is wrong on n=64 float32: ")
    assert run.exit_code == FoundFault.exit_code == 3


def test_versions_of_an_operator_are_binaries_with_a_name_each(tmp_path: Path, quick: None) -> None:
    """And the kernel that is timed under another's name is the other's."""
    new, old, wrong = (
        str(write_doubled(tmp_path / name, "versioned", factor=factor))
        for name, factor in (("new", 2), ("old", 2), ("wrong", 3))
    )
    shapes = ({"rows": 4, "cols": 8},)
    operator = only(bench(new, against=("reference", old), shapes=shapes))
    assert [ratio.against for ratio in operator.ratios] == ["reference", "versioned"]
    (error,) = bench(new, against=(old, wrong), shapes=shapes).errors
    assert error.what.startswith(f"{wrong} is wrong on rows=4,cols=8 float32")


@pytest.mark.parametrize("target", ["emulated", "simulated", "npu"])
def test_nothing_is_timed_where_times_mean_nothing(target: str) -> None:
    with pytest.raises(UsageError, match=f"nothing is timed on the target {target}: "):
        BenchAsked(Target(target))


def test_a_timer_of_devices_is_refused_before_anything_is_built() -> None:
    with pytest.raises(UsageError, match="the timer 'events' is not for cpu"):
        asked(timer="events")
    assert asked().timer_name == "host"
    assert BenchAsked(Target("cuda")).timer_name == "events"


def test_sizes_that_are_not_the_operators_end_the_run(operators: Path, quick: None) -> None:
    with pytest.raises(UsageError, match="timed_right has the dims n"):
        bench(f"{operators}:timed_right", shapes=({"m": 3},))


def test_a_run_that_has_not_begun_has_a_record_too() -> None:
    assert BenchRun().record("opwright bench", "0.1.0").machine == {}


def test_what_takes_other_arguments_is_no_measure(operators: Path) -> None:
    with pytest.raises(UsageError, match="does not take what timed_right takes"):
        bench(f"{operators}:timed_right", against=("add2",))


RIVALS = """
import itertools

calls = itertools.count(1)

def timed_too(input):
    raise RuntimeError("not on this machine\\nfor a reason")

def timed_slow(input):
    return input * 2 + (next(calls) > 40)

def timed_right(input):
    if next(calls) > 40:
        raise MemoryError("no more of it")
    return input * 2
"""


@pytest.fixture
def rivals(tmp_path: Path) -> str:
    file = tmp_path / "theirs.py"
    file.write_text(RIVALS)
    return f"call:{file}"


def test_functions_in_a_file_are_timed_under_its_name(
    operators: Path, rivals: str, quick: None
) -> None:
    file = Path(rivals.removeprefix("call:")).with_name("others.py")
    file.write_text("def timed_right(input):\n    return input + input\n")
    operator = only(bench(f"{operators}:timed_right", against=("reference", f"call:{file}")))
    assert [row.subject for row in operator.rows] == ["operator", "reference", "others"]
    assert [ratio.against for ratio in operator.ratios] == ["reference", "others"]


def test_an_operator_that_a_file_has_no_function_for_is_timed_without(
    operators: Path, rivals: str, quick: None
) -> None:
    operator = only(bench(f"{operators}:timed_adds", against=("reference", rivals)))
    assert [ratio.against for ratio in operator.ratios] == ["reference"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("timed_too", "RuntimeError: not on this machine"),
        ("timed_slow", "theirs is wrong on n=64 float32: "),
        ("timed_right", "MemoryError: no more of it"),
    ],
)
def test_what_others_wrote_that_raises_or_is_wrong_is_put_down_beside_the_rest(
    name: str, why: str, operators: Path, rivals: str, quick: None
) -> None:
    limits = Limits(seconds=60.0, min_samples=100, max_samples=100)
    run = bench(f"{operators}:{name}", against=("reference", rivals), limits=limits)
    eager, theirs = only(run).ratios
    assert (eager.against, theirs.against) == ("reference", "theirs")
    assert eager.ratio is not None
    assert (theirs.verdict, theirs.ratio) == ("not comparable", None)
    assert theirs.reason.startswith(why)
    assert "\n" not in theirs.reason
    assert run.exit_code == 0


def test_a_file_that_cannot_be_imported_is_put_down_with_what_is_lacking(
    operators: Path, tmp_path: Path, quick: None
) -> None:
    file = tmp_path / "lacking.py"
    file.write_text("import not_installed_here\n\ndef timed_right(input): ...\n")
    operator = only(bench(f"{operators}:timed_right", against=("reference", f"call:{file}")))
    (lacking,) = [ratio for ratio in operator.ratios if ratio.against == "lacking"]
    assert lacking.reason == "ModuleNotFoundError: No module named 'not_installed_here'"


def test_every_operator_is_told_when_it_is_finished(operators: Path, quick: None) -> None:
    run = BenchRun()
    seen: list[list[str]] = []
    run.on_finished = lambda: seen.append([each.name for each in run.operators])
    texts = [f"{operators}:{name}" for name in ("timed_right", "timed_wrong", "timed_too")]
    bench_operators(run, texts, asked(), Told())
    assert seen == [["timed_right"], ["timed_right", "timed_too"]]


def test_operators_that_compute_gradients_can_be_left_out_but_for_those_that_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timed: list[str] = []
    monkeypatch.setattr(
        bench_run, "_measured", lambda *args: timed.append(args[-1][1].name) or FoundFault("")
    )
    shapes = ({"shape": (4,)},)
    bench("swish", shapes=shapes)
    bench("swish", shapes=shapes, backwards=False)
    bench("swish:swish_backward", shapes=shapes, backwards=False)
    assert timed == ["swish", "swish_backward", "swish", "swish_backward"]


def test_the_reference_is_compiled_for_each_case_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """PyTorch compiles a function for so many sizes, and then calls it as it is."""
    import torch

    compiled: list[object] = []
    real = torch.compile

    def counting(graph: torch.fx.GraphModule, _: object) -> object:
        compiled.append(graph)
        return graph.forward

    monkeypatch.setattr(
        torch, "compile", lambda function, **_: real(function, backend=counting, dynamic=False)
    )
    file = tmp_path / "many.py"
    file.write_text(TIMED)
    spec = find_one(f"{file}:timed_right").spec
    rival = described_rival("compile", spec)
    assert rival is not None
    subject = bench_subject.Bench(spec, None, bench_subject.How("host", "warm", gradients=False))
    subject.add("operator", "operator", lambda input: input * 2)
    subject.add("compile", "compile", function_of(rival, spec))
    limits = {"precision": 0.01, "seconds": 0.01, "min_samples": 3, "max_samples": 3}
    count = 12
    for case in bench_cases(spec, [{"n": 8 + size} for size in range(count)]):
        item = {"case": case.to_json(), "limits": limits, "process": 1, "judged": {}}
        assert subject.answer(item)["lacking"] == {}
    assert len(compiled) == count
