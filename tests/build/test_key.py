"""The request key: a miss for each thing that decides the binary, a hit for what does not, and a name for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opwright.build.explain import Miss
from opwright.build.store import Store
from opwright.frozen import replace
from opwright.spec.request import Unit
from opwright.spec.target import Target
from small_build import (
    EXPORT,
    answer_of,
    built,
    compiler_script,
    heard,
    looked_up,
    request_for,
    small_operator,
    write,
)

CODE = f"#ifndef K\n#define K 2\n#endif\n{EXPORT} int answer() {{ return K; }}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "operator"
    write(folder, k_cpp=CODE, a__x_h="", b__x_h="")
    return folder


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a define": ({"defines": (("K", "3"),)}, "defines"),
    "a flag": ({"compile_flags": ("-O1",)}, "compile flags"),
    "a link flag": ({"link_flags": ("-Wl,-O1",)}, "link flags"),
    "a library": ({"libraries": ("m",)}, "libraries"),
    "an identity": ({"identity": (("torch", "2.99"),)}, "torch"),
    "a generated unit": ({"units": (Unit("g.cpp", text=CODE + "//"),)}, "unit g.cpp"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_each_change_is_a_miss_that_names_its_field(root: Path, tmp_path: Path, what: str) -> None:
    changes, field = CHANGES[what]
    before = request_for(root)
    if field.startswith("unit"):
        before = replace(before, units=(Unit("g.cpp", text=CODE),))
    store = Store(tmp_path / "store")
    built(before, store)
    after = replace(before, **changes)
    miss = looked_up(after, store)
    assert isinstance(miss, Miss)
    assert miss.field == field
    artifact = built(after, store)
    assert (artifact.hit, artifact.changed) == (False, field)
    artifact = built(before, store)
    assert (artifact.hit, artifact.changed, artifact.reason) == (True, "", "")


VARIANTS: dict[str, tuple[dict[str, Any], str]] = {
    "a target": ({"target": Target("cpu", "native")}, "for cpu:native"),
    "a binding": ({"identity": (("binding", "aten"),)}, "for cpu with binding aten"),
    "instrumented": ({"compile_flags": ("-O1",), "facts": {"watched": True}}, "for cpu watched"),
}


@pytest.mark.parametrize("what", VARIANTS)
def test_the_first_build_of_another_variant_has_changed_nothing(
    root: Path, tmp_path: Path, what: str
) -> None:
    changes, variant = VARIANTS[what]
    store = Store(tmp_path / "store")
    built(request_for(root), store)
    other = request_for(root, **changes)
    assert looked_up(other, store) == Miss(f"it was never built {variant}")
    built(other, store)
    changed = replace(other, defines=(("K", "3"),))
    assert looked_up(changed, store) == Miss(
        "defines changed from 'nothing' to 'K=3'", ("defines",)
    )


def test_the_order_of_include_folders_counts(root: Path, tmp_path: Path) -> None:
    one = request_for(root, include_dirs=(root / "a", root / "b"))
    other = replace(one, include_dirs=(root / "b", root / "a"))
    built(one, tmp_path / "store")
    assert built(other, tmp_path / "store").changed == "include dirs"


@pytest.mark.parametrize("name", ["CFLAGS", "CXXFLAGS", "CPPFLAGS"])
def test_flags_from_the_environment_are_honoured_and_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    built(request_for(root), tmp_path / "store")
    monkeypatch.setenv(name, "-DK=7")
    artifact = built(request_for(root), tmp_path / "store")
    assert answer_of(artifact) == 7
    assert artifact.reason == f"environment {name} changed from 'nothing' to '-DK=7'"


@pytest.mark.parametrize("name", ["CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LDFLAGS"])
def test_search_paths_from_the_environment_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    built(request_for(root), tmp_path / "store")
    monkeypatch.setenv(name, "-s" if name == "LDFLAGS" else str(root / "a"))
    assert built(request_for(root), tmp_path / "store").changed == f"environment {name}"


def test_what_the_compiler_does_not_honour_does_not_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(request_for(root), tmp_path / "store")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("LANG", "zh_CN.GBK")
    monkeypatch.setenv("TMPDIR", str(root))
    assert built(request_for(root), tmp_path / "store").hit


def test_another_compiler_behind_the_same_path_is_a_miss(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = compiler_script(tmp_path / "cxx", 'exec g++ "$@"')
    monkeypatch.setenv("CXX", str(script))
    built(request_for(root), tmp_path / "store")
    assert built(request_for(root), tmp_path / "store").hit
    compiler_script(script, 'exec g++ -DK=9 "$@"')
    artifact = built(request_for(root), tmp_path / "store")
    assert answer_of(artifact) == 9
    assert artifact.reason == "compiler changed"


def test_the_same_compiler_at_another_path_is_a_hit(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        script = compiler_script(tmp_path / folder / f"cxx-{folder}", 'exec g++ "$@"')
        monkeypatch.setenv("CXX", str(script))
        artifact = built(request_for(root), tmp_path / "store")
    assert artifact.hit


def test_a_real_compiler_is_asked_once_and_again_after_it_changes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path(shutil.which("g++") or "").resolve()
    copy = tmp_path / "copied-g++"
    shutil.copy(real, copy)
    monkeypatch.setenv("CXX", str(copy))
    libgcc = subprocess.check_output(["g++", "-print-libgcc-file-name"], text=True)
    monkeypatch.setenv(
        "GCC_EXEC_PREFIX", f"{Path(libgcc).parent.parent.parent}/"
    )  # it is not at home
    built(request_for(root), tmp_path / "store")
    memo = tmp_path / "store/v1/.memo/tools-cpu.json"
    first = memo.read_text()
    assert built(request_for(root), tmp_path / "store").hit
    assert memo.read_text() == first
    with copy.open("ab") as file:
        file.write(b"\0")
    artifact = built(request_for(root), tmp_path / "store")
    assert artifact.reason == "compiler changed"
    assert memo.read_text() != first


def test_a_run_path_counts_by_its_absolute_path(root: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    request = request_for(root, named_roots=(("torch", lib),), link_flags=(f"-Wl,-rpath,{lib}",))
    built(request, tmp_path / "store")
    moved = tmp_path / "moved"
    lib.rename(moved)
    request = replace(request, named_roots=(("torch", moved),), link_flags=(f"-Wl,-rpath,{moved}",))
    assert built(request, tmp_path / "store").changed == "link flags"


def test_no_absolute_path_gets_into_the_key_or_the_library(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp=f"{EXPORT} const char* where() {{ return __FILE__; }}\n{CODE}")
    generated = Unit("g.cpp", text="const char* there() { return __FILE__; }\n")
    request = request_for(root, include_dirs=(root / "a",), compile_flags=("-g", f"-I{root}/b"))
    request = replace(request, units=(*request.units, generated))
    artifact = built(request, tmp_path / "store")
    for place in (root, tmp_path):
        assert str(place) not in str(artifact.key_parts)
        assert str(place).encode() not in artifact.library.read_bytes()


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    digests = set()
    for name in ("one", "another place"):
        root = tmp_path / name
        write(
            root,
            k_cpp=f"#include <iostream>\nstatic int n = __LINE__;\nnamespace {{ int m = 3; }}\n"
            f"const char* when() {{ return __DATE__ __TIME__ __FILE__; }}\n"
            f"{EXPORT} int answer() {{ return n + m; }}\n",
        )
        request = request_for(root, compile_flags=("-g",))
        digests.add(built(request, tmp_path / f"store of {name}").digest)
    assert len(digests) == 1


def test_two_versions_in_one_process_share_no_statics(tmp_path: Path) -> None:
    code = (
        "template <class T> struct Count { static inline int value = START; };\n"
        f"{EXPORT} int answer() {{ return Count<int>::value++; }}\n"
    )
    root = tmp_path / "operator"
    write(root, k_cpp=code)
    first = built(request_for(root, defines=(("START", "10"),)), tmp_path / "store")
    second = built(request_for(root, defines=(("START", "20"),)), tmp_path / "store")
    assert (answer_of(first), answer_of(second)) == (10, 20)


def test_the_artifact_says_what_it_was_made_of(root: Path, tmp_path: Path) -> None:
    request = request_for(root, facts={"kind": "generated"}, identity=(("torch", "2.13"),))
    artifact = built(request, tmp_path / "store")
    assert artifact.key_parts["torch"] == "2.13"
    assert artifact.key_parts["units"] == "k.cpp"
    assert artifact.facts["kind"] == "generated"
    assert set(artifact.facts["unit_seconds"]) == {"k.cpp", "libsmall.so"}
    assert artifact.library == artifact.folder / "libsmall.so"
    assert (artifact.folder / "build.log").read_text().count("== ") == 2


def test_facts_decide_nothing_and_are_those_of_who_asks(root: Path, tmp_path: Path) -> None:
    built(request_for(root, facts={"a": 1, "b": 1}), tmp_path / "store")
    artifact = built(request_for(root, facts={"b": 2}), tmp_path / "store")
    assert artifact.hit
    assert (artifact.facts["a"], artifact.facts["b"]) == (1, 2)


def test_an_operator_with_a_longer_name_is_not_the_nearest(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    built(replace(small_operator(tmp_path / "a"), name="small-cpu"), store)
    with heard():
        miss = looked_up(small_operator(tmp_path / "b"), store)
    assert miss == Miss("it was never built")


@pytest.mark.parametrize("place", ["compile_flags", "environment"])
def test_the_words_of_a_response_file_are_part_of_the_key(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    words = tmp_path / "words"
    words.write_text("-DK=31")
    request = request_for(root)
    if place == "environment":
        monkeypatch.setenv("CXXFLAGS", f"@{words}")
    else:
        request = replace(request, compile_flags=(f"@{words}",))
    store = Store(tmp_path / "store")
    assert answer_of(built(request, store)) == 31
    assert built(request, store).hit
    words.write_text("-DK=77")
    assert answer_of(built(request, store)) == 77


def test_what_a_compiler_script_adds_from_a_file_or_a_variable_is_part_of_the_key(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("K=3")
    body = f'. {settings}\nexec g++ "-DK=$((K + ${{MORE:-0}}))" "$@"'
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "my-g++", body)))
    store = Store(tmp_path / "store")
    assert answer_of(built(request_for(root), store)) == 3
    assert built(request_for(root), store).hit
    settings.write_text("K=4")
    assert answer_of(built(request_for(root), store)) == 4
    monkeypatch.setenv("MORE", "100")
    assert answer_of(built(request_for(root), store)) == 104
    assert built(request_for(root), store).hit


def test_a_script_that_compiles_when_it_is_asked_writes_nothing_beside_the_sources(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = 'for word; do shift; [ "$word" = "-###" ] || set -- "$@" "$word"; done\nexec g++ "$@"'
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "deaf-g++", body)))
    before = sorted(root.iterdir())
    looked_up(request_for(root), Store(tmp_path / "store"))
    assert sorted(root.iterdir()) == before
