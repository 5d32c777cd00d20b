"""Load a generated library and offer its kernel to the dispatcher, until another one takes its place."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, cast

from opwright.errors import LoadError
from opwright.records.artifact import Artifact

_PROBLEM_BYTES = 2048


class ThreadState(ctypes.Structure):
    """``ThreadState`` of ``quick_call.h``."""

    _fields_ = (
        ("is_included", ctypes.c_void_p),
        ("is_excluded", ctypes.c_void_p),
        ("exclude", ctypes.c_void_p),
        ("has_function_mode", ctypes.c_void_p),
        ("transforms", ctypes.c_uint16),
        ("autograd", ctypes.c_uint16),
    )


class Library:
    """A loaded library. It stays loaded for as long as the process lives.

    Raises `LoadError` when the file does not load: a half-written file, or symbols that this torch lacks.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        try:
            handle = ctypes.CDLL(str(artifact.library))
            self._register = _function(
                handle, "opwright_register", pointer, text, text, text, ctypes.c_int64
            )
            self._exchange = _function(handle, "opwright_exchange", None, pointer, pointer)
            self._unregister = _function(handle, "opwright_unregister", None, pointer)
            self.kernel = int(_function(handle, "opwright_kernel", pointer)())
            self._quick_call = _quick_call(handle)
        except (OSError, AttributeError) as error:
            raise LoadError(
                f"{artifact.library} does not load: {error}",
                hint="It is set aside and built again; if that repeats, run 'opwright doctor'.",
            ) from error

    @property
    def binding(self) -> str:
        """``stable`` or ``aten``: kernels of two kinds cannot take each other's place."""
        return str(self.artifact.facts.get("binding"))

    def quick_call(self, seen: tuple[Any, ...], state: ThreadState) -> Callable[..., Any] | None:
        """A function that looks at ``seen`` as ``quick_call.h`` says; None where the library has none."""
        address = self._quick_call and self._quick_call(seen, state)
        if not address:
            return None
        made = ctypes.cast(address, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(made))  # `made` has a reference of its own
        return cast("Callable[..., Any]", made)

    def offer(self, namespace: str, dispatch_key: str) -> Offer | None:
        """Register the kernel for ``namespace::name``; None where too many operators use this library.

        Raises `LoadError` with what PyTorch says against it.
        """
        names = (namespace.encode(), dispatch_key.encode())
        problem = ctypes.create_string_buffer(_PROBLEM_BYTES)
        place = self._register(*names, problem, _PROBLEM_BYTES)
        if problem.value:
            said = problem.value.decode(errors="replace").partition("\n")[0]
            raise LoadError(
                f"{self.artifact.library} cannot be registered for {dispatch_key}: {said}",
                hint="Run 'opwright doctor': this torch may not be the one it was built for.",
            )
        return None if place is None else Offer(self, int(place), names)


class Offer:
    """A library's kernel in the dispatcher, at a place at which another library's can follow it."""

    def __init__(self, library: Library, place: int, names: tuple[bytes, bytes]) -> None:
        self.library = library
        self._place = place
        self._names = names  # the dispatcher may keep the pointers

    def follow_with(self, library: Library) -> bool:
        """Exchange the kernel for ``library``'s, also under calls of other threads; False if impossible."""
        if library.binding != self.library.binding:
            return False
        self.library._exchange(self._place, library.kernel)
        return True

    def withdraw(self) -> None:
        """Take the kernel out of the dispatcher. No call may be under way."""
        self.library._unregister(self._place)


def _function(handle: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = handle[name]
    function.restype, function.argtypes = result, arguments
    return function


def _quick_call(handle: ctypes.CDLL) -> Any:
    if not hasattr(handle, "opwright_quick_call"):
        return None
    # What Python calls while it holds its lock, unlike the others.
    function = ctypes.PyDLL(handle._name, handle=handle._handle)["opwright_quick_call"]
    function.restype = ctypes.c_void_p  # as an object, a null would end the process
    function.argtypes = (ctypes.py_object, ctypes.POINTER(ThreadState))
    return function
