"""Compiles the kernels of these tests with the emulator, and loads them."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from emulated.runtime_report import EmulatedFinding, read_findings
from opwright.build.builder import build as build_request
from opwright.emulator.layout import (
    INCLUDE,
    OPWRIGHT_INCLUDE,
    RUNTIME,
    RUNTIME_SOURCES,
    SPELLING_HEADERS,
    WATCHED_FLAGS,
)
from opwright.emulator.translate import translate
from opwright.generate.emulated import emulator_request
from opwright.generate.merged import merged

KERNELS = Path(__file__).parent / "kernels"


def run(command: list[object], cwd: Path) -> None:
    done = subprocess.run(
        list(map(str, command)), check=False, cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-5000:]


def compile_flags(spelling: str, wave_size: int) -> list[str]:
    """Flags for a translated source in the spelling ``cuda`` or ``hip``; never together with NDEBUG."""
    return [
        "-DOPWRIGHT_EMULATED=1",
        f"-DOPWRIGHT_WAVE_SIZE={wave_size}",
        f"-I{INCLUDE}",
        f"-I{OPWRIGHT_INCLUDE}",
        *("-include", SPELLING_HEADERS[spelling]),
    ]


def build_runtime() -> Path:
    """The runtime as operators' libraries get it: one object, which is built once a store."""
    return build_request(emulator_request()).library


def warnings_of_the_runtime(folder: Path) -> str:
    """What the compiler has to say of the runtime's sources when asked for a lot."""
    unit = merged("runtime.cpp", RUNTIME_SOURCES)
    (folder / unit.name).write_text(str(unit.text))
    front = ["g++", "-std=c++17", "-O1", "-c", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    folders = [*compile_flags("cuda", 32)[:-2], f"-I{RUNTIME}"]
    command = [*front, *folders, unit.name, "-o", os.devnull]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr


def build(
    source: Path, folder: Path, runtime: Path, *, wave_size: int = 32, flags: tuple[str, ...] = ()
) -> Path:
    """A library with the kernels of ``source``; its spelling is told by the suffix."""
    spelling = "hip" if source.suffix == ".hip" else "cuda"
    name = f"{source.stem}_{spelling}_{wave_size}{'_watched' if flags == WATCHED_FLAGS else ''}"
    translated = folder / f"{name}.cpp"
    translated.write_text(translate(source.read_text(), str(source)))
    front = ["g++", "-std=c++17", *(flags or ("-O2",)), "-fPIC"]
    run(
        [*front, *compile_flags(spelling, wave_size), "-c", translated, "-o", f"{name}.o"],
        folder,
    )
    # Without the watched build's flags: the runtime has what such code calls.
    library = f"lib{name}.so"
    front = ["g++", "-shared", "-Wl,-z,defs"]
    run([*front, f"{name}.o", runtime, "-ldl", "-lpthread", "-o", library], folder)
    return folder / library


@dataclass
class Emulated:
    """A loaded library, and what its emulator says."""

    library: ctypes.CDLL

    @classmethod
    def load(cls, path: Path) -> Emulated:
        library = ctypes.CDLL(str(path))
        library.opwright_emulated_findings.restype = ctypes.c_char_p
        library.opwright_emulated_kernels.restype = ctypes.c_char_p
        library.opwright_emulated_region.argtypes = [
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_char_p,
        ]
        return cls(library)

    def call(self, name: str, **options: str) -> int:
        """Call a function that takes nothing, from a clean state, under the options."""
        self.library.opwright_emulated_reset()
        for option, value in options.items():
            assert self.set(option, value) == 0
        try:
            return int(getattr(self.library, name)())
        finally:
            self.library.opwright_emulated_finish()
            self.set("order", "forward")
            self.set("threads", "0")
            self.set("stream", "any")

    def set(self, option: str, value: str) -> int:
        return int(self.library.opwright_emulated_set(option.encode(), value.encode()))

    def findings(self) -> list[EmulatedFinding]:
        return read_findings(self.library.opwright_emulated_findings().decode())

    def kernels(self) -> dict[str, dict[str, object]]:
        text = self.library.opwright_emulated_kernels().decode()
        return {entry["kernel"]: entry for entry in map(json.loads, text.splitlines())}
