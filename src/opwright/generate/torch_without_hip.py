"""Device sources that include torch's headers, compiled for an AMD chip beside a torch that is not built for HIP."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from opwright.frozen import replace
from opwright.generate.torch_extension import extension_flags
from opwright.spec.request import BuildRequest
from opwright.toolchain.torch_facts import TorchFacts

_TORCHS = re.compile(r"^\s*#\s*include\s*[<\"](?:torch|ATen|c10)/", re.MULTILINE)
# What torch has for HIP alone, as far as launching a kernel on the current stream goes.
_STAND_INS = Path(__file__).parent.parent / "include" / "torch_without_hip"


def includes_torch(sources: Iterable[Path]) -> bool:
    """Whether one of them includes a header of torch's itself."""
    return any(
        _TORCHS.search(path.read_text(encoding="utf-8", errors="replace")) for path in sources
    )


def with_torchs_headers(request: BuildRequest, module: str, torch: TorchFacts) -> BuildRequest:
    """The request, whose units find this torch's headers, and stand-ins for those that it has for HIP alone."""
    flags = extension_flags()
    python = Path(sysconfig.get_path("include"))
    return replace(
        request,
        include_dirs=(*request.include_dirs, _STAND_INS, *flags.include_dirs, python),
        named_roots=(
            *request.named_roots,
            ("stand-ins for torch", _STAND_INS),
            ("torch", torch.root),
            ("python", python),
        ),
        defines=(*request.defines, ("TORCH_EXTENSION_NAME", module), *flags.defines),
        # What is used of torch and of Python is never called.
        link_flags=(*request.link_flags, "-Wl,-z,undefs"),
        identity=(
            *request.identity,
            ("torch", torch.version),
            ("python", sys.implementation.cache_tag or ""),
        ),
    )
