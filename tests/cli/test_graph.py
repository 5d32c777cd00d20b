from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from made_graph import RIGHT, WRONG, made_operator
from opwright.cli.main import main
from opwright.errors import DiscoveryError, FoundFault, NotEvidence, RecordError, UsageError
from opwright.records.graph import GraphedOperator
from opwright.session import graph_run
from opwright.session.graph_asked import GraphAsked
from opwright.session.planted import planted_folder
from opwright.spec.target import Target


class Told:
    """What the command asks for; what it is told was made by hand."""

    def __init__(self) -> None:
        self.asked: GraphAsked | None = None
        self.operator: GraphedOperator = made_operator(RIGHT)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    found = Told()

    @contextmanager
    def no_worker(asked: GraphAsked) -> Any:
        yield None

    def run(made: Any, worker: Any, operators: Any, asked: GraphAsked, watcher: Any) -> None:
        watcher.begin("twice", 1)
        watcher.trial(RIGHT)
        found.asked = asked
        made.operators.append(found.operator)

    monkeypatch.setattr(graph_run, "graphing", no_worker)
    monkeypatch.setattr(graph_run, "graph_operators", run)
    return found


def graph(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["graph", *map(str, arguments)])


def test_what_is_found_is_shown_and_written(told: Told, tmp_path: Path) -> None:
    result = graph("swish", "--mode", "compile:aot_eager", "--json", tmp_path / "graph.json")
    assert result.exit_code == 0, result.output
    assert "twice: pass (1 trial, 0 findings, 0 not checked)" in result.stdout
    plain = json.loads((tmp_path / "graph.json").read_text())
    assert plain["operators"][0]["name"] == "twice"
    assert told.asked == GraphAsked(Target("cpu"), ("compile:aot_eager",))


def test_every_option_is_passed_on(told: Told, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    several = ["--mode", "cudagraph", "--mode", "compile", "--join", "matmul", "--repeat", 5]
    (tmp_path / "shapes.json").write_text('[{"batch": [2], "hidden": 8}]')
    several += ["--shapes", "shapes.json", "--dtype", "float16"]
    graph(*("swish", *several, "--tolerance", "1e-5,1e-3", "--limit", 7, "--emit", "there"))
    assert told.asked == GraphAsked(
        Target("cpu"),
        ("cudagraph", "compile"),
        repeat=5,
        join=("matmul",),
        shapes=({"batch": (2,), "hidden": 8},),
        dtypes=("float16",),
        tolerance=(1e-5, 1e-3),
        seconds=7.0,
        emit=tmp_path / "there",
    )
    graph("swish", "--mode", "cudagraph", "--alone", "--exact", "--target", "simulated")
    assert told.asked == GraphAsked(Target("simulated"), ("cudagraph",), alone=True)
    graph("swish", "--mode", "superkernel", "--full-cores", "--shapes", "typical")
    assert told.asked
    assert (told.asked.full_cores, told.asked.shapes) == (True, "typical")


@pytest.mark.parametrize(
    ("operator", "error"),
    [(made_operator(WRONG), FoundFault), (made_operator(not_run="no device"), NotEvidence)],
)
def test_a_fault_and_what_proves_nothing_have_codes_of_their_own(
    operator: GraphedOperator, error: Any, told: Told
) -> None:
    told.operator = operator
    assert graph("swish", "--mode", "cudagraph").exit_code == error.exit_code


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        (("swish",), UsageError, "Missing option '--mode'"),
        (("swish", "--mode", "cudagrap"), UsageError, "Did you mean 'cudagraph'?"),
        (("swish", "--mode", "compile", "--join", "mat"), UsageError, "no companion is called"),
        (("swish", "--mode", "compile", "--alone", "--join", "matmul"), UsageError, "--alone"),
        (("swish", "--mode", "compile", "--tolerance", "1e-3"), UsageError, "is not two numbers"),
        (("swish", "--mode", "compile", "--tolerance", "-1,0"), UsageError, "is not two numbers"),
        (("swish", "--mode", "compile", "--tolerance", "1_0,0"), UsageError, "is not two numbers"),
        (("swish", "--mode", "compile", "--limit", "nan"), UsageError, "is no number"),
        (("swish", "--mode", "compile", "--limit", "inf"), UsageError, "not in the range"),
        (("swish", "--mode", "compile", "--limit", "1e300"), UsageError, "not in the range"),
        (("swish", "--mode", "compile", "--repeat", "9" * 20), UsageError, "not in the range"),
        (
            ("swish", "--mode", "compile", "--exact", "--tolerance", "0,0"),
            UsageError,
            "exclude each other",
        ),
        (("swish", "--mode", "compile", "--full-cores"), UsageError, "is for --mode superkernel"),
        (
            ("swish", "--mode", "compile", "--shapes", "none.json"),
            UsageError,
            "none.json cannot be",
        ),
        (("nothing_here", "--mode", "compile"), DiscoveryError, "nothing_here"),
        (
            ("swish", "--mode", "compile", "--emit", "/proc/nothing"),
            RecordError,
            "is not a folder that can be written to",
        ),
        (
            ("swish", "--mode", "compile", "--json", "/nowhere/at/all.json"),
            RecordError,
            "cannot be written",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_why(
    arguments: tuple[str, ...], error: Any, why: str
) -> None:
    result = graph(*arguments)
    assert result.exit_code == error.exit_code
    assert why in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.slow
def test_the_command_finds_a_planted_fault_in_a_process_of_its_own(opwright: Any) -> None:
    folder = planted_folder() / "graph_defects" / "does_nothing_when_compiled"
    done = opwright("graph", folder, "--mode", "compile:aot_eager", "--alone")
    assert done.returncode == FoundFault.exit_code, done.stderr
    assert "does_nothing_when_compiled: fail (2 trials, 2 findings, 0 not checked)" in done.stdout
    assert "does_nothing_when_compiled in compile:aot_eager: 2 trials" in done.stderr
