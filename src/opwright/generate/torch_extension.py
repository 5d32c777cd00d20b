"""What `torch.utils.cpp_extension` builds extensions with. The one place of the compile side that imports torch."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from opwright.errors import ToolchainError

_DEFAULT_STANDARD = "c++17"


@dataclass(frozen=True)
class ExtensionFlags:
    """Folders, macros and the C++ standard, as this torch gives them to extensions."""

    include_dirs: tuple[Path, ...]
    library_dirs: tuple[Path, ...]
    defines: tuple[tuple[str, str], ...]
    standard: str


@cache
def extension_flags() -> ExtensionFlags:
    """Ask this torch; takes as long as importing it. Raises `ToolchainError` where that fails."""
    try:
        import torch
        from torch.utils import cpp_extension
    except ImportError as error:
        raise ToolchainError(
            f"torch.utils.cpp_extension cannot be imported: {error}",
            hint="Extensions are built with its paths and flags: `pip install torch setuptools`.",
        ) from error
    macros = {
        f"PYBIND11_{name}": getattr(torch._C, f"_PYBIND11_{name}", None)  # noqa: SLF001 -- as torch does
        for name in ("COMPILER_TYPE", "STDLIB", "BUILD_ABI")
    }
    defined = [(name, f'"{value}"') for name, value in macros.items() if value is not None]
    defined.append(("_GLIBCXX_USE_CXX11_ABI", str(int(torch.compiled_with_cxx11_abi()))))
    # It has no function that says which standard it compiles for.
    said = re.findall(r"-std=(c\+\+\d+)", inspect.getsource(cpp_extension))
    return ExtensionFlags(
        include_dirs=tuple(Path(path) for path in cpp_extension.include_paths()),
        library_dirs=tuple(Path(path) for path in cpp_extension.library_paths()),
        defines=tuple(defined),
        standard=max(said, default=_DEFAULT_STANDARD),
    )
