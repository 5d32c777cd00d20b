"""The build of an extension that exists already: its own sources, unchanged, as torch builds them."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from opwright.errors import SpecError
from opwright.files import why_no_file
from opwright.generate.torch_extension import extension_flags
from opwright.spec.operator import Extension, OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts

_REGISTRATION = re.compile(r"\bTORCH_LIBRARY(_FRAGMENT)?\s*\(\s*(\w+)")


def extension_request(spec: OperatorSpec, target: Target, torch: TorchFacts) -> BuildRequest:
    """The build of ``spec``'s extension with the flags of ``torch.utils.cpp_extension.load``.

    Raises `SpecError` where a source is missing or the target is simulated, `CompileError` where a source
    has what cannot be emulated.
    A pybind11 module serves one Python, and a C++ ABI serves one torch: both are part of the key.
    """
    extension = spec.extension
    assert extension is not None
    sources = _sources(spec, extension)
    flags = extension_flags()
    python_include = Path(sysconfig.get_path("include"))
    own_include = (spec.folder / name for name in extension.include_dirs)
    request = BuildRequest(
        name=spec.name,
        target=target,
        root=spec.folder,
        units=tuple(Unit(name, path=path) for name, path in sources.items()),
        include_dirs=(*own_include, *flags.include_dirs, python_include),
        named_roots=(("torch", torch.root), ("python", python_include)),
        defines=(
            ("TORCH_EXTENSION_NAME", module_name(spec)),
            ("TORCH_API_INCLUDE_EXTENSION_H", ""),
            *flags.defines,
        ),
        compile_flags=(f"-std={flags.standard}", *extension.compile_flags),
        # What a Python module lacks of the interpreter comes with the process that imports it.
        link_flags=(
            *(("-Wl,-z,undefs",) if extension.is_python_module else ()),
            *extension.link_flags,
        ),
        library_dirs=flags.library_dirs,
        libraries=(
            *("c10", "torch_cpu", "torch"),
            *(("torch_python",) if extension.is_python_module else ()),
        ),
        identity=(("torch", torch.version), ("python", sys.implementation.cache_tag or "")),
        facts={
            "kind": "extension",
            "module_name": module_name(spec),
            "namespaces": registered_namespaces(sources.values()),
        },
    )
    return _for_target(request, spec, torch)


def _for_target(request: BuildRequest, spec: OperatorSpec, torch: TorchFacts) -> BuildRequest:
    """``request``, which is for a CPU so far, for the target that it names."""
    if request.target.kind == "emulated":
        from opwright.generate.emulated_extension import emulated_extension  # few builds translate

        return emulated_extension(request, spec)
    if request.target.kind == "cuda":
        from opwright.generate.cuda_extension import cuda_extension

        return cuda_extension(request, torch)
    if request.target.kind == "simulated":
        raise SpecError(
            f"{spec.location}: extensions do not run on the simulated device",
            hint="Use --target emulated: their device sources run there, unchanged.",
        )
    return request


def module_name(spec: OperatorSpec) -> str:
    """The name that a pybind11 module is compiled for."""
    return f"{spec.name}_extension"


def registered_namespaces(sources: Iterable[Path]) -> dict[str, str]:
    """Namespaces that the sources register: ``library`` alone, or as ``fragment`` beside others."""
    found: dict[str, str] = {}
    for path in sources:
        text = path.read_text(encoding="utf-8", errors="replace")
        for fragment, namespace in _REGISTRATION.findall(text):
            found[namespace] = "fragment" if fragment else "library"
    return found


def _sources(spec: OperatorSpec, extension: Extension) -> dict[str, Path]:
    sources = {name: spec.folder / name for name in extension.sources}
    for path in sources.values():
        if why := why_no_file(path):
            raise SpecError(
                f"{spec.location}: field 'extension': {path} {why}",
                hint="Names are relative to the folder of the description.",
            )
    return sources
