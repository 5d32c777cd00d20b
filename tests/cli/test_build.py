"""One operator is built in this file, by the real compiler; what follows finds it in the store."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opwright.cli.main import main
from opwright.cli.new import write_operator
from opwright.errors import CompileError, SpecError, ToolchainError

pytestmark = pytest.mark.xdist_group("built_here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_operator("built_here", tmp_path_factory.mktemp("operators"))
    op = made / "op.py"
    text = op.read_text().replace('("float32", "bfloat16", "float16")', '("float32",)')
    op.write_text(text)  # one dtype compiles faster than three
    return made


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    """A store that has the operator already."""
    where = tmp_path_factory.mktemp("private") / "store"
    assert build(where, folder).exit_code == 0
    return where


def build(store: Path, *arguments: object) -> Result:
    return CliRunner().invoke(
        main, ["build", *map(str, arguments)], env={"OPWRIGHT_STORE": str(store)}
    )


def test_a_miss_and_then_a_hit(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    missed = build(store, folder, "--why")
    assert missed.exit_code == 0, missed.output
    assert re.match(r"built_here for cpu\S*, \w+ binding: miss, built in [\d.]+ s\n", missed.stdout)
    assert re.search(r"why +it was never built", missed.stdout)
    assert re.search(r"parts +.*\.cpp [\d.]+ s", missed.stdout)
    assert "building built_here" in missed.stderr
    found = build(store, folder, "--why")
    assert ": hit, found in the store in " in found.stdout
    assert re.search(
        r"why +every field and every file that was read is as it was then", found.stdout
    )
    library = re.search(r"library +(\S+)", found.stdout)
    assert library
    assert Path(library[1]).is_file()
    assert library[1] in missed.stdout
    assert found.stderr == ""
    assert "why" not in build(store, folder).stdout


def test_the_reason_of_a_build_is_told_where_it_is_asked_for(folder: Path, store: Path) -> None:
    assert "why" not in build(store, folder, "--force").stdout
    assert re.search("why +it was asked for", build(store, folder, "--force", "--why").stdout)


def test_json_is_one_document_and_nothing_else(folder: Path, store: Path) -> None:
    result = build(store, folder, "--json", "-v")
    (operator,) = json.loads(result.stdout)["operators"]
    assert (operator["name"], operator["changed"]) == ("built_here", "")
    assert operator["artifact"]["hit"] is True
    assert Path(operator["artifact"]["library"]).is_file()


def test_why_names_what_changed_and_a_source_that_does_not_compile_keeps_the_store(
    folder: Path, store: Path
) -> None:
    kernel = folder / "built_here.cpp"
    good = kernel.read_text()
    kernel.write_text(good.replace("rounded once", "rounded once; oops") + "oops;\n")
    try:
        result = build(store, folder, "--why")
    finally:
        kernel.write_text(good)
    assert result.exit_code == CompileError.exit_code
    assert re.search(rf"{kernel}:\d+: error: .*oops", result.stderr)
    assert "built_here.cpp changed" in result.stderr
    assert result.stdout == ""
    assert ": hit," in build(store, folder).stdout


def test_an_operator_that_does_not_compile_keeps_none_behind_it_from_being_built(
    folder: Path, store: Path, tmp_path: Path
) -> None:
    broken = [write_operator(name, tmp_path) for name in ("broken_one", "broken_two")]
    for each in broken:
        (each / f"{each.name}.cpp").write_text(f"#include <no_{each.name}.h>\n")
    result = build(store, broken[0], folder, broken[1])
    assert result.exit_code == CompileError.exit_code
    assert re.match("built_here for cpu.*: hit,", result.stdout)
    assert all(f"no_{each.name}.h" in result.stderr for each in broken)
    result = build(store, broken[0], folder, "--json")
    assert result.exit_code == CompileError.exit_code
    failed, found = json.loads(result.stdout)["operators"]
    assert (failed["name"], failed["artifact"]) == ("broken_one", None)
    assert "no_broken_one.h" in failed["error"]
    assert (found["artifact"]["hit"], found["error"]) == (True, "")


def test_several_operators_are_described_before_the_first_is_built(
    folder: Path, store: Path
) -> None:
    result = build(store, folder, "no_such_operator")
    assert "no_such_operator" in result.stderr
    assert result.stdout == ""


def test_a_callable_needs_no_build(operators: Path, empty_store: Path) -> None:
    result = build(empty_store, f"{operators}:right")
    assert (result.exit_code, result.stdout) == (0, "right: a Python callable, nothing to build\n")


def test_a_target_that_nothing_compiles_for_is_refused(folder: Path, store: Path) -> None:
    result = build(store, folder, "--target", "npu")
    assert result.exit_code in (SpecError.exit_code, ToolchainError.exit_code)
    assert "npu" in result.stderr


def test_without_a_compiler_it_says_what_is_missing(
    folder: Path, tmp_path: Path, empty_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = build(empty_store, folder)
    assert result.exit_code == ToolchainError.exit_code
    assert "g++" in result.stderr
