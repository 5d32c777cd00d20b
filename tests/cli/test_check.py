from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from cli_operators import OPERATORS
from marked_processes import all_gone, processes_with
from opwright.checks.table import CHECKS
from opwright.cli.main import main
from opwright.errors import (
    DeviceError,
    DiscoveryError,
    FoundFault,
    NotEvidence,
    RecordError,
    ReferenceFailed,
    SpecError,
    UsageError,
)
from opwright.records.run import read_record, record_schema

Opwright = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Ended:
    """A run of four operators, one for each way in which a case can end."""

    result: subprocess.CompletedProcess[str]
    file: Path
    record: Path


# What takes ``four`` runs in one test process: it is run once.
of_the_four = pytest.mark.xdist_group("four")
VERDICTS = {"right": "pass", "wrong": "fail", "fatal": "fail", "unreferenced": "error"}


def check(opwright: Opwright, *arguments: object, only: str = "numerics") -> Any:
    return opwright("check", *arguments, "--only", only)


@pytest.fixture(scope="module")
def four(opwright: Opwright, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("four")
    (folder / "many.py").write_text(OPERATORS)
    names = [f"{folder / 'many.py'}:{name}" for name in VERDICTS]
    result = check(opwright, *names, "--json", folder / "record.json")
    return Ended(result, folder / "many.py", folder / "record.json")


@of_the_four
def test_the_worst_ending_decides_the_code_and_each_operator_has_its_line(four: Ended) -> None:
    assert four.result.returncode == FoundFault.exit_code
    for name, verdict in VERDICTS.items():
        assert f"\n{name}: {verdict} (" in four.result.stdout


@of_the_four
def test_what_happened_is_told(four: Ended) -> None:
    assert "fatal, numerics: crash" in four.result.stdout
    assert "wrong, numerics: inaccurate" in four.result.stdout
    assert "the reference is out of order" in " ".join(four.result.stdout.split())


@of_the_four
def test_the_record_is_as_its_schema_says_and_has_the_same_verdicts(four: Ended) -> None:
    plain = json.loads(four.record.read_text())
    jsonschema.validate(plain, record_schema())
    assert {each["name"]: each["verdict"] for each in plain["operators"]} == VERDICTS


@of_the_four
def test_the_record_says_where_and_how_it_was_made(four: Ended) -> None:
    read = read_record(four.record)
    assert all(read.environment[name] for name in ("python", "torch", "platform", "cpu", "threads"))
    assert read.command.startswith(f"opwright check {four.file}:right ")
    assert read.command.endswith(f"--json {four.record} --only numerics")


@of_the_four
def test_without_a_terminal_there_is_no_control_sequence_and_80_columns(four: Ended) -> None:
    assert "\x1b" not in four.result.stdout + four.result.stderr
    lines = four.result.stdout.splitlines()
    # Programs, which are there to be copied, keep their lines whole.
    assert max(len(line) for line in lines if not line.startswith("    ")) <= 80
    assert "right: numerics: " in four.result.stderr


def test_a_right_operator_ends_with_0_and_in_ascii_where_there_is_nothing_else(
    operators: Path, opwright: Opwright
) -> None:
    result = opwright("check", f"{operators}:right", "--only", "numerics", PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
    assert "+ right" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("right: pass (")


def test_a_reference_that_raises_has_a_code_of_its_own(operators: Path, opwright: Opwright) -> None:
    assert check(opwright, f"{operators}:unreferenced").returncode == ReferenceFailed.exit_code


def test_a_check_that_has_nothing_to_run_is_no_evidence(
    operators: Path, opwright: Opwright
) -> None:
    result = check(opwright, f"{operators}:writer", only="coverage")
    assert result.returncode == NotEvidence.exit_code
    assert "writer: not checked" in result.stdout


def test_an_operator_that_does_not_build_does_not_keep_the_others_from_being_checked(
    operators: Path, opwright: Opwright, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from opwright import Dim, Operator, Tensor\n"
        "broken = Operator('broken(Tensor x) -> Tensor', inputs={'x': Tensor(Dim('n'))},\n"
        "  dtypes=('float32',), reference=lambda x: x, sources={'cpu': 'missing.cpp'})\n"
    )
    record = tmp_path / "record.json"
    result = check(opwright, broken, f"{operators}:right", "--json", record)
    assert result.returncode == SpecError.exit_code
    assert "missing.cpp does not exist" in result.stderr
    assert "\nright: pass (" in result.stdout
    assert "\nbroken: error (" in result.stdout
    plain = json.loads(record.read_text())
    jsonschema.validate(plain, record_schema())
    assert [operator["verdict"] for operator in plain["operators"]] == ["error", "pass"]


def test_alone_an_operator_that_does_not_build_is_only_an_error(
    tmp_path: Path, opwright: Opwright
) -> None:
    broken = tmp_path / "op.py"
    broken.write_text("from opwright import Operator\n1 / 0\n")
    result = check(opwright, tmp_path)
    assert (result.returncode, result.stdout) == (SpecError.exit_code, "")
    assert f"{broken}:2: ZeroDivisionError" in result.stderr


@pytest.mark.parametrize(
    "arguments, error",
    [
        (["nothing_here"], DiscoveryError),
        (["swish", "--only", "numeric"], UsageError),
        (["swish", "--target", "gpu"], UsageError),
        (["swish", "--binding", "other"], UsageError),
        ([], UsageError),
        (["swish", "--target", "npu"], DeviceError),
        (["swish", "--json", "/nowhere/at/all.json"], RecordError),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_built(
    arguments: list[str], error: Any, empty_store: Path
) -> None:
    result = CliRunner().invoke(main, ["check", *arguments])
    assert result.exit_code == error.exit_code
    assert result.stdout == ""
    assert not empty_store.exists()


def test_the_checks_can_be_listed_with_what_a_pass_of_each_says() -> None:
    result = CliRunner().invoke(main, ["check", "--list-checks"])
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert [*lines] == [check.name for check in CHECKS]
    assert all(lines[check.name].startswith(f"{check.promise} (") for check in CHECKS)
    assert lines["vmap"].endswith(" (cpu, cuda, hip, simulated)")
    assert lines["stream"].endswith(" (cuda, hip, simulated)")
    assert lines["numerics"].endswith(" (cpu, cuda, hip, emulated, simulated)")


def test_a_device_that_is_called_by_another_name_is_guessed() -> None:
    result = CliRunner().invoke(main, ["check", "swish", "--target", "gpu"])
    assert "Did you mean 'cuda'?" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted\n"),
        pytest.param(signal.SIGTERM, -signal.SIGTERM, "", marks=pytest.mark.exhaustive),
    ],
)
def test_who_stops_a_run_is_told_what_is_done_and_no_process_is_left(
    number: signal.Signals, code: int, word: str, operators: Path
) -> None:
    record = operators.with_name("record.json")
    mark = f"OPWRIGHT_MARK_{uuid.uuid4().hex}"
    names = [f"{operators}:{name}" for name in ("right", "endless")]
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "opwright", "check", *names, "--only", "numerics"),
            *("--json", str(record)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, mark: "1"},
    ) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith("right: numerics: "):
            pass
        started = operators.with_name(
            operators.name + ".started"
        )  # by the next one, which never ends
        while not started.exists():
            time.sleep(0.05)
        assert len(processes_with(mark)) > 1
        process.send_signal(number)
        output, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said == f"everything that was seen is in {record}\n{word}"
    assert [each.name for each in read_record(record).operators] == ["right"]
    assert output.splitlines()[-1].startswith("right: pass (")
    assert all_gone(mark)
