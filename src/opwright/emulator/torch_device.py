"""Sources of torch extensions: what they ask of a device, asked of the CPU, where the tensors are."""

from __future__ import annotations

import re

from opwright.emulator.text import Edits, code_of

_NAMES = {
    r"\bis_cuda\b": "is_cpu",
    r"\bis_hip\b": "is_cpu",
    r"\bk(?:CUDA|HIP)\b": "kCPU",
    r"\bDeviceType\s*::\s*(?:CUDA|HIP)\b": "DeviceType::CPU",
    r"\bDispatchKey\s*::\s*(?:CUDA|HIP)\b": "DispatchKey::CPU",
    r"(?<=\bTORCH_LIBRARY_IMPL)(\(\s*\w+\s*,\s*)(?:CUDA|HIP)\b": r"\1CPU",
}


def for_tensors_on_the_cpu(text: str) -> str:
    """The source with the names of the device's type replaced; lines stay, comments and texts too."""
    code = code_of(text)
    edits = Edits(text)
    for pattern, by in _NAMES.items():
        for found in re.finditer(pattern, code):
            edits.replace(*found.span(), found.expand(by))
    return edits.result()
