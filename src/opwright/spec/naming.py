"""Names in a description: they become names in schemas, in Python calls and in C++."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterable

from opwright.errors import SpecError

# Words of C++20 that are no words of Python, and what the headers of the C library define as macros.
_CPP_WORDS = frozenset(
    """
    alignas alignof and_eq asm auto bitand bitor bool case catch char char8_t char16_t char32_t compl
    concept const consteval constexpr constinit const_cast co_await co_return co_yield decltype default
    delete do double dynamic_cast enum explicit export extern false float friend goto inline int long
    mutable namespace new noexcept not_eq nullptr operator or_eq private protected public register
    reinterpret_cast requires short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t xor xor_eq
    NULL EOF NAN INFINITY HUGE_VAL assert errno offsetof stdin stdout stderr va_arg va_copy va_end
    va_start linux unix signgam environ
    """.split()  # noqa: SIM905 -- a table of words
)
# What an operator's kernel, a function outside every namespace, cannot be called.
_NAMESPACES = frozenset({"main", "std", "opwright", "torch", "at", "aten", "c10", "caffe2"})
_TYPES = frozenset({"FILE", "DIR", "tm", "timeval", "timespec", "stat", "sigaction"})


def check_name(name: object, what: str) -> str:
    """The name itself where it can stand in a schema, in Python and in C++; `SpecError` otherwise."""
    if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
        raise SpecError(
            f"{what} name {name!r} is not an identifier",
            hint="Use a plain name such as 'rows': letters, digits and _, no digit first.",
        )
    if "__" in name:
        raise SpecError(
            f"{what} name {name!r} holds '__', which C++ keeps for itself", hint="Use one '_'."
        )
    for language, words in (("C++", _CPP_WORDS), ("Python", keyword.kwlist)):
        if name in words:
            raise SpecError(
                f"{what} name {name!r} is a word of {language}", hint=f"Rename it: '{name}_', say."
            )
    return name


def check_operator_name(name: str) -> str:
    """As `check_name`, for a function outside every namespace: it overloads, but hides nothing."""
    check_name(name, "operator")
    if name in _NAMESPACES | _TYPES or name.endswith("_t"):
        raise SpecError(
            f"operator name {name!r} means something else outside every C++ namespace",
            hint=f"Rename it: 'my_{name}', say.",
        )
    return name


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``Did you mean 'rows'? ``, to stand in front of more; empty where nothing known is near."""
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f"Did you mean {near[0]!r}? " if near else ""


def nearest(name: object, known: Iterable[str]) -> str:
    """The hint for an unknown name: the nearest known one, or all of them."""
    listed = list(known)
    return did_you_mean(name, listed).rstrip() or f"Known are: {', '.join(listed) or 'none'}."


def require_known(names: Iterable[object], known: Iterable[str], what: str) -> None:
    """Refuse the first name that is not ``what``, with the nearest one that is."""
    listed = list(known)
    for name in names:
        if name not in listed:
            raise SpecError(f"{name!r} is no {what}", hint=nearest(name, listed))


def require_same(given: Iterable[object], wanted: Iterable[str], what: str) -> None:
    """Refuse names that are unknown, then names that are missing."""
    given, wanted = list(given), list(wanted)
    require_known(given, wanted, what)
    for name in wanted:
        if name not in given:
            raise SpecError(f"{what} {name!r} is not described", hint="Add it.")
