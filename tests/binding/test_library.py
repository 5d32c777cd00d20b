"""What a finished library needs of the process that loads it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from operator_folder import read_operator, write_doubled
from opwright.binding.attach import require_whole
from opwright.binding.library import Library
from opwright.errors import LoadError
from opwright.frozen import replace
from opwright.records.artifact import Artifact
from opwright.session.building import build_operator
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import torch_facts

SYMBOLS = Path(__file__).parent / "stable_symbols_of_torch_2_10.txt"


def torch_symbols(library: Path, kind: str) -> set[str]:
    """Names of torch's C interface that ``library`` leaves undefined: ``U`` needed, ``w`` looked for."""
    said = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in said.stdout.splitlines() if line.split()[-2] == kind}
    return {
        name.partition("@")[0]
        for name in names
        if re.match(r"(aoti_)?torch|_ZN.*(2at|3c10|5torch)", name)
    }


def needed(library: Path) -> list[str]:
    said = subprocess.run(
        ["readelf", "-d", str(library)], capture_output=True, text=True, check=True
    )
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said.stdout)


@pytest.fixture(scope="module")
def artifact(stable_ops) -> Artifact:
    """The binding that uses the most of torch."""
    spec = stable_ops.contract.spec
    found = build_operator(spec, Target("cpu"))
    assert found is not None
    return found


def test_a_stable_binding_needs_nothing_newer_than_torch_2_10(
    artifact: Artifact, stable_ops
) -> None:
    known = set(SYMBOLS.read_text().split())
    for op in (stable_ops.contract, stable_ops.scalars, stable_ops.spread):
        built = build_operator(op.spec, Target("cpu"))
        assert built is not None
        needs = torch_symbols(built.library, "U")
        assert needs, "nm shows what a library needs"
        assert needs - known == set()
        assert torch_symbols(built.library, "w") == {"torch_exception_get_what_without_backtrace"}


def test_a_stable_binding_links_no_python_and_little_of_torch(artifact: Artifact) -> None:
    libraries = needed(artifact.library)
    assert "libtorch_cpu.so" in libraries
    assert [name for name in libraries if "python" in name or name == "libtorch.so"] == []


def guarded_symbols(header: Path) -> dict[str, tuple[int, int]]:
    """Function -> the torch that it came with, by the guards around it; (0, 0) outside of guards."""
    since, found = [(0, 0)], {}
    for line in header.read_text().splitlines():
        if guard := re.match(r"#if TORCH_FEATURE_VERSION >= TORCH_VERSION_(\d+)_(\d+)", line):
            since.append((int(guard[1]), int(guard[2])))
        elif line.startswith("#if"):
            since.append(since[-1])
        elif line.startswith("#endif"):
            since.pop()
        for name in re.findall(r"\b((?:aoti_)?torch_\w+)\(", line):
            found.setdefault(name, since[-1])
    return found


def test_the_list_of_symbols_is_that_of_torchs_guards() -> None:
    include = torch_facts().root / "include" / "torch" / "csrc"
    if not (include / "stable" / "c" / "shim.h").is_file():
        pytest.skip("this torch has no stable C ABI")
    found = guarded_symbols(include / "inductor" / "aoti_torch" / "c" / "shim.h")
    found |= guarded_symbols(include / "stable" / "c" / "shim.h")
    for name in SYMBOLS.read_text().split():
        assert found.get(name, (99, 0)) <= (2, 10), f"{name} came with torch {found.get(name)}"


def test_a_later_symbol_would_be_seen() -> None:
    include = torch_facts().root / "include" / "torch" / "csrc"
    found = guarded_symbols(include / "stable" / "c" / "shim.h")
    assert found["torch_exception_get_what"] == (2, 13)
    assert found["torch_call_dispatcher"] == (2, 10)


def cut(artifact: Artifact, folder: Path) -> Artifact:
    half = folder / artifact.library.name
    half.write_bytes(artifact.library.read_bytes()[: artifact.library.stat().st_size // 3])
    return replace(artifact, library=half)


def test_half_a_library_is_not_mapped_and_does_not_kill(artifact: Artifact, tmp_path: Path) -> None:
    half = cut(artifact, tmp_path)
    with pytest.raises(LoadError, match="does not have the digest of its manifest") as caught:
        require_whole(half)
    assert str(half.library) in caught.value.what
    require_whole(artifact)


def test_a_library_that_is_gone_is_an_error(artifact: Artifact, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read: No such file"):
        require_whole(replace(artifact, library=tmp_path / "gone.so"))


def test_another_library_does_not_load(artifact: Artifact, tmp_path: Path) -> None:
    other = tmp_path / "libother.so"
    (tmp_path / "other.c").write_text("int other(void) { return 1; }\n")
    subprocess.run(
        ["cc", "-shared", "-fPIC", str(tmp_path / "other.c"), "-o", str(other)], check=True
    )
    with pytest.raises(LoadError, match="opwright_register"):
        Library(replace(artifact, library=other))


def test_a_library_serves_several_operators_until_its_places_are_taken(tmp_path: Path) -> None:
    import torch

    from opwright.errors import DeviceError

    kept = []
    for number in range(9):
        op = read_operator(write_doubled(tmp_path / str(number), "crowd"))
        kept.append(op)
        if number < 8:
            assert torch.equal(op.load()(torch.ones(1, 1)), torch.full((1, 1), 2.0))
    with pytest.raises(DeviceError, match="serves too many operators"):
        kept[-1].load()
    shutil.rmtree(tmp_path)  # nothing is read after loading
    assert torch.equal(kept[0](torch.ones(1, 1)), torch.full((1, 1), 2.0))


def test_what_the_dispatcher_throws_is_an_error_here_and_frees_the_place(ops) -> None:
    operator = ops.throws
    found = build_operator(operator.spec, Target("cpu"), binding=ops.binding)
    assert found is not None
    library = Library(found)
    for _ in range(9):  # one more than there are places
        with pytest.raises(LoadError, match="cannot be registered for NoSuchKey: "):
            library.offer("opwright", "NoSuchKey")
