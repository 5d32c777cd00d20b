"""One compile however many ask, and nothing half done, whoever is killed when."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opwright.build.manifest import Manifest
from opwright.build.quarantine import quarantine
from opwright.build.store import Store
from opwright.errors import CompileError, SpecError, StoreError, TimedOut, ToolchainError
from opwright.frozen import replace
from opwright.records.artifact import Artifact
from opwright.spec.request import Unit
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

BUILD = (
    "from small_build import *\n"
    "artifact = built(request_for(Path({root!r}), defines={defines!r}), Path({store!r}))\n"
    "print(answer_of(artifact), artifact.hit)"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "operator"
    small_operator(folder)
    return folder


@pytest.fixture
def count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script, count = counting_compiler(tmp_path)
    monkeypatch.setenv("CXX", str(script))
    return count


def start(
    root: Path, store: Path, defines: tuple[tuple[str, str], ...] = ()
) -> subprocess.Popen[str]:
    return run_python(BUILD.format(root=str(root), store=str(store), defines=defines))


def outputs(children: list[subprocess.Popen[str]]) -> list[str]:
    ends = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0] * len(children), ends
    return [out.strip() for out, _ in ends]


def test_eight_processes_on_an_empty_store_make_one_compile(
    root: Path, tmp_path: Path, count: Path
) -> None:
    answers = outputs([start(root, tmp_path / "store") for _ in range(8)])
    assert sorted(answers) == ["2 False", *["2 True"] * 7]
    assert lines_of(count) == 1


def test_eight_threads_on_an_empty_store_make_one_compile(
    root: Path, tmp_path: Path, count: Path
) -> None:
    found: list[Artifact] = []
    threads = [
        threading.Thread(target=lambda: found.append(built(request_for(root), tmp_path / "store")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(artifact.hit for artifact in found) == [False, *[True] * 7]
    assert {answer_of(artifact) for artifact in found} == {2}
    assert lines_of(count) == 1


def test_different_flags_at_the_same_time_share_nothing(
    root: Path, tmp_path: Path, count: Path
) -> None:
    write(root, k_cpp=f"{EXPORT} int answer() {{ return K; }}\n")
    children = [start(root, tmp_path / "store", (("K", str(value)),)) for value in (3, 4, 5, 6)]
    assert outputs(children) == [f"{value} False" for value in (3, 4, 5, 6)]
    assert lines_of(count) == 4


def test_without_locks_everybody_gets_a_right_library(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    found: list[Artifact] = []
    threads = [
        threading.Thread(target=lambda: found.append(built(request_for(root), tmp_path / "store")))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer_of(artifact) for artifact in found] == [2, 2, 2]
    assert len({artifact.library for artifact in found}) == 1
    assert len(Store(tmp_path / "store").list()) == 1


def test_a_killed_build_is_reclaimed_and_its_compilers_are_gone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "compiler"
    slow = compiler_script(
        tmp_path / "cxx",
        f'case " $* " in {COMPILES}) echo $$ > \'{note}\'; sleep 600;; esac\nexec g++ "$@"',
    )
    monkeypatch.setenv("CXX", str(slow))
    child = start(root, tmp_path / "store")
    wait_until(note.exists)
    child.kill()
    child.communicate()
    compiler = int(note.read_text())
    wait_until(lambda: not running(compiler))
    compiler_script(slow, 'exec g++ "$@"')
    with heard() as said:
        artifact = built(request_for(root), tmp_path / "store")
    assert answer_of(artifact) == 2
    monkeypatch.undo()
    reclaimed = [message for kind, message in said if kind.endswith("reclaimed")]
    # Another compiler is another key, so only the private folder tells of the dead build.
    assert any(f"process {child.pid}" in message for message in reclaimed) or not reclaimed
    assert Store(tmp_path / "store").prune().entries == 0
    assert list((tmp_path / "store/v1/.building").iterdir()) == []


def test_the_next_build_of_the_same_key_says_who_died(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    script = compiler_script(
        tmp_path / "cxx",
        f'case " $* " in {COMPILES}) '
        f"[ -e '{gate}' ] || {{ touch '{gate}'; sleep 600; }};; esac\n"
        'exec g++ "$@"',
    )
    monkeypatch.setenv("CXX", str(script))
    child = start(root, tmp_path / "store")
    wait_until(gate.exists)
    child.kill()
    child.communicate()
    with heard() as said:
        assert answer_of(built(request_for(root), tmp_path / "store")) == 2
    reclaimed = [(kind, message) for kind, message in said if kind.endswith("reclaimed")]
    assert [kind for kind, _ in reclaimed] == ["lock.reclaimed", "build.reclaimed"]
    assert all(f"process {child.pid}" in message for _, message in reclaimed)
    assert list((tmp_path / "store/v1/.building").iterdir()) == []


def test_who_waits_too_long_is_told_for_whom(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    script = compiler_script(
        tmp_path / "cxx",
        f'case " $* " in {COMPILES}) touch \'{gate}\'; sleep 600;; esac\nexec g++ "$@"',
    )
    monkeypatch.setenv("CXX", str(script))
    child = start(root, tmp_path / "store")
    wait_until(gate.exists)
    with pytest.raises(TimedOut, match=f"held by process {child.pid} on host"):
        built(request_for(root, timeout_seconds=0.3), tmp_path / "store")
    child.kill()
    child.communicate()


def test_a_compile_that_takes_too_long_is_ended(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = compiler_script(
        tmp_path / "cxx", f'case " $* " in {COMPILES}) sleep 600;; esac\nexec g++ "$@"'
    )
    monkeypatch.setenv("CXX", str(script))
    with pytest.raises(TimedOut, match="did not end within 1 s"):
        built(request_for(root, timeout_seconds=1.0), tmp_path / "store")
    assert Store(tmp_path / "store").list() == []
    assert list((tmp_path / "store/v1/.building").iterdir()) == []


@pytest.mark.parametrize("name", ["libsmall.so", "manifest.json"])
def test_half_an_entry_is_never_a_hit(root: Path, tmp_path: Path, name: str) -> None:
    artifact = built(request_for(root), tmp_path / "store")
    whole = artifact.folder / name
    os.truncate(whole, whole.stat().st_size // 2)
    again = built(request_for(root), tmp_path / "store")
    assert (again.hit, answer_of(again)) == (False, 2)


def test_a_library_that_does_not_load_is_set_aside_and_built_again(
    root: Path, tmp_path: Path
) -> None:
    artifact = built(request_for(root), tmp_path / "store")
    size = artifact.library.stat().st_size
    artifact.library.write_bytes(b"\0" * size)
    aside = quarantine(artifact, "invalid ELF header")
    assert (aside / "why.txt").read_text() == "invalid ELF header\nthe file is damaged\n"
    again = built(request_for(root), tmp_path / "store")
    assert (again.hit, answer_of(again)) == (False, 2)
    quarantine(replace(again, folder=again.folder.with_name("gone")), "twice")  # no error


def test_a_forced_build_compiles_again_and_replaces_nothing_that_is_right(
    root: Path, tmp_path: Path, count: Path
) -> None:
    from opwright.build.builder import build

    store = Store(tmp_path / "store")
    first = built(request_for(root), store)
    inode = first.library.stat().st_ino
    forced = build(request_for(root), store=store, force=True)
    assert (forced.hit, forced.digest, lines_of(count)) == (False, first.digest, 2)
    assert first.library.stat().st_ino == inode


def test_the_source_tree_is_never_written_to(root: Path, tmp_path: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.iterdir()}
    for path in (*root.iterdir(), root):
        path.chmod(path.stat().st_mode & ~0o222)
    built(request_for(root), tmp_path / "store")
    root.chmod(0o755)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.iterdir()} == before


def test_sources_of_one_name_in_several_folders_stay_apart(tmp_path: Path) -> None:
    root = tmp_path / "operator"
    write(
        root,
        fwd__kernel_cpp="int fwd() { return 1; }\n",
        bwd__kernel_cpp="int bwd() { return 10; }\n",
        kernel_c="int plain() { return 100; }\n",
        kernel_cpp=f"int fwd(); int bwd(); int plain();\n{EXPORT} int answer() {{ return fwd() + bwd() + plain(); }}\n",
    )
    request = request_for(root, "fwd/kernel.cpp", "bwd/kernel.cpp", "kernel.c", "kernel.cpp")
    assert answer_of(built(request, tmp_path / "store")) == 111


def test_sources_that_differ_only_in_case_are_refused_by_name(root: Path, tmp_path: Path) -> None:
    write(root, K_cpp="")
    with pytest.raises(SpecError, match=r"'K\.cpp' and 'k\.cpp', which differ only in case"):
        built(request_for(root, "k.cpp", "K.cpp"), tmp_path / "store")


def test_a_generated_header_is_found_by_a_generated_unit(tmp_path: Path) -> None:
    root = tmp_path / "operator"
    root.mkdir()
    units = (Unit("gen/k.h", text="#define K 4\n"), Unit("gen/g.cpp", text=SOURCE))
    assert answer_of(built(request_for(root, units=units), tmp_path / "store")) == 4


def test_paths_with_blanks_dollars_and_quotes_work(tmp_path: Path) -> None:
    root = tmp_path / "an 'odd' $HOME: folder"
    write(root, sub__k_cpp=SOURCE, sub__k_h="#define K 2\n", inc__x_h="")
    request = request_for(root, "sub/k.cpp", include_dirs=(root / "inc",))
    store = tmp_path / "an 'odd' $HOME: store"
    assert answer_of(built(request, store)) == 2
    assert built(request, store).hit
    write(root, sub__k_h="#define K 5\n")
    assert answer_of(built(request, store)) == 5


def test_a_rebuilt_operator_is_another_file_in_a_living_process(root: Path, tmp_path: Path) -> None:
    import ctypes

    first = built(request_for(root), tmp_path / "store")
    old = ctypes.CDLL(str(first.library))
    write(root, k_h="#define K 5\n")
    second = built(request_for(root), tmp_path / "store")
    assert (old.answer(), ctypes.CDLL(str(second.library)).answer()) == (2, 5)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with 600 kB, which only root can make."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k,mode=700", "none", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("making a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_store_still_gives_what_it_has(root: Path, small_disk: Path) -> None:
    store = small_disk / "store"
    built(request_for(root), store)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert built(request_for(root), store).hit
    with pytest.raises(StoreError, match=f"the store {store} cannot be written") as failure:
        built(request_for(root, defines=(("N", "1"),)), store)
    assert "OPWRIGHT_STORE" in failure.value.hint


def test_a_full_disk_is_one_clear_error_and_publishes_nothing(root: Path, small_disk: Path) -> None:
    store = small_disk / "store"
    built(request_for(root), store)
    write(root, k_cpp=f"{SOURCE}{EXPORT} char big[900000] = {{1}};\n")
    with pytest.raises(StoreError, match="no space left for the store"):
        built(request_for(root), store)
    assert len(Store(store).list()) == 1
    assert list((store / "v1/.building").iterdir()) == []
    write(root, k_cpp=SOURCE)
    assert built(request_for(root), store).hit


@pytest.mark.parametrize("left_bytes", range(0, 120_000, 12_000))
def test_a_disk_that_fills_up_at_any_moment_leaves_nothing_half(
    root: Path, small_disk: Path, left_bytes: int
) -> None:
    store = small_disk / "store"
    Store(store).prepare()
    free = shutil.disk_usage(small_disk).free
    (small_disk / "ballast").write_bytes(bytes(max(0, free - left_bytes)))
    try:
        artifact = built(request_for(root), store)
    except StoreError as error:
        assert "no space left" in error.what  # noqa: PT017
        assert Store(store).list() == []
    else:
        assert answer_of(artifact) == 2
    assert Store(store).verify() == []
    (small_disk / "ballast").unlink()
    assert answer_of(built(request_for(root), store)) == 2


def test_no_compiler_says_how_to_get_one(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ToolchainError, match=r"none of c\+\+, g\+\+, clang\+\+ is on PATH"
    ) as failure:
        built(request_for(root), tmp_path / "store")
    assert "apt-get install g++" in failure.value.hint
    assert "dnf install gcc-c++" in failure.value.hint
    monkeypatch.setenv("CXX", "no-such-cxx")
    with pytest.raises(ToolchainError, match="CXX names 'no-such-cxx'"):
        built(request_for(root), tmp_path / "store")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def kill_at_random(root: Path, store: Path, seed: int) -> None:
    """Start a build, kill its process group's leader at a random moment, and check what is left."""
    chance = random.Random(seed)
    write(root, k_h=f"#define K {seed}\n")
    child = start(root, store)
    time.sleep(chance.uniform(0.0, 1.6))
    os.kill(child.pid, chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    child.communicate()
    for manifest in Store(store).list():
        found = manifest.artifact(hit=True, seconds=0)
        assert manifest.inputs.reads["{root}/k.h"]
        assert answer_of(found) <= seed
    assert Store(store).verify() == []
    if chance.random() < 0.3:
        assert outputs([start(root, store)])[0].startswith(f"{seed} ")


@pytest.mark.parametrize("kills", [6, pytest.param(220, marks=pytest.mark.slow)])
def test_a_builder_killed_at_any_moment_leaves_nothing_wrong(
    root: Path, tmp_path: Path, kills: int
) -> None:
    store = tmp_path / "store"
    for seed in range(1, kills + 1):
        kill_at_random(root, store, seed)
    assert outputs([start(root, store)])[0].startswith(f"{kills} ")
    Store(store).prune()
    assert list((store / "v1/.building").iterdir()) == []
    shutil.rmtree(store)


def test_a_build_that_fails_publishes_nothing_and_the_next_one_works(
    root: Path, tmp_path: Path
) -> None:
    write(root, k_h="#define K )\n")
    with pytest.raises(CompileError):
        built(request_for(root), tmp_path / "store")
    assert Store(tmp_path / "store").list() == []
    write(root, k_h="#define K 2\n")
    artifact = built(request_for(root), tmp_path / "store")
    assert (artifact.hit, answer_of(artifact)) == (False, 2)
    assert isinstance(looked_up(request_for(root), tmp_path / "store"), Manifest)
