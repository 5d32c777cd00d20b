"""What nvcc makes of the shipped operators' device sources: ``python benchmarks/device_code.py bias_gelu ...``.

A row for each kernel: registers, spilled bytes, how many of its instructions load or store 16 bytes at once,
and how many it has in all. Needs nvcc, and nvdisasm for the last two (``pip install nvidia-cuda-nvdisasm``). No
GPU: nothing here is a time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opwright.discovery import find_one, installed_names
from opwright.generate.binding_source import kernel_text
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.toolchain import cuda

INCLUDE = Path(cuda.__file__).parent.parent / "include"
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "--expt-relaxed-constexpr", "-Xptxas=-v", "-cubin")


WIDE = re.compile(r"(LD|ST)G\..*\.128")


class Kernel(NamedTuple):
    """What the compiler makes of one kernel; None where nvdisasm would have to tell."""

    name: str
    registers: int
    spilled_bytes: int
    wide_accesses: int | None
    instructions: int | None


def main() -> None:
    """Print a table for each operator and each of its backwards, and all of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operator", nargs="*", default=installed_names())
    parser.add_argument("--arch", default="sm_90")
    arguments = parser.parse_args()
    nvcc = cuda.find_driver(os.environ)[0]
    found = {}
    for name in arguments.operator:
        spec = find_one(name).spec
        for each in (spec, *spec.backwards):
            print(f"\n{each.name}, {arguments.arch}")
            print("  registers  spilled  by 16 bytes  instructions  kernel")
            found[each.name] = list(kernels(each, nvcc, arguments.arch))
            for kernel in found[each.name]:
                wide, count = (
                    "-" if n is None else n for n in (kernel.wide_accesses, kernel.instructions)
                )
                front = f"{kernel.registers:11}  {kernel.spilled_bytes:7}"
                print(f"{front}  {wide:>11}  {count:>12}  {kernel.name}")
    print(json.dumps({name: [each._asdict() for each in rows] for name, rows in found.items()}))


def kernels(spec: OperatorSpec, nvcc: str, arch: str) -> Iterator[Kernel]:
    """The kernels of one operator, for all dtypes."""
    with tempfile.TemporaryDirectory() as folder:
        said, cubin = compiled(spec, nvcc, arch, Path(folder))
        instructions = listing(cubin)
    for part in said.split("Compiling entry function '")[1:]:
        name = part.partition("'")[0]
        spilled = re.search(r"(\d+) bytes spill stores", part)
        registers = re.search(r"Used (\d+) registers", part)
        if spilled and registers:
            code = instructions.get(name)
            wide = None if code is None else sum(map(bool, map(WIDE.search, code)))
            count = None if code is None else len(code)
            yield Kernel(readable(name), int(registers[1]), int(spilled[1]), wide, count)


def compiled(spec: OperatorSpec, nvcc: str, arch: str, folder: Path) -> tuple[str, Path]:
    """What ptxas says of the operator's kernels for all dtypes, and their machine code."""
    target = Target("cuda", arch)
    source = spec.folder / spec.sources_for(target)[1][0]
    unit = folder / "kernels.cu"
    unit.write_text(kernel_text(spec, target, f'#include "{source}"'))
    command = [
        nvcc,
        *FLAGS,
        f"-arch={arch}",
        f"-I{INCLUDE}",
        unit,
        "-o",
        unit.with_suffix(".cubin"),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stderr, unit.with_suffix(".cubin")


def listing(cubin: Path) -> dict[str, list[str]]:
    """Each kernel's instructions; empty where there is no nvdisasm."""
    nvdisasm = shutil.which("nvdisasm")
    if not nvdisasm:
        return {}
    text = subprocess.run(
        [nvdisasm, "-c", cubin], check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[str]] = {}
    for section in re.split(r"^\.text\.", text, flags=re.MULTILINE)[1:]:
        name, _, code = section.partition(":")
        code = code.partition("//-----")[0]
        lines = re.findall(r"^ +/\*[0-9a-f]{4,}\*/ +(.*?);", code, re.MULTILINE)
        found[name] = [line for line in lines if line.strip() != "NOP"]
    return found


def readable(mangled: str) -> str:
    """The name as C++ writes it, where there is a program that knows."""
    tool = shutil.which("c++filt")
    if not tool:
        return mangled
    text = subprocess.run([tool, mangled], check=True, capture_output=True, text=True).stdout
    return re.sub(r"opwright::(detail::)?|^void ", "", text.partition("(")[0].strip())


if __name__ == "__main__":
    main()
