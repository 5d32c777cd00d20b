"""The object that users hold."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

from operator_folder import read_operator, write_doubled


def test_it_says_what_it_is_and_where(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "shown"))
    assert repr(op) == "<opwright.Operator shown(Tensor x) -> Tensor>"
    assert op.__name__ == "shown"
    assert op.__doc__ == f"shown(Tensor x) -> Tensor\n\nDescribed in {op.spec.location}."


def test_the_location_is_the_line_of_the_description(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "located"))
    lines = (tmp_path / "op.py").read_text().splitlines()
    assert op.spec.location.file == tmp_path / "op.py"
    assert lines[op.spec.location.line - 1] == "op = Operator("


def test_copies_are_the_operator_itself(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path, "copied"))
    assert copy.copy(op) is op
    assert copy.deepcopy([op])[0] is op
    assert pickle.loads(pickle.dumps(op)) is op


def test_another_process_finds_a_pickled_operator_where_it_is_described(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path / "op", "carried"))
    (tmp_path / "pickled").write_bytes(pickle.dumps({"op": op}))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))['op'])"
    command = [sys.executable, "-c", code, str(tmp_path / "pickled")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"{op!r}\n"


def test_a_pickled_operator_whose_file_is_gone_is_an_error(tmp_path: Path) -> None:
    op = read_operator(write_doubled(tmp_path / "op", "gone"))
    (tmp_path / "pickled").write_bytes(pickle.dumps(op))
    (tmp_path / "op" / "op.py").unlink()
    code = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"
    command = [sys.executable, "-c", code, str(tmp_path / "pickled")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"DiscoveryError: {tmp_path / 'op' / 'op.py'} does not exist" in run.stderr


def test_describing_imports_no_torch() -> None:
    code = (
        "import sys; from opwright import Dim, Operator, Tensor; n = Dim('n');"
        "Operator('f(Tensor x) -> Tensor', inputs={'x': Tensor(n)}, dtypes=('float32',), reference=max,"
        "sources={'cpu': 'k.cpp'}); print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
