"""What the installed torch is, read from its files: torch itself is not imported."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from opwright.errors import ToolchainError
from opwright.frozen import Frozen
from opwright.torch_root import torch_root


class TorchFacts(Frozen):
    """An installed torch.

    ``version`` is its whole version (``2.13.0+cpu``), ``release`` its numbers. ``shim`` is the version
    of the stable C interface that its headers declare, empty where they declare none. ``cuda`` and
    ``hip`` are the toolkit versions that it was built with, empty for none.
    """

    root: Path
    version: str
    release: tuple[int, int, int]
    cxx11_abi: bool
    shim: str
    cuda: str
    hip: str

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        """Folders for ``-I``, in the order in which torch's own extension builder has them."""
        include = self.root / "include"
        return (include, include / "torch" / "csrc" / "api" / "include")

    @property
    def library_dir(self) -> Path:
        """The folder of libtorch_cpu and libc10."""
        return self.root / "lib"


@cache
def torch_facts() -> TorchFacts:
    """The facts of the torch that this interpreter would import.

    Raises `ToolchainError` when there is none, or one without headers.
    """
    return facts_at(torch_root())


def facts_at(root: Path) -> TorchFacts:
    """The facts of the torch whose package folder is ``root``; raises `ToolchainError` as above."""
    try:
        text = (root / "version.py").read_text(encoding="utf-8")
    except OSError as error:
        raise ToolchainError(
            f"{root} is not a whole torch: {error}", hint="Install torch again."
        ) from error
    if not (root / "include").is_dir():
        raise ToolchainError(
            f"the torch at {root} has no headers (an editable install keeps them elsewhere)",
            hint="Install a torch wheel to build operators against.",
        )
    version = _value(text, "__version__")
    numbers = [int(number) for number in re.findall(r"\d+", version.partition("+")[0])[:3]]
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return TorchFacts(
        root=root,
        version=version,
        release=(major, minor, patch),
        cxx11_abi=_cxx11_abi(root),
        shim=_shim(root),
        cuda=_value(text, "cuda"),
        hip=_value(text, "hip"),
    )


def _value(text: str, name: str) -> str:
    found = re.search(rf"^{name}\b[^=\n]*=\s*['\"]([^'\"]*)['\"]", text, re.MULTILINE)
    return found[1] if found else ""


def _cxx11_abi(root: Path) -> bool:
    """The C++ string ABI; a torch whose CMake file no longer mentions it has only the new one."""
    try:
        text = (root / "share" / "cmake" / "Torch" / "TorchConfig.cmake").read_text()
    except OSError:
        return True
    found = re.search(r"_GLIBCXX_USE_CXX11_ABI=(\d)", text)
    return found is None or found[1] == "1"


def _shim(root: Path) -> str:
    try:
        text = (root / "include" / "torch" / "headeronly" / "version.h").read_text()
    except OSError:
        return ""
    names = ("MAJOR", "MINOR", "PATCH", "ABI_TAG")
    return ".".join(re.findall(rf"#define TORCH_VERSION_(?:{'|'.join(names)}) (\d+)", text))
