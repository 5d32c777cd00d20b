"""An extension for target ``emulated``: its sources translated, and compiled for the host with the emulator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from opwright.emulator.layout import INCLUDE
from opwright.emulator.torch_device import for_tensors_on_the_cpu
from opwright.emulator.translate import translate
from opwright.errors import SpecError
from opwright.frozen import replace
from opwright.generate.emulated import EMULATOR, device_text, emulation_defines
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import HEADER_SUFFIXES, BuildRequest, Unit

TORCH_INCLUDE = EMULATOR / "torch_include"
_OPWRIGHT_INCLUDE = EMULATOR.parent / "include"
_DEVICE = frozenset({".cu", ".hip"})
_TORCH = re.compile(r"^\s*#\s*include\s*[<\"](?:torch|ATen|c10)/", re.MULTILINE)
_QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_HIP = re.compile(r'^\s*#\s*include\s*[<"]hip/', re.MULTILINE)
# Whoever never asks for the current stream has launched on another one.
_STREAM = """#include <opwright/emulated/current_stream.h>
__attribute__((used)) static const auto current_stream = opwright::emulated::current_stream();
"""


def emulated_extension(request: BuildRequest, spec: OperatorSpec) -> BuildRequest:
    """``request``, which is the extension's on a CPU, with its device code for the emulator.

    Raises `SpecError` where no source is one of a device, `CompileError` for what is not emulated.
    """
    paths = [unit.path for unit in request.units if unit.path is not None]
    if not any(path.suffix in _DEVICE for path in paths):
        raise SpecError(
            f"{spec.location}: the extension of {spec.name} has no source for target {request.target}",
            hint="What is emulated are its .cu and .hip files: name them among its sources.",
        )
    return replace(
        request,
        units=(
            Unit("emulation__.cpp", text=_STREAM),
            *(Unit(_unit_name(path), text=_source_text(path)) for path in paths),
            *_headers(spec.folder),
        ),
        include_dirs=(
            *dict.fromkeys(path.parent for path in paths),
            *(TORCH_INCLUDE, INCLUDE, _OPWRIGHT_INCLUDE),
            *request.include_dirs,
        ),
        named_roots=(
            ("emulator", EMULATOR),
            ("opwright", _OPWRIGHT_INCLUDE),
            *request.named_roots,
        ),
        defines=(*emulation_defines(request.target), *request.defines),
        compile_flags=("-O2", *request.compile_flags),
    )


def is_for_hip(paths: list[Path]) -> bool:
    """Whether one of the sources is written in HIP's spelling."""
    device = [path for path in paths if path.suffix in _DEVICE and path.is_file()]
    return any(_spelling(path) == "hip" for path in device)


def _unit_name(path: Path) -> str:
    return f"{path.name}.cpp" if path.suffix in _DEVICE else path.name


def _source_text(path: Path) -> str:
    if path.suffix not in _DEVICE:
        return f'#line 1 "{path}"\n{for_tensors_on_the_cpu(_read(path))}'
    # Torch's headers go first: they would take what follows for the real toolkit's compiler.
    torch = "#include <torch/extension.h>\n" if _uses_torch(path, set()) else ""
    return torch + for_tensors_on_the_cpu(device_text(path, _spelling(path)))


def _headers(folder: Path) -> Iterator[Unit]:
    """The headers that have to be others: they hold kernels, launches or checks of a tensor's device."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in HEADER_SUFFIXES and path.is_file():
            text = _read(path)
            translated = for_tensors_on_the_cpu(translate(text, str(path)))
            if translated.partition("\n")[2] != text:
                yield Unit(str(path.relative_to(folder)), text=translated)


def _spelling(path: Path) -> str:
    return "hip" if path.suffix == ".hip" or _HIP.search(_read(path)) else "cuda"


def _uses_torch(path: Path, seen: set[Path]) -> bool:
    """Whether the source or a header of its own includes torch's."""
    seen.add(path)
    text = _read(path)
    if _TORCH.search(text):
        return True
    own = [path.parent / name for name in _QUOTED.findall(text)]
    return any(
        _uses_torch(header, seen) for header in own if header not in seen and header.is_file()
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")
