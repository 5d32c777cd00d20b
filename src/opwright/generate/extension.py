"""The build of an extension that exists already: its own sources, unchanged, as torch builds them."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from opwright.errors import SpecError
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts


def extension_request(spec: OperatorSpec, target: Target, torch: TorchFacts) -> BuildRequest:
    """The build of ``spec``'s extension with the flags of ``torch.utils.cpp_extension.load``.

    Raises `SpecError` where a source is missing. A pybind11 module serves one Python, and a C++ ABI
    serves one torch: both are part of the key.
    """
    extension = spec.extension
    assert extension is not None
    for name in extension.sources:
        if not (spec.folder / name).is_file():
            raise SpecError(
                f"{spec.location}: field 'extension': {spec.folder / name} does not exist",
                hint="Names are relative to the folder of the description.",
            )
    python_include = Path(sysconfig.get_path("include"))
    return BuildRequest(
        name=spec.name,
        target=target,
        root=spec.folder,
        units=tuple(Unit(name, path=spec.folder / name) for name in extension.sources),
        include_dirs=(
            *(spec.folder / name for name in extension.include_dirs),
            *torch.include_dirs,
            python_include,
        ),
        named_roots=(("torch", torch.root), ("python", python_include)),
        defines=(
            ("TORCH_EXTENSION_NAME", module_name(spec)),
            ("TORCH_API_INCLUDE_EXTENSION_H", ""),
            ("_GLIBCXX_USE_CXX11_ABI", str(int(torch.cxx11_abi))),
        ),
        compile_flags=extension.compile_flags,
        # What a Python module lacks of the interpreter comes with the process that imports it.
        link_flags=(
            *(("-Wl,-z,undefs",) if extension.is_python_module else ()),
            *extension.link_flags,
        ),
        library_dirs=(torch.library_dir,),
        libraries=(
            "c10",
            "torch_cpu",
            "torch",
            *(("torch_python",) if extension.is_python_module else ()),
        ),
        identity=(
            ("torch", torch.version),
            ("cxx11_abi", str(torch.cxx11_abi)),
            ("python", sys.implementation.cache_tag or ""),
        ),
        facts={"kind": "extension", "module_name": module_name(spec)},
    )


def module_name(spec: OperatorSpec) -> str:
    """The name that a pybind11 module is compiled for."""
    return f"{spec.name}_extension"
