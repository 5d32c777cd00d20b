"""What a compile read and looked for decides: the header cases, each with the answer that it must give."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from opwright.build.explain import Miss
from opwright.build.store import Store
from small_build import (
    COMPILES,
    EXPORT,
    SOURCE,
    answer_of,
    built,
    compiler_script,
    counting_compiler,
    heard,
    lines_of,
    looked_up,
    request_for,
    run_python,
    small_operator,
    write,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "operator"
    folder.mkdir()
    return folder


def test_an_unchanged_operator_is_a_hit_and_gives_the_same_library(
    root: Path, tmp_path: Path
) -> None:
    request = small_operator(root)
    first = built(request, tmp_path / "store")
    second = built(request, tmp_path / "store")
    assert (first.hit, second.hit) == (False, True)
    assert first.library == second.library
    assert answer_of(second) == 2


def test_a_header_two_levels_down_counts_even_with_its_old_time_stamp(
    root: Path, tmp_path: Path
) -> None:
    request = small_operator(root)
    write(
        root, k_h='#include "deep/a.h"\n', deep__a_h='#include "b.h"\n', deep__b_h="#define K 2\n"
    )
    assert answer_of(built(request, tmp_path / "store")) == 2
    old = (root / "deep/b.h").stat()
    write(root, deep__b_h="#define K 5\n")
    os.utime(root / "deep/b.h", ns=(old.st_atime_ns, old.st_mtime_ns))
    again = built(request, tmp_path / "store")
    assert answer_of(again) == 5
    assert again.reason == "{root}/deep/b.h changed"


def test_a_header_that_a_macro_names_counts(root: Path, tmp_path: Path) -> None:
    write(
        root,
        k_cpp=f'#define CFG "cfg_a.h"\n#include CFG\n{EXPORT} int answer() {{ return K; }}\n',
        cfg_a_h="",
    )
    (root / "cfg_a.h").write_text("#define K 2\n")
    request = request_for(root)
    assert answer_of(built(request, tmp_path / "store")) == 2
    (root / "cfg_a.h").write_text("#define K 5\n")
    assert answer_of(built(request, tmp_path / "store")) == 5


def test_a_new_file_earlier_in_the_include_order_counts(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp=SOURCE.replace("k.h", "cfg.h"), b__cfg_h="#define K 2\n")
    (root / "a").mkdir()
    request = request_for(root, include_dirs=(root / "a", root / "b"))
    assert answer_of(built(request, tmp_path / "store")) == 2
    write(root, a__cfg_h="#define K 5\n")
    again = built(request, tmp_path / "store")
    assert answer_of(again) == 5
    assert again.reason == "{root}/a/cfg.h is new, and the compiler would find it"


def test_a_folder_that_was_not_there_counts_when_it_brings_the_header(
    root: Path, tmp_path: Path
) -> None:
    write(root, k_cpp=SOURCE.replace("k.h", "sub/cfg.h"), b__sub__cfg_h="#define K 2\n")
    request = request_for(root, include_dirs=(root / "a", root / "b"))
    assert answer_of(built(request, tmp_path / "store")) == 2
    write(root, a__sub__cfg_h="#define K 5\n")
    assert answer_of(built(request, tmp_path / "store")) == 5


def test_has_include_counts_in_both_directions(root: Path, tmp_path: Path) -> None:
    code = '#if __has_include("opt.h")\n#define K 5\n#else\n#define K 2\n#endif\n'
    code += f"{EXPORT} int answer() {{ return K; }}\n"
    write(root, k_cpp=code)
    request = request_for(root)
    assert answer_of(built(request, tmp_path / "store")) == 2
    write(root, opt_h="")
    assert answer_of(built(request, tmp_path / "store")) == 5
    (root / "opt.h").unlink()
    back = built(request, tmp_path / "store")
    assert (answer_of(back), back.hit) == (2, True)


def test_a_header_outside_the_project_counts_at_the_same_size(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp=SOURCE.replace('"k.h"', "<lib.h>"))
    write(tmp_path / "lib", lib_h="#define K 2\n")
    request = request_for(root, compile_flags=("-isystem", str(tmp_path / "lib")))
    assert answer_of(built(request, tmp_path / "store")) == 2
    write(tmp_path / "lib", lib_h="#define K 5\n")
    assert answer_of(built(request, tmp_path / "store")) == 5


def test_going_back_in_time_is_a_change_and_coming_back_is_a_hit(
    root: Path, tmp_path: Path
) -> None:
    request = small_operator(root, answer=5)
    built(request, tmp_path / "store")
    write(root, k_h="#define K 2\n")
    os.utime(root / "k.h", (1_000_000_000, 1_000_000_000))
    assert answer_of(built(request, tmp_path / "store")) == 2
    write(root, k_h="#define K 5\n")
    back = built(request, tmp_path / "store")
    assert (answer_of(back), back.hit) == (5, True)


def test_a_library_that_is_linked_counts_by_its_content(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp=f"int helper();\n{EXPORT} int answer() {{ return helper(); }}\n")
    lib = tmp_path / "lib"
    lib.mkdir()

    def make(value: int) -> None:
        write(lib, h_cpp=f"int helper() {{ return {value}; }}\n")
        os.system(f"cd '{lib}' && g++ -fPIC -c h.cpp -o h.o && rm -f libh.a && ar rcD libh.a h.o")

    make(2)
    request = request_for(root, library_dirs=(lib,), libraries=("h",))
    assert answer_of(built(request, tmp_path / "store")) == 2
    make(5)
    again = built(request, tmp_path / "store")
    assert answer_of(again) == 5
    assert again.reason.endswith("libh.a changed")


EDIT_DURING = (
    f'case " $* " in {COMPILES})' + ' g++ "$@"; code=$?; {edit}; exit $code;; esac\nexec g++ "$@"'
)


def test_an_edit_while_the_compiler_runs_never_gives_the_old_object_the_new_content(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = small_operator(root)
    flag = tmp_path / "edited"
    edit = f"[ -e '{flag}' ] || {{ touch '{flag}'; echo '#define K 5' > '{root / 'k.h'}'; }}"
    script = compiler_script(tmp_path / "editing-g++", EDIT_DURING.format(edit=edit))
    monkeypatch.setenv("CXX", str(script))
    with heard() as said:
        artifact = built(request, tmp_path / "store")
    assert answer_of(artifact) == 5
    assert ("build.again", f"{root / 'k.h'} changed while it was compiled: compiling again") in said


def test_a_file_that_never_holds_still_is_an_error_and_nothing_is_published(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = small_operator(root)
    script = compiler_script(
        tmp_path / "editing-g++", EDIT_DURING.format(edit=f"echo '// $$' >> '{root / 'k.h'}'")
    )
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(Exception, match=r"k\.h changed during each of \d compiles"):
        built(request, tmp_path / "store")
    assert Store(tmp_path / "store").list() == []


def test_a_slow_compiler_takes_the_header_as_it_is_when_it_reads_it(
    root: Path, tmp_path: Path
) -> None:
    small_operator(root)
    script = compiler_script(
        tmp_path / "slow-g++", f'case " $* " in {COMPILES}) sleep 0.6;; esac\nexec g++ "$@"'
    )
    child = run_python(
        f"from small_build import *\nprint(answer_of(built(request_for(Path({str(root)!r})),"
        f" Path({str(tmp_path / 'store')!r}))))",
        CXX=str(script),
    )
    time.sleep(0.5)
    write(root, k_h="#define K 5\n")
    out, err = child.communicate()
    assert out.strip() == "5" or out.strip() == "2", err
    now = looked_up(request_for(root), tmp_path / "store")
    assert isinstance(now, Miss), "another compiler is another key"


def test_moving_the_operators_folder_is_a_hit(root: Path, tmp_path: Path) -> None:
    small_operator(root)
    write(root, inc__x_h="")
    text = f'#include "{root}/k.h"\nint g() {{ return K; }}\n'
    here = request_for(root, include_dirs=(root / "inc",))
    from opwright.frozen import replace
    from opwright.spec.request import Unit

    here = replace(here, units=(*here.units, Unit("g.cpp", text=text)))
    built(here, tmp_path / "store")
    moved = tmp_path / "elsewhere" / "moved operator"
    moved.parent.mkdir()
    shutil.move(root, moved)
    there = request_for(moved, include_dirs=(moved / "inc",))
    there = replace(
        there, units=(*there.units, Unit("g.cpp", text=text.replace(str(root), str(moved))))
    )
    assert built(there, tmp_path / "store").hit


def test_moving_a_named_root_is_a_hit_and_changing_a_header_in_it_is_not(
    root: Path, tmp_path: Path
) -> None:
    write(root, k_cpp=SOURCE.replace('"k.h"', "<lib/k.h>"))
    write(tmp_path / "env", include__lib__k_h="#define K 2\n")

    def request(env: Path):
        return request_for(root, include_dirs=(env / "include",), named_roots=(("torch", env),))

    built(request(tmp_path / "env"), tmp_path / "store")
    shutil.move(tmp_path / "env", tmp_path / "moved")
    assert built(request(tmp_path / "moved"), tmp_path / "store").hit
    write(tmp_path / "moved", include__lib__k_h="#define K 5\n")
    again = built(request(tmp_path / "moved"), tmp_path / "store")
    assert answer_of(again) == 5
    assert again.reason == "{torch}/include/lib/k.h changed"


UNWATCHED = (
    # A static program, an emulated one or one with other rights ignores what is preloaded.
    'unset LD_PRELOAD\nexec g++ "$@"'
)


def test_a_compiler_that_cannot_be_watched_still_gets_every_header_case_right(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "unwatched-g++", UNWATCHED)))
    code = '#if __has_include("opt.h")\n#define M 10\n#else\n#define M 1\n#endif\n'
    code += f'#include "cfg.h"\n{EXPORT} int answer() {{ return K * M; }}\n'
    write(root, k_cpp=code, b__cfg_h="#define K 2\n")
    (root / "a").mkdir()
    request = request_for(root, include_dirs=(root / "a", root / "b"))
    with heard() as said:
        assert answer_of(built(request, tmp_path / "store")) == 2
    assert [kind for kind, _ in said].count("build.unseen") == 1
    assert built(request, tmp_path / "store").hit
    write(root, opt_h="")
    assert answer_of(built(request, tmp_path / "store")) == 20
    write(root, a__cfg_h="#define K 5\n")
    assert answer_of(built(request, tmp_path / "store")) == 50
    (root / "a/cfg.h").unlink()
    (root / "opt.h").unlink()
    back = built(request, tmp_path / "store")
    assert (answer_of(back), back.hit) == (2, True)


def test_an_edit_while_an_unwatched_compiler_runs_is_compiled_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first compile finds out that it cannot be watched; the edit comes during the second."""
    request = small_operator(root)
    first, second = tmp_path / "first", tmp_path / "second"
    edit = (
        f"if [ ! -e '{first}' ]; then touch '{first}'; elif [ ! -e '{second}' ]; then"
        f" touch '{second}'; echo '#define K 5' > '{root / 'k.h'}'; fi"
    )
    body = "unset LD_PRELOAD\n" + EDIT_DURING.format(edit=edit)
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "g++", body)))
    with heard() as said:
        assert answer_of(built(request, tmp_path / "store")) == 5
    assert second.exists()
    assert [kind for kind, _ in said if kind in ("build.unseen", "build.again")] == [
        "build.unseen",
        "build.again",
    ]


def test_a_hit_compiles_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, count = counting_compiler(tmp_path)
    monkeypatch.setenv("CXX", str(script))
    request = small_operator(root)
    for _ in range(3):
        built(request, tmp_path / "store")
    assert lines_of(count) == 1
