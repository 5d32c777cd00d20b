"""Give an operator in the dispatcher the kernel of its implementation, whichever kind that is."""

from __future__ import annotations

from opwright.binding.dispatch import DispatcherOp, dispatch_key
from opwright.binding.library import Library
from opwright.errors import LoadError
from opwright.files import digest_file
from opwright.records.artifact import Artifact
from opwright.spec.target import Target

_HINT = "It is set aside and built again; if that repeats, run 'opwright doctor'."


def attach(dispatcher: DispatcherOp, target: Target, artifact: Artifact | None) -> None:
    """Use ``artifact`` (None for a callable) as the operator's kernel on ``target``.

    Raises `LoadError` when the library is not what was built or does not load, `DeviceError` for a
    target that cannot run here.
    """
    key = dispatch_key(target)
    spec = dispatcher.spec
    if artifact is not None:
        require_whole(artifact)
        if target.kind == "cuda" and artifact.facts.get("architecture"):
            from opwright.devices.cuda import require_architecture  # a host's kernel needs none

            require_architecture(artifact.facts["architecture"], artifact.name)
    if artifact is None:
        assert spec.function is not None
        dispatcher.use_function(spec.function, key)
    elif spec.extension is not None:
        from opwright.binding.extension import extension_function

        function = extension_function(spec.extension, artifact, artifact.facts["module_name"])
        dispatcher.use_function(function, key)
    else:
        dispatcher.use_library(Library(artifact), key)


def require_whole(artifact: Artifact) -> None:
    """Raise `LoadError` unless the file is what was built: half a library can kill its process when mapped."""
    try:
        digest = digest_file(artifact.library)
    except OSError as error:
        raise LoadError(
            f"{artifact.library} cannot be read: {error.strerror}", hint=_HINT
        ) from error
    if digest != artifact.digest:
        raise LoadError(
            f"{artifact.library} does not have the digest of its manifest: it was changed or cut short",
            hint=_HINT,
        )
