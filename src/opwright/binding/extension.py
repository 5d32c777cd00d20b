"""Load an extension's library and make a plain function of it, with the operator's arguments."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
from collections.abc import Callable
from typing import Any

import torch

from opwright.errors import LoadError, UsageError
from opwright.records.artifact import Artifact
from opwright.spec.operator import Extension
from opwright.symbols import demangle, why_undefined

_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
# namespace -> the library that registered it, in this process
_registered: dict[str, str] = {}


def extension_function(
    extension: Extension, artifact: Artifact, module_name: str
) -> Callable[..., Any]:
    """``extension.call`` with its module filled in. Raises `LoadError` when the library does not load.

    Raises `UsageError` instead of letting PyTorch end the process, as it does when a namespace is
    registered twice.
    """
    try:
        module = _module(extension, artifact, module_name)
    except (ImportError, OSError) as error:
        raise LoadError(
            f"{artifact.library} does not load: {_in_words(str(error))}",
            hint="The extension's own code or flags are at fault: load it in a plain Python to see more.",
        ) from error
    call = extension.call
    return lambda *args, **kwargs: call(module, *args, **kwargs)


def _in_words(error: str) -> str:
    """The loader's message with the name that it misses as C++ has it, and why it may be missing."""
    found = _UNDEFINED.search(error)
    if found is None:
        return error
    symbol = found[1]
    return f"{error.replace(symbol, demangle(symbol))}: {why_undefined(symbol)}"


def _module(extension: Extension, artifact: Artifact, name: str) -> Any:
    if not extension.is_python_module:
        _claim_namespaces(artifact)
        torch.ops.load_library(str(artifact.library))
        return torch.ops
    loader = importlib.machinery.ExtensionFileLoader(name, str(artifact.library))
    spec = importlib.util.spec_from_file_location(name, artifact.library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _claim_namespaces(artifact: Artifact) -> None:
    for namespace, kind in artifact.facts.get("namespaces", {}).items():
        holder = _registered.get(namespace)
        if holder is None and kind == "library" and _is_registered(namespace):
            holder = "somebody else"
        if holder is not None and holder != str(artifact.library):
            raise UsageError(
                f"{artifact.library} registers the namespace {namespace!r}, which {holder} has "
                "registered in this process: PyTorch ends a process that registers one twice",
                hint="Start Python anew to load it. 'opwright check' runs each in its own process.",
            )
        _registered[namespace] = str(artifact.library)


def _is_registered(namespace: str) -> bool:
    names = torch._C._dispatch_get_all_op_names()
    return any(name.startswith(f"{namespace}::") for name in names)
