"""The builds of device sources for the host: the emulator itself, and operators' kernels that it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from opwright.emulator.layout import (
    INCLUDE,
    OPWRIGHT_INCLUDE,
    RUNTIME,
    RUNTIME_SOURCES,
    SPELLING_HEADERS,
)
from opwright.emulator.translate import translate
from opwright.frozen import replace
from opwright.generate.binding_source import kernel_advice, kernel_text
from opwright.generate.kernels import KERNEL_UNIT, Kernels
from opwright.generate.merged import merged
from opwright.records.artifact import Artifact
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import HEADER_SUFFIXES, BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.emulated import EMULATOR_NAME, OWN_UNITS

EMULATOR = INCLUDE.parent
DEFAULT_WAVE = "wave32"


def emulator_request() -> BuildRequest:
    """The build of the emulator: one a store, whatever operators it runs."""
    return BuildRequest(
        name=EMULATOR_NAME,
        target=Target("emulated"),
        root=EMULATOR,
        # In two halves: more of them read the same headers again, fewer leave processors idle.
        units=tuple(
            merged(f"{OWN_UNITS}{half}.cpp", RUNTIME_SOURCES[start::2])
            for start, half in enumerate(("one", "other"))
        ),
        include_dirs=(INCLUDE, RUNTIME, OPWRIGHT_INCLUDE),
        named_roots=(("opwright", OPWRIGHT_INCLUDE),),
        compile_flags=("-O2",),
        facts={"kind": "emulator"},
    )


def linked(request: BuildRequest, emulator: Artifact) -> BuildRequest:
    """The request with the emulator linked in."""
    folder = emulator.library.parent
    return replace(
        request,
        named_roots=(*request.named_roots, ("emulator library", folder)),
        library_dirs=(*request.library_dirs, folder),
        libraries=(*request.libraries, f":{emulator.library.name}"),
        link_flags=(*request.link_flags, "-pthread", "-ldl"),
        facts={**request.facts, "emulated": True},
    )


def device_kernels(
    spec: OperatorSpec, target: Target, spelling: str, names: tuple[str, ...]
) -> Kernels:
    """The device sources of an operator, translated; ``spelling`` is that of CUDA or of HIP."""
    first, *others = (spec.folder / name for name in names)
    source = f'{device_text(first, spelling)}\n#line 1 "{KERNEL_UNIT}"'
    advice = kernel_advice(spec, target, names[0])
    return Kernels(
        units=(
            Unit(KERNEL_UNIT, text=kernel_text(spec, target, source), advice=advice),
            *(Unit(_as_cpp(path.name), text=device_text(path, spelling)) for path in others),
            *translated_headers(spec.folder),
        ),
        include_dirs=(*dict.fromkeys(path.parent for path in (first, *others)), INCLUDE),
        named_roots=(("emulator", EMULATOR),),
        defines=emulation_defines(target),
        optimisation="-O2",
    )


def emulation_defines(target: Target) -> tuple[tuple[str, str], ...]:
    """The macros by which all headers know what they are compiled for."""
    simulated = (("OPWRIGHT_SIMULATED", "1"),) if target.kind == "simulated" else ()
    wave = ("OPWRIGHT_WAVE_SIZE", str(wave_size(target)))
    return (("OPWRIGHT_EMULATED", "1"), wave, *simulated)


def wave_size(target: Target) -> int:
    """Lanes of a wave on the target."""
    return int((target.architecture or DEFAULT_WAVE).removeprefix("wave"))


def device_text(source: Path, spelling: str) -> str:
    """A device source as the host's compiler can read it; messages name the lines of ``source``."""
    text = source.read_text(encoding="utf-8", errors="surrogateescape")
    headers = (SPELLING_HEADERS[spelling], "opwright/stream.h")
    return "".join(f"#include <{name}>\n" for name in headers) + translate(text, str(source))


def translated_headers(folder: Path) -> Iterator[Unit]:
    """The headers of the operator that hold kernels or launches, translated: they are found first."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in HEADER_SUFFIXES and path.is_file():
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            translated = translate(text, str(path))
            if (
                translated.partition("\n")[2] != text
            ):  # but for its first line, which names the file
                yield Unit(str(path.relative_to(folder)), text=translated)


def _as_cpp(name: str) -> str:
    return f"{name}.cpp"
