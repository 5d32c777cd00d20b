"""Give an operator in the dispatcher the kernel of its implementation, whichever kind that is."""

from __future__ import annotations

from opwright.binding.dispatch import DispatcherOp, dispatch_key
from opwright.binding.extension import extension_function
from opwright.binding.library import Library
from opwright.records.artifact import Artifact
from opwright.spec.target import Target


def attach(dispatcher: DispatcherOp, target: Target, artifact: Artifact | None) -> None:
    """Use ``artifact`` (None for a callable) as the operator's kernel on ``target``.

    Raises `LoadError` when the library does not load, `DeviceError` for a target that cannot run here.
    """
    key = dispatch_key(target)
    spec = dispatcher.spec
    if artifact is None:
        assert spec.function is not None
        dispatcher.use_function(spec.function, key)
    elif spec.extension is not None:
        function = extension_function(spec.extension, artifact, artifact.facts["module_name"])
        dispatcher.use_function(function, key)
    else:
        dispatcher.use_library(Library(artifact), key)
