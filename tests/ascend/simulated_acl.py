"""Builds the simulated Ascend runtime for the torch-npu that is in a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ascend.unsimulated import missing, stubs

RUNTIME = Path(__file__).parent / "runtime"
# What torch-npu's libraries ask the loader for, beside libascendcl.so.
_OTHERS = (
    *("hccl", "acl_op_compiler", "ge_runner", "graph", "fmk_parser", "acl_tdt_channel"),
    *("ascend_protobuf", "ascendsk", "opapi", "ascend_dump"),
)


def build_runtime(site: Path, folder: Path) -> None:
    """Write ``libascendcl.so`` and its like to ``folder``. ``site`` is where torch-npu was installed."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = site / "torch_npu"
    include = wheel / "include" / "third_party" / "acl" / "inc"
    shared = ("-fPIC", "-shared")
    objects = []
    for source in ("acl.cpp", "device.cpp"):
        objects.append(folder / f"{source}.o")
        flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-c")
        _run("g++", *flags, "-isystem", include, RUNTIME / source, "-o", objects[-1])
    whole = folder / "whole.so"
    _run("g++", *shared, *objects, "-o", whole)
    (folder / "stubs.c").write_text(stubs(missing(_libraries(wheel), [whole])), encoding="utf-8")
    library = folder / "libascendcl.so"
    named = f"-Wl,-soname,{library.name}"
    _run("gcc", "-w", "-fPIC", "-c", folder / "stubs.c", "-o", folder / "stubs.o")
    _run("g++", *shared, *objects, folder / "stubs.o", "-o", library, named)
    (folder / "nothing.c").write_text("int nothing;\n", encoding="utf-8")
    for name in _OTHERS:
        needs = (f"-L{folder}", "-Wl,--no-as-needed", "-lascendcl", f"-Wl,-soname,lib{name}.so")
        _run("gcc", *shared, folder / "nothing.c", "-o", folder / f"lib{name}.so", *needs)


def _libraries(wheel: Path) -> list[Path]:
    # ATB needs a library that nothing here stands in for; nothing loads it either.
    return [path for path in sorted(wheel.rglob("*.so")) if "atb" not in path.name]


def _run(*command: object) -> None:
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
