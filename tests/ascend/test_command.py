"""The command and what it writes, run as a user of Ascend would, on the simulated device."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ascend.environment import Environment
from opwright.discovery import find_one
from opwright.graph.differences import EXACT
from opwright.graph.superkernel.emitting import script_for
from opwright.session.graph_asked import first_case

HERE = Path(__file__).parent
OPERATOR = HERE / "operators" / "gating"
ON_DEVICE = HERE / "on_simulated_device.py"

pytestmark = pytest.mark.xdist_group("ascend")


def pages_operator() -> str:
    page = (HERE.parents[1] / "docs" / "ascend.md").read_text(encoding="utf-8")
    return page.partition("```python\n")[2].partition("```")[0]


def test_without_torch_npu_the_pages_operator_becomes_a_script_and_nothing_is_said_to_have_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "op.py").write_text(pages_operator(), encoding="utf-8")
    emitted, record = tmp_path / "emitted", tmp_path / "record.json"
    command = (
        "-m",
        "opwright",
        "graph",
        tmp_path / "op.py",
        "--mode",
        "superkernel",
        "--target",
        "npu",
    )
    done = subprocess.run(
        [sys.executable, *command, "--emit", emitted, "--json", record],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "not run: there is no device for the target npu here, and no torch-npu" in done.stdout
    (operator,) = json.loads(record.read_text(encoding="utf-8"))["operators"]
    assert (operator["verdict"], operator["trials"]) == ("not checked", [])
    text = (emitted / "moe_gating_superkernel.py").read_text(encoding="utf-8")
    compile(text, "script", "exec")
    assert "opwright" not in text.replace("'opwright'", "")  # but for the scope's name
    assert "return torch.ops.npu.npu_moe_gating_top_k_softmax(input, None, k)" in text
    assert "torch.randn([864, 2048]" in text


@pytest.mark.slow
def test_a_kernel_on_fewer_cores_hangs_alone_at_full_cores(
    environment: Environment, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    command = ("-m", "opwright", "graph", OPERATOR, "--mode", "superkernel", "--target", "npu")
    done = environment.run(
        *(*command, "--alone", "--repeat", 2, "--limit", 8, "--json", record),
        OPWRIGHT_SIMULATED_ACL_FAULT="fewer_cores",
    )
    assert done.returncode == 3, done.stderr
    (operator,) = json.loads(record.read_text(encoding="utf-8"))["operators"]
    told = {trial["how"]: trial for trial in operator["trials"]}
    (finding,) = told["in a scope, full cores"]["findings"]
    assert finding["kind"] == "hang"
    assert "it gave no answer in 8 s" in finding["message"]
    assert told["in a scope"]["findings"] == []


@pytest.mark.exhaustive
def test_a_kernel_on_fewer_cores_hangs_with_companions_too(
    environment: Environment, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    command = ("-m", "opwright", "graph", OPERATOR, "--mode", "superkernel", "--target", "npu")
    done = environment.run(
        *(*command, "--join", "quantisation", "--limit", 30, "--json", record),
        OPWRIGHT_SIMULATED_ACL_FAULT="fewer_cores",
    )
    assert done.returncode == 3, done.stderr
    (operator,) = json.loads(record.read_text(encoding="utf-8"))["operators"]
    assert operator["label"] == "simulated"
    told = {
        (trial["arrangement"], trial["how"]): [finding["kind"] for finding in trial["findings"]]
        for trial in operator["trials"]
    }
    hangs = {asked for asked, kinds in told.items() if kinds == ["hang"]}
    assert hangs >= {("alone", "in a scope, full cores"), ("with quantisation", "in a scope")}
    assert told["alone", "in a scope"] == told["alone", "without a scope"] == []


@pytest.mark.slow
def test_a_script_tells_that_a_synchronisation_is_missing(
    environment: Environment, tmp_path: Path
) -> None:
    description = pages_operator()
    for size, smaller in (("864", "24"), ("2048", "64"), ("1024", "32")):
        assert size in description
        description = description.replace(size, smaller)
    (tmp_path / "op.py").write_text(description, encoding="utf-8")
    spec = find_one(str(tmp_path)).spec
    limits = {"allowed": EXACT, "runs": 2, "seconds": 120.0}
    text = script_for(spec, first_case(spec), option="npugraph_ex", **limits)
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    wrong = environment.run(ON_DEVICE, script, OPWRIGHT_SIMULATED_ACL_FAULT="missing_sync")
    assert wrong.returncode == 3, wrong.stderr[-3000:]
    assert "moe_gating alone: equal\n" in wrong.stdout
    assert "moe_gating two in series: differs\n" in wrong.stdout


@pytest.mark.exhaustive
def test_the_command_writes_a_script_that_tells_a_missing_synchronisation_from_none(
    environment: Environment, tmp_path: Path
) -> None:
    command = ("-m", "opwright", "graph", OPERATOR, "--mode", "superkernel", "--target", "npu")
    environment.run(*command, "--alone", "--emit", tmp_path)
    script = tmp_path / "moe_gating_superkernel.py"
    right = environment.run(ON_DEVICE, script)
    assert right.returncode == 0, right.stderr[-3000:]
    assert right.stdout.count(": equal") == 5
    wrong = environment.run(ON_DEVICE, script, OPWRIGHT_SIMULATED_ACL_FAULT="missing_sync")
    assert wrong.returncode == 3, wrong.stderr[-3000:]
    for title, verdict in {
        "alone": "equal",
        "alone, full cores": "equal",
        "two in series": "differs",
        "three in series": "differs",
        "with a companion behind it": "differs",
    }.items():
        assert f"moe_gating {title}: {verdict}\n" in wrong.stdout


@pytest.mark.exhaustive
def test_the_documents_own_example_runs_end_to_end(environment: Environment) -> None:
    done = environment.run(ON_DEVICE, HERE / "documents_example.py")
    assert done.returncode == 0, done.stderr[-3000:]
    told = [line for line in done.stdout.splitlines() if not line.startswith("Warning")]
    assert told == ["equal True", "the largest True", "within half a step True"]
