"""Where a compiler for HIP is: a vendor's hipcc, or a clang++ of the distribution.

A vendor's toolkit has its device libraries with it and comes first. Of what a distribution has, the
newest clang++ knows the most architectures, more than the distribution's own hipcc.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from opwright.errors import ToolchainError

HOMES = ("HIP_PATH", "ROCM_HOME", "ROCM_PATH")
DTK_ROOT = "OPWRIGHT_DTK_ROOT"
VARIABLES = ("HIPCXX", *HOMES, DTK_ROOT)
# clang++-15 is the first that Debian's device libraries fit.
NUMBERED = tuple(f"clang++-{number}" for number in range(30, 14, -1))
# What clang++ starts for device code -> the package of Debian's that has it.
BESIDE = {"lld": "lld", "clang-offload-bundler": "clang-tools"}
DISTRIBUTION = (Path("/usr"), Path("/usr/local"), Path("/"))
NAMES = ("hipcc", *NUMBERED, "clang++")

INSTALL = (
    "Install ROCm or DTK, or what Debian has: apt-get install clang-19 clang-tools-19 lld-19 "
    "libamdhip64-dev rocm-device-libs. Or name a compiler in HIPCXX."
)


def named_compiler(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What HIPCXX names, its first word resolved; empty where it is not set.

    Raises `ToolchainError` where there is no such program.
    """
    text = environment.get("HIPCXX", "").strip()
    path = environment.get("PATH")
    if not text:
        return ()
    if found := shutil.which(text, path=path):
        return (found,)  # whole: a path may hold spaces
    try:
        first, *rest = shlex.split(text)
    except ValueError as error:
        why = str(error).lower()
        raise ToolchainError(
            f"HIPCXX is not a list of words as a shell reads them ({why}): {text}",
            hint="Correct or unset HIPCXX.",
        ) from None
    if found := shutil.which(first, path=path):
        return (found, *rest)
    raise ToolchainError(
        f"HIPCXX names {first!r}, and there is no such program on PATH",
        hint=f"Correct or unset HIPCXX. {INSTALL}",
    )


def candidates(environment: Mapping[str, str], root: Path = Path("/")) -> Iterator[Path]:
    """Every compiler for HIP that is found, the first that counts first; starts no process.

    ``root`` stands for ``/`` in the usual places of toolkits.
    """
    yield from dict.fromkeys((*_of_vendors(environment, root), *_of_distribution(environment)))


def why_unfit(compiler: Path) -> str:
    """What a compiler lacks as far as its folder tells; empty for nothing."""
    if not is_clang(compiler):
        return ""
    number = re.search(r"-\d+$", compiler.name)
    for name, package in BESIDE.items():
        if not (compiler.resolve().parent / name).exists():
            what = f"{package}{number[0] if number else ''}"
            return f"there is no {name} beside it (apt-get install {what})"
    return ""


def is_clang(compiler: Path | str) -> bool:
    """Whether it is a clang++, which has to be told where HIP is; hipcc knows."""
    return "clang" in Path(compiler).name


def _of_vendors(environment: Mapping[str, str], root: Path) -> Iterator[Path]:
    named = (environment.get(name) for name in (*HOMES, DTK_ROOT))
    homes = [Path(name) for name in named if name]
    homes += sorted(root.glob("opt/dtk*"), reverse=True)
    for home in homes:
        yield from _programs(home / "bin" / "hipcc")
    for found in _on_path("hipcc", environment):
        if not _is_distribution(found):
            yield found
    for home in sorted(root.glob("opt/rocm*"), reverse=True):
        yield from _programs(home / "bin" / "hipcc")


def _of_distribution(environment: Mapping[str, str]) -> Iterator[Path]:
    for name in NUMBERED:
        yield from _on_path(name, environment)
    for name in ("hipcc", "clang++"):
        yield from _on_path(name, environment)


def _is_distribution(hipcc: Path) -> bool:
    return hipcc.resolve().parent.parent in DISTRIBUTION


def _on_path(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    if found := shutil.which(name, path=environment.get("PATH")):
        yield Path(found)


def _programs(path: Path) -> Iterator[Path]:
    if shutil.which(path):
        yield path
