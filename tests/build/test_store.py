"""Where the store is, whom it trusts, and that it can be looked after."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from opwright.build.quarantine import quarantine
from opwright.build.store import Store
from opwright.build.trust import default_folder
from opwright.errors import StoreError
from small_build import built, heard, request_for, run_python, small_operator, write

DAMAGED = "what the store has of it is damaged, or of another version"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "operator"
    small_operator(folder)
    return folder


def test_the_first_of_four_places_is_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = {
        "OPWRIGHT_STORE": "/one",
        "XDG_CACHE_HOME": "/two",
        "HOME": str(tmp_path),
    }
    assert default_folder(everything) == Path("/one")
    del everything["OPWRIGHT_STORE"]
    assert default_folder(everything) == Path("/two/opwright")
    del everything["XDG_CACHE_HOME"]
    assert default_folder(everything) == tmp_path / ".cache/opwright"


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_without_a_home_the_store_is_private_and_it_says_so(home: str | None) -> None:
    with heard() as said:
        folder = default_folder({} if home is None else {"HOME": home})
    assert folder.name == f"opwright-{os.getuid()}"
    assert [kind for kind, _ in said] == ["store.temporary"]
    assert "OPWRIGHT_STORE" in said[0][1]


def test_a_new_store_is_private_and_explains_itself(root: Path, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        built(request_for(root), tmp_path / "store")
    finally:
        os.umask(old)
    for folder in ("store", "store/v1", "store/v1/.locks"):
        assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700
    assert "can be deleted" in (tmp_path / "store/README").read_text()


def test_a_store_that_others_can_write_is_refused_unless_it_is_trusted(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    built(request_for(root), store)
    for mode in (0o770, 0o707):
        store.chmod(mode)
        with pytest.raises(
            StoreError, match=rf"can be written by others \(mode 0{mode:o}\)"
        ) as caught:
            Store(store)
        assert "OPWRIGHT_STORE_TRUSTED=1" in caught.value.hint
    monkeypatch.setenv("OPWRIGHT_STORE_TRUSTED", "1")
    assert built(request_for(root), store).hit


def test_a_store_of_another_user_is_refused(root: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    if os.getuid() != 0:
        pytest.skip("giving a folder away needs root")
    os.chown(store, 12345, 12345)
    with pytest.raises(StoreError, match="belongs to user 12345"):
        built(request_for(root), store)


def test_a_store_that_cannot_be_made_is_one_clear_error(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be (read|written)") as caught:
        built(request_for(root), tmp_path / "file" / "store")
    assert "OPWRIGHT_STORE" in caught.value.hint


def test_verify_finds_what_is_not_as_it_was_built(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    artifact = built(request_for(root), store)
    other = built(request_for(root, defines=(("N", "1"),)), store)
    assert store.verify() == []
    content = bytearray(artifact.library.read_bytes())
    content[-1] ^= 1
    artifact.library.write_bytes(content)
    (other.folder / "manifest.json").write_text("{")
    faults = {fault.folder: fault.what for fault in store.verify()}
    assert faults[artifact.folder] == "libsmall.so is not the file that was built"
    assert faults[other.folder].startswith("the manifest or the library is missing")


def test_list_says_what_there_is(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.list() == []
    artifact = built(request_for(root), store)
    (entry,) = store.list()
    assert (entry.name, entry.target, entry.folder) == ("small", "cpu", artifact.folder)
    assert entry.size_bytes == artifact.library.stat().st_size


def test_prune_by_days_counts_from_the_last_use(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    requests = [request_for(root, defines=(("N", str(n)),)) for n in range(3)]
    folders = [built(request, store).folder for request in requests]
    long_ago = time.time() - 10 * 24 * 3600
    for folder in folders[:2]:
        os.utime(folder, (long_ago, long_ago))
    assert built(requests[1], store).hit  # which is a use
    pruned = store.prune(keep_days=5)
    assert pruned.entries == 1
    assert pruned.size_bytes > 10_000
    assert [folder.exists() for folder in folders] == [False, True, True]
    assert len(list((store.where / "v1/.memo").glob("?" * 32 + ".json"))) == 2


def test_prune_by_size_takes_the_longest_unused_first(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    folders = []
    for n in range(3):
        folders.append(built(request_for(root, defines=(("N", str(n)),)), store).folder)
        os.utime(folders[-1], (n, n))
    size = sum(path.stat().st_size for path in folders[2].iterdir())
    store.prune(max_bytes=size + 100)
    assert [folder.exists() for folder in folders] == [False, False, True]
    assert store.prune(max_bytes=0).entries == 1
    assert store.list() == []


def test_prune_removes_damaged_entries_and_old_scraps_only(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    artifact = built(request_for(root), store)
    aside = quarantine(artifact, "a test")
    artifact = built(request_for(root), store)
    (artifact.folder / "manifest.json").unlink()
    assert store.prune().entries == 1
    assert aside.exists()
    assert store.prune(keep_days=0).entries == 0
    assert not aside.exists()


def test_pruning_while_others_build_does_no_harm(root: Path, tmp_path: Path) -> None:
    code = (
        "from small_build import *\n"
        "import sys\nfor n in range(4):\n"
        f"    request = request_for(Path({str(root)!r}), defines=(('N', str(n)),))\n"
        f"    print(answer_of(built(request, Path({str(tmp_path / 'store')!r}))))"
    )
    child = run_python(code)
    while child.poll() is None:
        Store(tmp_path / "store").prune(max_bytes=10**9)
        time.sleep(0.001)
    out, err = child.communicate()
    assert out.split() == ["2"] * 4, err


def test_explaining_reads_no_entry_of_another_version(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    artifact = built(request_for(root), store)
    path = artifact.folder / "manifest.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 99'))
    assert store.list() == []
    write(root, k_h="#define K 3\n")
    assert built(request_for(root), store).reason == DAMAGED


@pytest.mark.parametrize("text", ["[" * 100_000, "[1]", '{"question": 1}', "null", '"x"', "\0"])
def test_a_damaged_file_of_the_store_is_written_anew(root: Path, tmp_path: Path, text: str) -> None:
    store = Store(tmp_path / "store")
    first = built(request_for(root), store)
    memos = [*(store.version_folder / ".memo").iterdir()]
    for path in (*memos, first.folder / "manifest.json"):
        path.write_text(text)
    again = built(request_for(root), store)
    assert again.build_key == first.build_key
    assert again.reason == DAMAGED
    assert built(request_for(root), store).hit


def test_a_file_in_the_place_of_the_store_is_named(root: Path, tmp_path: Path) -> None:
    place = tmp_path / "store"
    place.touch()
    with pytest.raises(StoreError, match=f"{place} cannot be written: File exists"):
        built(request_for(root), place)
