"""Operators are found where they stand, and what is wrong with a file is said with its line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from operator_folder import DOUBLED, KERNEL, PREAMBLE, write_operator
from opwright import load
from opwright.discovery import find, find_one, installed_names, locate
from opwright.errors import DiscoveryError, SpecError
from opwright.log import logging_to
from opwright.session.run import found_operators

TWO = DOUBLED.format(name="first") + DOUBLED.format(name="second").replace("op =", "other =")


def describe(folder: Path, name: str = "found_op") -> Path:
    return write_operator(folder, DOUBLED.format(name=name))


def names(text: str | Path) -> list[str]:
    return [found.spec.name for found in find(str(text))]


def test_a_folder_a_file_and_a_name_in_a_file(tmp_path: Path) -> None:
    write_operator(tmp_path, TWO)
    assert names(tmp_path) == ["first", "second"]
    assert names(tmp_path / "op.py") == ["first", "second"]
    assert names(f"{tmp_path}:second") == ["second"]
    assert find_one(f"{tmp_path / 'op.py'}:second").spec.name == "second"


def test_several_operators_where_one_is_wanted(tmp_path: Path) -> None:
    write_operator(tmp_path, TWO)
    with pytest.raises(
        DiscoveryError, match="describes several operators: first, second"
    ) as caught:
        find_one(str(tmp_path))
    assert f"{tmp_path}:NAME" in caught.value.hint


def test_an_unknown_name_in_a_file_has_a_nearest_one(tmp_path: Path) -> None:
    write_operator(tmp_path, TWO)
    with pytest.raises(DiscoveryError, match="has no operator 'secnd'") as caught:
        find(f"{tmp_path}:secnd")
    assert "Did you mean 'second'?" in caught.value.hint


def test_a_shipped_operator_is_found_without_reading_what_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read() -> None:
        raise AssertionError("that takes as long as the rest")

    monkeypatch.setattr("opwright.discovery._entry_points", read)
    assert find_one("swish").spec.name == "swish"
    assert find_one("swish:swish_backward").spec.name == "swish_backward"


def test_shipped_operators_are_installed() -> None:
    assert {"bias_gelu", "swish", "add2"} <= set(installed_names())
    assert names("bias_gelu") == ["bias_gelu"]


@pytest.mark.parametrize(
    "text, what, hint",
    [
        (
            "bias_gel",
            "'bias_gel' is neither a file, nor a folder, nor an installed operator",
            "'bias_gelu'",
        ),
        ("nowhere/op.py", "nowhere/op.py does not exist", "folder with an op.py"),
        ("nowhere/else", "'nowhere/else' is neither", "Installed are"),
        ("", "'' is neither|the folder has no op.py", ""),
    ],
)
def test_what_is_not_there(text: str, what: str, hint: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiscoveryError, match=what) as caught:
        find(text)
    assert hint in caught.value.hint


def test_a_folder_without_a_description(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "swish").mkdir()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiscoveryError, match="empty: the folder has no op"):
        find("empty")
    (tmp_path / "empty" / "ops.py").touch()
    with pytest.raises(DiscoveryError, match="has no op") as caught:
        find("empty")
    assert "such as empty/ops.py" in caught.value.hint
    assert names("swish") == [
        "swish"
    ]  # a folder that describes nothing hides no installed operator


def test_a_file_that_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "kernel.cpp").write_text("int x;")
    with pytest.raises(DiscoveryError, match=r"kernel\.cpp is not a Python file"):
        find(str(tmp_path / "kernel.cpp"))


def test_a_named_pipe_is_not_told_to_be_missing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "op.py")
    with pytest.raises(DiscoveryError, match=r"op\.py is not a regular file"):
        find(str(tmp_path / "op.py"))


def test_a_file_with_a_null_byte_is_named(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_bytes(b"x = 1\0\n")
    with pytest.raises(SpecError) as caught:
        find(str(path))
    assert caught.value.what.startswith(f"{path}: source code string cannot contain null bytes")


def test_a_file_that_raises_no_exception_proper_is_named(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text("\nraise BaseException('enough')\n")
    with pytest.raises(SpecError, match=f"^{path}:2: BaseException: enough"):
        find(str(path))


@pytest.mark.parametrize(
    "call, guess",
    [
        ("Operator('f(Tensor x) -> Tensor', inputs={}, reference=abs, source={})", "sources"),
        ("Dim('n', typicl=(1,))", "typical"),
        ("Tensor(layuot='copy')", "layout"),
    ],
)
def test_a_mistyped_keyword_is_guessed(call: str, guess: str, tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text(f"from opwright import Dim, Operator, Tensor\n{call}\n")
    with pytest.raises(SpecError, match="TypeError") as caught:
        find(str(tmp_path))
    assert caught.value.hint.startswith(f"Did you mean '{guess}'? ")


def test_a_fork_that_comes_back_from_the_file_ends_there(tmp_path: Path) -> None:
    path = describe(tmp_path) / "op.py"
    said = tmp_path / "said"
    with path.open("a") as file:
        file.write(f"import os\nif os.fork() == 0: open({str(said)!r}, 'w').close()\n")
        file.write("else: assert os.waitstatus_to_exitcode(os.wait()[1]) == 0\n")
    own = os.getpid()
    assert names(path) == ["found_op"]
    assert os.getpid() == own
    assert said.exists()


def test_a_file_that_describes_nothing(tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text("import math\nx = math.pi\n")
    with pytest.raises(DiscoveryError, match="describes no operator") as caught:
        find(str(tmp_path))
    assert "Assign an opwright.Operator" in caught.value.hint


def test_an_operator_that_is_imported_is_described_elsewhere(tmp_path: Path, monkeypatch) -> None:
    describe(tmp_path / "library" / "of_ops", "imported_op")
    (tmp_path / "library" / "of_ops" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "library")
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "op.py").write_text("from of_ops.op import op\n")
    with pytest.raises(DiscoveryError, match="describes no operator") as caught:
        find(str(tmp_path / "user"))
    assert (
        f"'imported_op', which {tmp_path / 'library' / 'of_ops' / 'op.py'} describes"
        in caught.value.hint
    )
    (tmp_path / "user" / "op.py").write_text(
        "from of_ops.op import op\n" + PREAMBLE + DOUBLED.format(name="own")
    )
    assert names(tmp_path / "user") == ["own"]


def test_a_function_beside_the_file_may_make_operators(tmp_path: Path) -> None:
    body = "def make(name):\n" + "".join(
        f"    {line}\n" for line in DOUBLED.format(name="{name}").strip().splitlines()
    )
    body = body.replace('"{name}(', 'name + "(') + "    return op\n"
    (tmp_path / "factory.py").write_text(PREAMBLE + body)
    (tmp_path / "op.py").write_text(
        "from factory import make\none, two = make('one'), make('two')\n"
    )
    assert names(tmp_path) == ["one", "two"]


def test_two_operators_of_one_name(tmp_path: Path) -> None:
    write_operator(tmp_path, TWO.replace("second", "first"))
    with pytest.raises(SpecError, match="a second operator named 'first' in this file") as caught:
        find(str(tmp_path))
    assert f"{tmp_path / 'op.py'}:" in caught.value.hint


TRAINED = """
trained = Operator(
    "trained(Tensor x) -> Tensor", inputs={"x": Tensor(rows)}, dtypes=("float32",),
    reference=torch.sin, function=torch.sin, backward=BACKWARD,
)
"""
OWN_BACKWARD = """Backward(
    "trained_backward(Tensor grad_output, Tensor x) -> Tensor grad_x",
    function=lambda grad_output, x: grad_output * torch.cos(x),
)"""
IMPORTED = "from opwright import Backward\n"


@pytest.mark.parametrize("backward", [OWN_BACKWARD, '"reference"'], ids=["own", "reference"])
@pytest.mark.parametrize("first", [True, False])
def test_an_operator_of_the_name_of_what_computes_gradients(
    backward: str, first: bool, tmp_path: Path
) -> None:
    trained = TRAINED.replace("BACKWARD", backward)
    other = DOUBLED.format(name="trained_backward")
    write_operator(tmp_path, IMPORTED + (other + trained if first else trained + other))
    with pytest.raises(SpecError, match="a second operator named 'trained_backward'") as caught:
        find(str(tmp_path))
    assert "for gradients of 'trained'" in str(caught.value)


def test_what_computes_gradients_may_have_a_name_in_the_file(tmp_path: Path) -> None:
    trained = TRAINED.replace("BACKWARD", OWN_BACKWARD)
    write_operator(tmp_path, f"{IMPORTED}{trained}gradient = trained.backwards[0]\n")
    assert names(tmp_path) == ["trained", "trained_backward"]
    assert names(f"{tmp_path}:trained_backward") == ["trained_backward"]


def test_two_names_of_one_operator(tmp_path: Path) -> None:
    write_operator(tmp_path, DOUBLED.format(name="one") + "same = op\n")
    assert names(tmp_path) == ["one"]


FAULTS = {
    "syntax": ("x = (1,\ny = 2\n", 1, "was never closed"),
    "indentation": ("def f():\nreturn 1\n", 2, "expected an indented block"),
    "exception": ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError: division by zero"),
    "exception in a function": ("def f():\n    return {}['a']\n\nf()\n", 2, "KeyError: 'a'"),
    "missing module": (
        "import not_there_at_all\n",
        1,
        "ModuleNotFoundError: No module named 'not_there_at_all'",
    ),
    "exit": ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
    "wrong part": (
        "from opwright import Dim\n\nrows = Dim('2rows')\n",
        3,
        "Dim name '2rows' is not an identifier",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_said_with_its_line(fault: str, tmp_path: Path) -> None:
    text, line, what = FAULTS[fault]
    (tmp_path / "op.py").write_text(text)
    with pytest.raises(SpecError) as caught:
        find(str(tmp_path))
    assert caught.value.what.startswith(f"{tmp_path / 'op.py'}:{line}: ")
    assert what in caught.value.what


def test_a_wrong_field_is_said_once_with_its_line(tmp_path: Path) -> None:
    write_operator(tmp_path, DOUBLED.format(name="wrong").replace("float32", "flaot32"))
    with pytest.raises(SpecError) as caught:
        find(str(tmp_path))
    line = 1 + (tmp_path / "op.py").read_text().splitlines().index("op = Operator(")
    assert (
        caught.value.what == f"{tmp_path / 'op.py'}:{line}: field 'dtypes': unknown dtype 'flaot32'"
    )


def test_a_fault_in_a_module_beside_it_is_said_with_that_modules_line(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("\n\nx = undefined\n")
    (tmp_path / "op.py").write_text("import beside\n")
    with pytest.raises(SpecError, match="NameError") as caught:
        find(str(tmp_path))
    assert caught.value.what.startswith(f"{tmp_path / 'beside.py'}:3: ")


def test_each_folder_gets_its_own_modules(tmp_path: Path, monkeypatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "helper.py").write_text("NAME = 'mine'\n")
    monkeypatch.syspath_prepend(mine)
    import helper

    for name in ("one", "two"):
        description = "import helper\nfrom parts.deep import DEEP\n" + DOUBLED.format(name="{name}")
        folder = write_operator(
            tmp_path / name, description.replace('"{name}(', 'helper.NAME + DEEP + "(')
        )
        (folder / "helper.py").write_text(f"NAME = '{name}'\n")
        (folder / "parts").mkdir()
        (folder / "parts" / "__init__.py").touch()
        (folder / "parts" / "deep.py").write_text(f"DEEP = '_{name}'\n")
    assert names(tmp_path / "one") == ["one_one"]
    assert names(tmp_path / "two") == ["two_two"]
    assert names(tmp_path / "one") == ["one_one"]
    assert sys.modules["helper"] is helper
    assert helper.NAME == "mine"
    assert [path for path in sys.path if str(tmp_path) in path] == [str(mine)]


def test_a_sibling_does_not_hide_the_standard_library(tmp_path: Path) -> None:
    describe(tmp_path)
    (tmp_path / "operator.py").write_text("raise RuntimeError('the wrong one')\n")
    assert names(tmp_path) == ["found_op"]


def test_nothing_is_written_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "op"
    write_operator(folder, "import helper, parts.one, elsewhere\n" + DOUBLED.format(name="quiet"))
    (folder / "helper.py").write_text("x = 1\n")
    (folder / "parts").mkdir()
    (folder / "parts" / "__init__.py").touch()
    (folder / "parts" / "one.py").touch()
    (tmp_path / "elsewhere.py").touch()
    before = sorted(folder.rglob("*"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    hooks = list(sys.path_hooks)
    find(str(folder))
    assert sorted(folder.rglob("*")) == before
    assert sys.path_hooks == hooks
    assert (tmp_path / "__pycache__").is_dir(), "what lies elsewhere is compiled once"


@pytest.mark.parametrize("name", ["with blanks", "größe-中文", "quote'd", "a:b", "100%"])
def test_any_path_will_do(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    describe(folder)
    assert names(folder) == ["found_op"]
    assert names(f"{folder}:found_op") == ["found_op"]
    assert find_one(str(folder)).spec.folder == folder


def test_any_path_will_do_for_a_build(tmp_path: Path) -> None:
    from operator_folder import write_doubled

    op = load(write_doubled(tmp_path / "größe und 'mehr' $x", "odd_path"))
    assert torch.equal(op(torch.ones(1, 1)), torch.full((1, 1), 2.0))


def test_relative_and_linked_paths(tmp_path: Path, monkeypatch) -> None:
    describe(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    assert find_one("link").spec.folder == tmp_path / "real"
    assert find_one("real/../real/op.py").spec.folder == tmp_path / "real"
    monkeypatch.chdir(tmp_path / "real")
    assert find_one(".").spec.folder == tmp_path / "real"
    assert find_one("op.py:found_op").spec.folder == tmp_path / "real"


def test_a_file_in_a_read_only_folder(tmp_path: Path) -> None:
    describe(tmp_path / "sealed")
    (tmp_path / "sealed").chmod(0o555)
    try:
        assert names(tmp_path / "sealed") == ["found_op"]
    finally:
        (tmp_path / "sealed").chmod(0o755)


@pytest.fixture
def package(tmp_path: Path, monkeypatch) -> Path:
    """An installed package with entry points."""
    site = tmp_path / "site"
    describe(site / "my_ops", "packaged")
    (site / "my_ops" / "__init__.py").write_text("from my_ops.op import op\nnumber = 3\n")
    info = site / "my_ops-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ops\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opwright.ops]\npackaged = my_ops:op\nnumber = my_ops:number\nbroken = my_ops.gone:op\n"
        "leaving = my_ops.leaving:op\n"
    )
    (site / "my_ops" / "leaving.py").write_text("raise SystemExit(0)\n")
    monkeypatch.syspath_prepend(site)
    for module in [name for name in sys.modules if name.partition(".")[0] == "my_ops"]:
        monkeypatch.delitem(sys.modules, module)  # another test's
    return site


def test_a_packages_operator_is_found_by_its_entry_point(package: Path) -> None:
    assert installed_names()["packaged"] == "my_ops:op"
    found = find_one("packaged")
    assert found.spec.folder == package / "my_ops"
    assert find_one("packaged") is found


def test_what_computes_gradients_of_a_packages_operator_is_found_by_name(package: Path) -> None:
    trained = TRAINED.replace("BACKWARD", OWN_BACKWARD).replace("trained = ", "op = ")
    write_operator(package / "my_ops", IMPORTED + trained)
    assert locate("packaged:trained_backward") == (None, "trained_backward")
    addresses = [address for address, _ in found_operators(["packaged"])]
    assert [name for address in addresses for name in names(address)] == [
        "trained",
        "trained_backward",
    ]
    with pytest.raises(DiscoveryError, match="packaged has no operator 'traned'") as caught:
        find("packaged:traned")
    assert "Did you mean 'trained'?" in caught.value.hint
    with pytest.raises(DiscoveryError, match="'package:trained' is neither"):
        find("package:trained")


@pytest.mark.parametrize(
    "name, what",
    [
        ("number", "is not an operator"),
        ("broken", "does not load: ModuleNotFoundError"),
        ("leaving", "does not load: SystemExit"),
    ],
)
def test_a_wrong_entry_point_is_named(package: Path, name: str, what: str) -> None:
    with pytest.raises(DiscoveryError, match=what) as caught:
        find(name)
    assert name in caught.value.hint


def test_finding_imports_no_torch_of_its_own(tmp_path: Path) -> None:
    describe(tmp_path)
    text = (tmp_path / "op.py").read_text().replace("import torch\n", "")
    (tmp_path / "op.py").write_text(text)
    code = "import sys; from opwright.discovery import find; find(sys.argv[1]); print('torch' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert run.stdout == "False\n"


def test_a_file_changes_neither_the_working_directory_nor_the_streams(
    tmp_path: Path, monkeypatch, capfd
) -> None:
    folder = write_operator(
        tmp_path / "moving",
        DOUBLED.format(name="moved")
        + "import ctypes, os\n"
        + "print('from Python'); ctypes.CDLL(None).puts(b'from C')\n"
        + "os.chdir('/')\nos.close(1)\nos.close(2)\n",
        kernel=KERNEL,
    )
    monkeypatch.chdir(tmp_path)
    logged: list[str] = []
    with logging_to(lambda kind, message, facts: logged.append(f"{kind}: {message}")):
        find_one("moving")
    assert Path.cwd() == tmp_path
    os.write(1, b"a result\n")
    out, err = capfd.readouterr()
    assert out == "a result\n"
    assert "from Python" in err
    assert "from C" in err
    assert any(
        line.startswith(f"description.moved: {folder / 'op.py'} changed the") for line in logged
    )


@pytest.mark.parametrize("text", ["nosuch", "nosuch/op.py", "nosuch.py:name"])
def test_what_is_not_there_is_noticed_before_anything_is_run(text: str) -> None:
    with pytest.raises(DiscoveryError):
        locate(text)
    assert locate("add2") == (None, "")
