"""Makes C++ for the host of a CUDA or HIP source: launches, shared memory, the beginnings of kernels.

Everything else of the device language is in the headers under ``include/``. Lines stay where they
are, so that compilers, debuggers and sanitizers name the user's own.
"""

from __future__ import annotations

import re

from opwright.emulator.kernels import translate_kernels
from opwright.emulator.launches import translate_launches
from opwright.emulator.refusal import refuse
from opwright.emulator.shared_memory import translate_shared_memory
from opwright.emulator.text import Edits, code_of

_ASSEMBLY = re.compile(r"\b(?:asm|__asm__|__asm)\b\s*(?:(?:volatile|__volatile__)\s*)?\(")
# No instruction and no operand: it keeps the compiler from moving accesses, the host's as well.
_NO_ASSEMBLY = re.compile(r'\s*""\s*(?::\s*:\s*(?::\s*"memory"\s*)?)?\)')
# As a macro it would break the standard library, which writes __attribute__((__noinline__)).
_NOINLINE = re.compile(r"(?<!\()\b__noinline__\b")


def translate(text: str, path: str) -> str:
    """The C++ of a source. ``path`` is the name that messages are to call it by.

    Raises `CompileError` with the line of what has no counterpart on the host.
    """
    code = code_of(text)
    for found in _ASSEMBLY.finditer(code):
        if not _NO_ASSEMBLY.match(text, found.end()):
            refuse(path, code, found.start(), "inline assembly")
    edits = Edits(text)
    for found in _NOINLINE.finditer(code):
        edits.replace(*found.span(), "__attribute__((noinline))")
    translate_kernels(code, edits)
    translate_shared_memory(code, edits, path)
    translate_launches(code, edits, path)
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n{edits.result()}'
