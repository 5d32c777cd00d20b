"""Receipts: the same answer without a look-up, for exactly as long as nothing that decided it changes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright.build import remember
from opwright.build.builder import build
from opwright.build.quarantine import quarantine
from opwright.build.receipt import Question, recall
from opwright.build.store import Store
from opwright.frozen import replace
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest
from small_build import answer_of, compiler_script, small_operator, write

# Longer than a tick of the clock of any file system that tests run on.
_TICK_SECONDS = 0.05


class Asked:
    """A small operator, a store, and the question whose answer is its library."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "operator"
        self.store = Store(folder / "store")
        self.request: BuildRequest = small_operator(self.root)
        self.question = Question("small", self.store.where)

    def ask(self) -> Artifact:
        """Look up or build, as a session does on a question without a receipt."""
        return build(self.request, store=self.store, question=self.question)

    def settle(self) -> Artifact:
        """Build, wait, and ask again: then there is a receipt."""
        self.ask()
        time.sleep(_TICK_SECONDS)
        return self.ask()


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "g++").touch(mode=0o644)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return Asked(tmp_path)


def test_a_library_that_was_found_is_recalled(asked: Asked) -> None:
    found = asked.settle()
    recalled = recall(asked.question)
    assert recalled is not None
    assert recalled.hit
    assert (recalled.library, recalled.digest, recalled.key_parts, recalled.facts) == (
        *(found.library, found.digest, found.key_parts, found.facts),
    )


def test_another_question_recalls_nothing(asked: Asked) -> None:
    asked.settle()
    assert recall(Question("another", asked.store.where)) is None


def test_a_library_that_was_just_built_is_not_remembered_yet(asked: Asked) -> None:
    asked.ask()
    assert recall(asked.question) is None


def _edit_source(asked: Asked) -> None:
    source = asked.root / "k.cpp"
    source.write_text(source.read_text().replace("return K", "return K + 1"))


def _edit_header(asked: Asked) -> None:
    write(asked.root, k_h="#define K 7\n")


def _edit_keeping_size_and_time(asked: Asked) -> None:
    header = asked.root / "k.h"
    before = header.stat()
    header.write_text("#define K 9\n")
    os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))


def _new_compiler(asked: Asked) -> None:
    compiler_script(asked.root.parent / "bin" / "c++", 'exec g++ "$@"')


def _what_is_called_so_becomes_a_compiler(asked: Asked) -> None:
    (asked.root.parent / "bin" / "g++").chmod(0o755)


def _no_source(asked: Asked) -> None:
    (asked.root / "k.cpp").unlink()


def _pruned(asked: Asked) -> None:
    asked.store.prune(keep_days=-1)


def _damaged(asked: Asked) -> None:
    library = next(asked.store.version_folder.glob("small-*/*/*.so"))
    library.chmod(0o600)
    with library.open("ab") as file:
        file.write(b"x")


def _another_boot(asked: Asked) -> None:
    known = json.loads(asked.question.receipt.read_text())
    known["circumstances"]["boot"] = "another"
    asked.question.receipt.write_text(json.dumps(known))


CHANGES: dict[str, Callable[[Asked], None]] = {
    "a source edited": _edit_source,
    "a header edited": _edit_header,
    "an edit that keeps size and time": _edit_keeping_size_and_time,
    "a source gone": _no_source,
    "a new compiler on PATH": _new_compiler,
    "what is called so becomes a compiler": _what_is_called_so_becomes_a_compiler,
    "an entry pruned": _pruned,
    "a library damaged": _damaged,
    "the machine started again": _another_boot,
}


@pytest.mark.parametrize("what", CHANGES)
def test_nothing_is_recalled_after(asked: Asked, what: str) -> None:
    asked.settle()
    assert recall(asked.question) is not None
    CHANGES[what](asked)
    assert recall(asked.question) is None


def test_a_header_that_would_now_be_found_first_ends_the_receipt(tmp_path: Path) -> None:
    root = tmp_path / "operator"
    asked = Asked(tmp_path)
    write(root, k_cpp=(root / "k.cpp").read_text().replace('"k.h"', "<k.h>"))
    write(root, first__other_h="", second__k_h="#define K 2\n")
    (root / "k.h").unlink()
    folders = (root / "first", root / "second")
    asked.request = BuildRequest(
        "small", asked.request.target, root, asked.request.units, include_dirs=folders
    )
    assert answer_of(asked.settle()) == 2
    assert recall(asked.question) is not None
    write(root, first__k_h="#define K 3\n")
    assert recall(asked.question) is None
    assert answer_of(asked.ask()) == 3


@pytest.mark.parametrize(("name", "value"), [("CXXFLAGS", "-O0"), ("CXX", "g++"), ("PATH", "/bin")])
def test_a_variable_that_decides_ends_the_receipt(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    asked.settle()
    monkeypatch.setenv("OPWRIGHT_UNRELATED", "1")
    assert recall(asked.question) is not None
    monkeypatch.setenv(name, value)
    assert recall(asked.question) is None


def test_code_that_changed_while_the_process_ran_is_not_taken_for_the_one_that_answered(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    write(package, spec__dims_py="old\n")
    monkeypatch.setattr(remember, "_PACKAGE", package)
    asked.settle()
    assert recall(asked.question) is None  # changed after this process loaded its own
    monkeypatch.setattr(remember, "LOADED_NS", time.time_ns())
    asked.ask()
    assert recall(asked.question) is not None
    write(package, spec__dims_py="new\n")
    assert recall(asked.question) is None


def test_files_read_for_the_question_end_the_receipt(asked: Asked, tmp_path: Path) -> None:
    facts = tmp_path / "version.py"
    facts.write_text("1")
    os.utime(facts)
    asked.question = Question("small", asked.store.where, [str(facts)])
    asked.settle()
    assert recall(asked.question) is None  # newer than this process


def test_a_source_edited_during_the_look_up_is_not_remembered(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.ask()
    time.sleep(_TICK_SECONDS)
    first_change = "opwright.build.query.first_change"
    from opwright.build.inputs import first_change as real

    def slow(*arguments: object) -> object:
        found = real(*arguments)  # type: ignore[arg-type]
        _edit_header(asked)
        return found

    monkeypatch.setattr(first_change, slow)
    assert asked.ask().hit
    assert recall(asked.question) is None


def test_a_link_that_leads_nowhere_is_not_trusted_to_stay_so(asked: Asked, tmp_path: Path) -> None:
    write(
        asked.root,
        k_cpp="#if __has_include(<l.h>)\n#include <l.h>\n#endif\n"
        + (asked.root / "k.cpp").read_text(),
    )
    (asked.root / "l.h").symlink_to(tmp_path / "target.h")
    asked.request = BuildRequest(
        "small", asked.request.target, asked.root, asked.request.units, include_dirs=(asked.root,)
    )
    asked.settle()
    assert recall(asked.question) is None


def test_a_compiler_that_is_a_script_is_asked_each_time(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = compiler_script(tmp_path / "my-g++", 'exec g++ "$@"')
    monkeypatch.setenv("CXX", str(script))
    assert asked.settle().hit
    assert recall(asked.question) is None


def test_words_that_stand_in_a_file_are_read_each_time(asked: Asked) -> None:
    (asked.root / "words").write_text("-DUNUSED=1")
    asked.request = replace(asked.request, compile_flags=("@words",))
    assert asked.settle().hit
    assert recall(asked.question) is None


def test_a_library_that_was_set_aside_is_not_recalled(asked: Asked) -> None:
    quarantine(asked.settle(), "does not load")
    assert recall(asked.question) is None


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"circumstances": {}}', "\0"])
def test_a_receipt_that_is_not_what_was_written_recalls_nothing(asked: Asked, content: str) -> None:
    asked.settle()
    asked.question.receipt.write_text(content)
    assert recall(asked.question) is None
    assert asked.ask().hit
    assert recall(asked.question) is not None


def test_a_receipt_that_cannot_be_written_is_no_fault(asked: Asked) -> None:
    asked.ask()
    time.sleep(_TICK_SECONDS)
    asked.question.receipt.mkdir()
    assert asked.ask().hit
    assert recall(asked.question) is None
