"""``opwright bench``: what it is asked, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from made_measurement import STAGES, made_measurement, made_operator, made_row
from marked_processes import all_gone
from opwright.cli.main import main
from opwright.errors import (
    DiscoveryError,
    FoundFault,
    RecordError,
    Regression,
    UsageError,
)
from opwright.records.measurement import (
    Measurement,
    OperatorMeasurement,
    Series,
    read_measurement,
    write_measurement,
)
from opwright.session import bench_run
from opwright.session.bench_asked import BenchAsked
from opwright.session.bench_run import BenchRun
from opwright.session.environment import environment_facts
from timed_operators import TIMED

Opwright = Callable[..., "subprocess.CompletedProcess[str]"]
TINY = ("--processes", "2", "--seconds", "0.05", "--cache", "warm")


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    file = tmp_path / "many.py"
    file.write_text(TIMED)
    return file


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    file = tmp_path / "shapes.json"
    file.write_text('[{"n": 8}, {"n": 16}]')
    return file


def test_a_small_run_is_shown_and_written(
    operators: Path, shapes: Path, opwright: Opwright, tmp_path: Path
) -> None:
    file = tmp_path / "measured.json"
    arguments = ("--shapes", shapes, "--dtype", "float64", "--json", file)
    result = opwright("bench", f"{operators}:timed_right", *arguments, *TINY)
    assert result.returncode == 0, result.stderr
    record = read_measurement(file)
    (operator,) = record.operators
    assert [row.case for row in operator.rows if row.subject == "operator"] == [
        "n=8 float64",
        "n=16 float64",
    ]
    assert {len(row.series) for row in operator.rows} == {2}
    assert record.command == f"opwright bench {operators}:timed_right " + " ".join(
        map(str, (*arguments, *TINY))
    )
    assert result.stdout.startswith("timed_right on cpu, timer host, cache warm, ")
    for ratio in operator.ratios:
        assert f"{ratio.ratio:.3f} x" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "timed_right: timing in process 1\ntimed_right: timing in process 2\n" in result.stderr


def test_who_stops_a_run_is_told_what_is_done_and_no_process_is_left(operators: Path) -> None:
    record = operators.with_name("record.json")
    mark = f"OPWRIGHT_MARK_{uuid.uuid4().hex}"
    names = [f"{operators}:timed_{name}" for name in ("right", "endless")]
    started = Path(f"{operators}.started")
    with subprocess.Popen(
        [sys.executable, "-m", "opwright", "bench", *names, "--json", str(record), *TINY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, mark: "1"},
    ) as process:
        while not started.exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith("interrupted\n")
    assert [each.name for each in read_measurement(record).operators] == ["timed_right"]
    assert output.startswith("timed_right on cpu, ")
    assert all_gone(mark)


# What follows is told what was measured: how a run ends does not depend on how quick this machine is.


def quick(factor: float = 1.0, name: str = "gelu") -> OperatorMeasurement:
    """An operator of one row, of five processes whose samples hardly scatter."""
    series = tuple(
        Series(n, tuple(1000 * factor * (1 + 1e-4 * (k % 7 + n)) for k in range(40)), 0, "")
        for n in range(5)
    )
    return made_operator(name, rows=(made_row(series=series),), ratios=())


def made(*operators: OperatorMeasurement) -> Measurement:
    return made_measurement(*operators, environment=environment_facts(), machine={})


class Told:
    """Stands in for the run: puts down what it is told, and remembers what it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[BenchAsked] = []
        self.operators: list[OperatorMeasurement] = [quick()]
        self.end: BaseException | None = None
        self.errors: list[Any] = []
        monkeypatch.setattr(bench_run, "bench_operators", self)

    def __call__(self, run: BenchRun, operators: object, asked: BenchAsked, watcher: Any) -> None:
        self.asked.append(asked)
        run.operators += self.operators
        if self.operators:
            run.on_finished()
        run.errors += self.errors
        if self.end is not None:
            raise self.end


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    return Told(monkeypatch)


def bench(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", "swish", *map(str, arguments)])


def test_what_is_asked_is_what_is_measured(told: Told, shapes: Path) -> None:
    assert bench().exit_code == 0
    assert bench(
        *("--against", "compile", "--against", "softmax", "--shapes", shapes, "--timer", "host"),
        *("--dtype", "float64", "--bound", "2.5", "--seconds", "3", "--processes", "7"),
        *("--cache", "warm", "--stages", "--share", "40", "--no-backwards"),
    ).exit_code == 0  # fmt: skip
    usual, chosen = told.asked
    assert (usual.against, usual.shapes, usual.dtypes) == (("reference",), None, ())
    assert (usual.cache, usual.processes, usual.bound) == ("cold", 5, 0.01)
    assert (usual.stages, usual.share_percent, usual.timer_name) == (False, None, "host")
    assert (usual.backwards, chosen.backwards) == (True, False)
    assert chosen.against == ("compile", "softmax")
    assert chosen.shapes == ({"n": 8}, {"n": 16})
    assert (chosen.dtypes, chosen.timer, chosen.bound) == (("float64",), "host", 0.025)
    assert (chosen.limits.seconds, chosen.processes, chosen.cache) == (3.0, 7, "warm")
    assert (chosen.stages, chosen.share_percent) == (True, 40.0)


def test_an_interrupted_run_keeps_what_is_done(told: Told, tmp_path: Path) -> None:
    told.end = KeyboardInterrupt()
    file = tmp_path / "measured.json"
    result = bench("--json", file)
    assert result.exit_code == 130
    assert [each.name for each in read_measurement(file).operators] == ["gelu"]
    assert "gelu on cpu" in result.stdout


def test_the_record_is_there_behind_each_operator_whatever_comes_then(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "measured.json"
    seen: list[list[str]] = []

    def killed(*args: Any) -> None:
        told(*args)
        seen.append([each.name for each in read_measurement(file).operators])

    monkeypatch.setattr(bench_run, "bench_operators", killed)
    bench("--json", file)
    assert seen == [["gelu"]]


def test_a_wrong_operator_ends_with_3_beside_what_was_measured(told: Told, tmp_path: Path) -> None:
    told.errors = [FoundFault("operator is wrong on n=8 float32: off by 1", hint="Check it.")]
    result = bench("--json", tmp_path / "measured.json")
    assert result.exit_code == FoundFault.exit_code == 3
    assert "error: operator is wrong on n=8 float32" in result.stderr
    assert "gelu on cpu" in result.stdout
    assert (tmp_path / "measured.json").is_file()


def test_where_nothing_could_be_measured_nothing_is_written(told: Told, tmp_path: Path) -> None:
    told.operators, told.errors = [], [FoundFault("it is wrong")]
    assert bench("--json", tmp_path / "measured.json").exit_code == 3
    assert not (tmp_path / "measured.json").exists()


@pytest.mark.parametrize(
    ("factor", "bound", "code"),
    [(1.2, "1", Regression.exit_code), (1.2, "30", 0), (0.5, "1", 0), (1.0, "1", 0)],
)
def test_a_baseline_decides_the_code_by_the_bound(
    factor: float, bound: str, code: int, told: Told, tmp_path: Path
) -> None:
    write_measurement(made(quick()), tmp_path / "before.json")
    told.operators = [quick(factor)]
    result = bench("--baseline", tmp_path / "before.json", "--bound", bound)
    assert result.exit_code == code, result.output
    assert f"{factor:.3f} x" in result.stdout
    assert ("slower than before by more than 1 %: gelu on batch=1024" in result.stderr) == (
        code == 6
    )


def test_a_baseline_from_another_machine_is_no_regression_and_no_pass(
    told: Told, tmp_path: Path
) -> None:
    elsewhere = replace(made(quick(0.1)), environment={**environment_facts(), "cpu": "another"})
    write_measurement(elsewhere, tmp_path / "before.json")
    result = bench("--baseline", tmp_path / "before.json")
    assert result.exit_code == 4
    assert "not comparable: processor: another before" in " ".join(result.stdout.split())


def test_a_baseline_that_is_none_is_refused_before_the_run(told: Told, tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text("{")
    result = bench("--baseline", tmp_path / "before.json")
    assert result.exit_code == RecordError.exit_code == 50
    assert told.asked == []


def test_stages_are_shown_in_place_of_rows(told: Told) -> None:
    told.operators = [made_operator(rows=(), ratios=(), stages=STAGES)]
    result = bench("--stages")
    assert "cold build" in result.stdout
    assert "timer" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        (("--target", "emulated"), UsageError, "an emulator's speed is not the device's"),
        (("--target", "simulated"), UsageError, "a simulated device's speed is not a device's"),
        (("--timer", "events"), UsageError, "the timer 'events' is not for cpu"),
        (("--timer", "stopwatch"), UsageError, "'stopwatch' is not one of"),
        (("--processes", "0"), UsageError, "0 is not in the range"),
        (("--shapes", "/nowhere.json"), UsageError, "/nowhere.json cannot be read as JSON"),
        (("--json", "/nowhere/at/all.json"), RecordError, "/nowhere is not a folder"),
        (("--baseline", "/nowhere.json"), UsageError, "does not exist"),
        (("nothing_here",), DiscoveryError, "nothing_here"),
    ],
)
def test_what_makes_no_sense_is_refused_with_why_before_anything_is_built(
    arguments: tuple[str, ...], error: Any, why: str, told: Told, empty_store: Path
) -> None:
    result = bench(*arguments)
    assert result.exit_code == error.exit_code
    assert why.replace("/nowhere is", "/nowhere/at is") in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert told.asked == []
    assert not empty_store.exists()


def test_the_record_is_json_that_others_can_read(told: Told, tmp_path: Path) -> None:
    bench("--json", tmp_path / "measured.json")
    plain = json.loads((tmp_path / "measured.json").read_text(), parse_constant=pytest.fail)
    assert (plain["kind"], plain["version"]) == ("measurement", 1)
