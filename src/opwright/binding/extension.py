"""Load an extension's library and make a plain function of it, with the operator's arguments."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections.abc import Callable
from typing import Any

import torch

from opwright.errors import LoadError
from opwright.records.artifact import Artifact
from opwright.spec.operator import Extension


def extension_function(
    extension: Extension, artifact: Artifact, module_name: str
) -> Callable[..., Any]:
    """``extension.call`` with its module filled in. Raises `LoadError` when the library does not load."""
    try:
        module = _module(extension, artifact, module_name)
    except (ImportError, OSError) as error:
        raise LoadError(
            f"{artifact.library} does not load: {error}",
            hint="The extension's own code or flags are at fault: load it in a plain Python to see more.",
        ) from error
    call = extension.call
    return lambda *args, **kwargs: call(module, *args, **kwargs)


def _module(extension: Extension, artifact: Artifact, name: str) -> Any:
    if not extension.is_python_module:
        torch.ops.load_library(str(artifact.library))
        return torch.ops
    loader = importlib.machinery.ExtensionFileLoader(name, str(artifact.library))
    spec = importlib.util.spec_from_file_location(name, artifact.library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
