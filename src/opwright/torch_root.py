"""Where the installed torch is, and which of its files decide what is built for it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from opwright.errors import ToolchainError

# What `torch_facts` reads below that folder, and the folder of torch's libraries.
FACT_FILES = (
    "version.py",
    "share/cmake/Torch/TorchConfig.cmake",
    "include/torch/headeronly/version.h",
    "lib",
)


def torch_root() -> Path:
    """The package folder of the torch that this interpreter would import, or has imported.

    Raises `ToolchainError` when there is none.
    """
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise ToolchainError("torch is not installed", hint="Install it: `pip install torch`.")
    return Path(spec.origin).parent
