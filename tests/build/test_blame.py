"""A failed build gives one short error that points into the user's own file, and says what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from opwright.build.store import Store
from opwright.errors import CompileError, LinkError, ToolchainError
from opwright.spec.request import Unit
from opwright.spec.target import Target
from small_build import (
    COMPILES,
    EXPORT,
    SOURCE,
    answer_of,
    built,
    compiler_script,
    heard,
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


def failure(root: Path, tmp_path: Path, *units: str, **changes: object) -> CompileError:
    with pytest.raises(CompileError) as caught:
        built(request_for(root, *units, **changes), tmp_path / "store")
    assert Store(tmp_path / "store").list() == []
    return caught.value


def test_the_first_error_comes_with_its_file_and_line(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp="int f() {\n  return missing;\n}\nint g() { return absent + gone; }\n")
    error = failure(root, tmp_path)
    lines = error.what.splitlines()
    assert lines[0].startswith(f"small: {root}/k.cpp:2: error: ")
    assert "missing" in lines[0]
    assert lines[1] == "    2 |   return missing;"
    assert lines[-1] == "(2 more errors in the log)"
    assert Path(error.log_path).read_text().count("error:") == 3
    assert error.hint == f"The compiler's whole output: {error.log_path}"
    assert error.exit_code == 21


def test_an_error_in_a_header_of_the_library_names_the_users_line_too(
    root: Path, tmp_path: Path
) -> None:
    write(
        root,
        k_cpp="#include <algorithm>\n#include <list>\nvoid f(std::list<int>& x) {\n"
        "  std::sort(x.begin(), x.end());\n}\n",
    )
    error = failure(root, tmp_path)
    first, second, *_ = error.what.splitlines()
    assert first == f"small: {root}/k.cpp:4: leads to this error:"
    assert "stl_algo.h" in second


def test_an_error_in_a_generated_unit_points_into_a_file_that_is_kept(
    root: Path, tmp_path: Path
) -> None:
    unit = Unit("binding.cpp", text="\nint f() { return missing; }\n")
    error = failure(root, tmp_path, units=(unit,))
    place = error.what.splitlines()[0].split(": ")[1]
    file, line = place.rsplit(":", 1)
    assert line == "2"
    assert Path(file).read_text() == unit.text


def test_the_advice_of_a_generated_unit_follows_errors_in_its_own_text_only(
    root: Path, tmp_path: Path
) -> None:
    write(root, k_cpp="int f() { return missing; }\n")
    own = Unit("kernel.cpp", text="int f() { return missing; }\n", advice="define this: f")
    assert failure(root, tmp_path, units=(own,)).hint.startswith("define this: f\n")
    included = Unit("kernel.cpp", text=f'#include "{root}/k.cpp"\n', advice="define this: f")
    assert "define this" not in failure(root, tmp_path, units=(included,)).hint


def test_a_compiler_that_does_nothing_is_blamed_and_not_the_store(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_operator(root)
    script = compiler_script(tmp_path / "cxx", "exit 0")
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(ToolchainError, match=f"^{script} ended without an error and wrote no file"):
        built(request_for(root), tmp_path / "store")
    assert list((tmp_path / "store" / "v1" / ".building").iterdir()) == []


def test_a_line_directive_leads_to_the_users_file(root: Path, tmp_path: Path) -> None:
    write(root, k_cpp="int a;\nint f() { return missing; }\n")
    unit = Unit("kernel.cpp", text=f'#include "{root}/k.cpp"\ntemplate int g<int>(int);\n')
    assert f"{root}/k.cpp:2: error:" in failure(root, tmp_path, units=(unit,)).what


def test_a_wrong_flag_is_an_error_without_a_line(root: Path, tmp_path: Path) -> None:
    small_operator(root)
    error = failure(root, tmp_path, compile_flags=("-fno-such-flag",))
    assert "unrecognized command-line option" in error.what
    assert "-fno-such-flag" in error.what


def test_a_source_that_is_not_there_is_named(root: Path, tmp_path: Path) -> None:
    assert f"{root}/k.cpp: No such file" in failure(root, tmp_path).what


@pytest.mark.parametrize("locale", ["C", "zh_CN.GBK"])
def test_output_in_any_encoding_stays_readable(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    small_operator(root)
    body = (
        'case " $* " in *" --version "*) printf "g++ \\262\\342 (x) 12\\n"; exit 0;; esac\n'
        "printf '\\262\\342\\312\\324 error: x\\n' >&2; exit 1"
    )
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "cxx", body)))
    monkeypatch.setenv("LC_ALL", locale)
    error = failure(root, tmp_path)
    assert b"\xb2\xe2\xca\xd4 error: x" in Path(error.log_path).read_bytes()
    assert "without an error message" in error.what or "error: x" in error.what


@pytest.mark.parametrize("megabytes", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_hundreds_of_megabytes_of_warnings_do_not_hide_the_error(
    root: Path, tmp_path: Path, megabytes: int
) -> None:
    small_operator(root)
    body = (
        'case " $* " in *" -### "*) exec g++ "$@";; *" -c "*) ;; *) exec g++ "$@";; esac\n'
        f"yes 'k.cpp:1:1: warning: a rather long warning about nothing' | head -c {megabytes}000000 >&2\n"
        "echo >&2; echo 'k.cpp:7:1: error: the one that counts' >&2; exit 1"
    )
    script = compiler_script(tmp_path / "cxx", body)
    code = (
        "import re\nfrom small_build import *\n"
        f"try: built(request_for(Path({str(root)!r})), Path({str(tmp_path / 'store')!r}))\n"
        "except Exception as error: print(error.what)\n"
        # not ru_maxrss: that one is inherited from this process, which may have imported torch
        "print(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    out, err = run_python(code, CXX=str(script)).communicate()
    lines = out.splitlines()
    assert lines[0] == "small: k.cpp:7: error: the one that counts", err
    assert int(lines[-1]) < 100_000, "kB of memory"


@pytest.mark.parametrize(
    "how",
    ["kill -9 $$", "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1"],
)
def test_a_killed_compiler_is_called_that(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    small_operator(root)
    body = f'case " $* " in {COMPILES}) {how};; esac\nexec g++ "$@"'
    monkeypatch.setenv("CXX", str(compiler_script(tmp_path / "cxx", body)))
    error = failure(root, tmp_path)
    assert (
        "k.cpp: the compiler was killed by signal 9 (SIGKILL), probably for lack of memory: 1 at a time"
        in error.what
    )
    assert "OPWRIGHT_JOBS=1" in error.hint


TEMPLATE = (
    "template <class T> void twice(const T* x, T* y, long n) { while (n--) y[n] = x[n] + x[n]; }\n"
)


def test_a_missing_instantiation_is_told_from_a_missing_library(root: Path, tmp_path: Path) -> None:
    write(
        root,
        k_cpp=TEMPLATE
        + "template void twice<float>(const float*, float*, long);\n"
        + "template void twice<double>(const double*, double*, long);\n",
        bind_cpp="namespace c10 { struct Half {}; }\ntemplate <class T> void twice(const T*, T*, long);\n"
        f"{EXPORT} void run(c10::Half* x) {{ twice(x, x, 1); }}\n",
    )
    error = failure(root, tmp_path, "k.cpp", "bind.cpp")
    assert isinstance(error, LinkError)
    assert "`void twice<c10::Half>(c10::Half const*, c10::Half*, long)` is undefined" in error.what
    assert "not instantiated for c10::Half; instantiated here: double, float" in error.hint
    assert "bind.cpp" in error.hint


def test_a_declaration_that_differs_in_const_is_told(root: Path, tmp_path: Path) -> None:
    write(
        root,
        k_cpp="void run(const float* x, float* y) { *y = *x; }\n",
        bind_cpp=f"void run(float* x, float* y);\n{EXPORT} void go(float* x) {{ run(x, x); }}\n",
    )
    error = failure(root, tmp_path, "k.cpp", "bind.cpp")
    assert "`run(float*, float*)` is undefined" in error.what
    assert "defined with other parameters: run(float const*, float*)" in error.hint


@pytest.mark.parametrize(
    "declaration, call, home",
    [
        (
            'extern "C" int curandCreateGenerator(void*, int);',
            "curandCreateGenerator(0, 0)",
            "-lcurand",
        ),
        (
            'extern "C" int aoti_torch_get_dim(void*, long*);',
            "aoti_torch_get_dim(0, 0)",
            "-ltorch_cpu",
        ),
        ('extern "C" int omp_get_thread_num();', "omp_get_thread_num()", "-fopenmp"),
        ("int helper();", "helper()", "no source defines it"),
    ],
)
def test_an_undefined_symbol_names_its_likely_home(
    root: Path, tmp_path: Path, declaration: str, call: str, home: str
) -> None:
    write(root, k_cpp=f"{declaration}\n{EXPORT} int answer() {{ return {call}; }}\n")
    error = failure(root, tmp_path)
    assert isinstance(error, LinkError)
    assert home in error.hint or home.capitalize() in error.hint


def test_a_library_that_is_not_there_is_named(root: Path, tmp_path: Path) -> None:
    small_operator(root)
    error = failure(root, tmp_path, libraries=("nosuchlibrary",))
    assert isinstance(error, LinkError)
    assert error.what == "small: library 'nosuchlibrary' is not found"


def test_a_symbol_that_is_defined_twice_is_named(root: Path, tmp_path: Path) -> None:
    write(root, a_cpp="int twin(int) { return 1; }\n", b_cpp="int twin(int) { return 2; }\n")
    assert "`twin(int)` is defined twice" in failure(root, tmp_path, "a.cpp", "b.cpp").what


def test_ninja_is_found_beside_the_interpreter_and_not_only_on_path(
    root: Path, tmp_path: Path
) -> None:
    small_operator(root)
    code = (
        "from small_build import *\nwith heard() as said:\n"
        f"    print(answer_of(built(request_for(Path({str(root)!r})), Path({str(tmp_path / 'store')!r}))))\n"
        "print([kind for kind, _ in said if kind == 'build.ninja'])"
    )
    out, err = run_python(code, PATH="/usr/bin:/bin").communicate()
    assert out.split() == ["2", "[]"], err


@pytest.mark.parametrize("broken", ["exit 1", None])
def test_without_a_ninja_that_runs_it_says_so_and_goes_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str | None
) -> None:
    small_operator(root)
    write(root, other_cpp="int other() { return 1; }\n")
    candidates = [] if broken is None else [compiler_script(tmp_path / "ninja", broken)]
    monkeypatch.setattr("opwright.build.execute.ninja_candidates", lambda environment: candidates)
    with heard() as said:
        artifact = built(request_for(root, "k.cpp", "other.cpp"), tmp_path / "store")
    assert answer_of(artifact) == 2
    word = next(message for kind, message in said if kind == "build.ninja")
    assert ("(exit code 1)" in word) if broken else (sys.executable in word)
    assert "pip install ninja" in word


def test_an_error_without_ninja_reads_the_same(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, k_cpp=SOURCE, k_h="#define K missing\n")
    monkeypatch.setattr("opwright.build.execute.ninja_candidates", lambda environment: [])
    assert f"{root}/k.h:1: error:" in failure(root, tmp_path).what


def test_what_a_device_has_and_the_emulator_has_not_is_refused_by_name_with_the_users_line(
    root: Path, tmp_path: Path
) -> None:
    code = "int f() {\n  cudaMemPool_t pool;\n  return 0;\n}\n"
    write(root, k_cpp=code)
    target = Target("emulated", "wave32")
    error = failure(root, tmp_path, target=target)
    lines = error.what.splitlines()
    assert f"{root}/k.cpp:2: error: cudaMemPool_t is not emulated (" in lines[0]
    assert lines[1] == "    2 |   cudaMemPool_t pool;"
    assert "check this operator on a device" in error.hint
    on_the_host = failure(root, tmp_path / "host")
    assert "emulated" not in on_the_host.what
