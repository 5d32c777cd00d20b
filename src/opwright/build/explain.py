"""Why a build is needed: the field that differs from the nearest library in the store."""

from __future__ import annotations

from typing import Any, NamedTuple

from opwright.build.entries import entries, request_folders
from opwright.build.store import Store
from opwright.spec.request import BuildRequest


class Miss(NamedTuple):
    """Nothing in the store fits. ``changed`` names the fields or files that differ from the nearest."""

    reason: str
    changed: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The one that matters most, empty where there is nothing to compare with."""
        return self.changed[0] if self.changed else ""


# What makes it another variant of the operator, beside the library that is there: named in requests
# (the target, the identity "binding") and in their facts (what was instrumented, what was compiled only).
_VARIANT_FACTS = ("watched", "sanitized", "label")


def nearest_difference(store: Store, request: BuildRequest, parts: dict[str, str]) -> Miss:
    """Compare with every entry of the same variant; the one with the fewest differing fields counts."""
    best: list[str] | None = None
    old: dict[str, str] = {}
    others = False
    wanted = _variant(parts, request.facts)
    for folder in request_folders(store.version_folder, prefix=f"{request.name}-"):
        for manifest in entries(folder)[:1]:
            if manifest.name != request.name:
                continue
            if _variant(manifest.key_parts, manifest.facts) != wanted:
                others = True
                continue
            names = differing(manifest.key_parts, parts)
            if best is None or len(names) < len(best):
                best, old = names, manifest.key_parts
    if best is None:
        return Miss(f"it was never built {' '.join(wanted)}" if others else "it was never built")
    first = best[0] if best else "entry"
    return Miss(describe(first, old.get(first), parts.get(first)), tuple(best))


def _variant(parts: dict[str, str], facts: dict[str, Any]) -> tuple[str, ...]:
    """``for cuda:sm_90``, ``with binding aten``, ``watched``."""
    binding = parts.get("binding")
    return (
        f"for {parts['target']}",
        *([f"with binding {binding}"] if binding else []),
        *(
            f"{name} {facts[name]}" if name == "label" else name
            for name in _VARIANT_FACTS
            if name in facts
        ),
    )


def differing(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """The names of the fields that differ, in the order of the key's own list."""
    return [name for name in {**new, **old} if old.get(name) != new.get(name)]


def describe(name: str, old: str | None, new: str | None) -> str:
    """One field's change in words; a digest or a long text is not worth reading."""
    short = all(value is None or len(value) <= 60 for value in (old, new))
    if not short:
        return f"{name} changed"
    return f"{name} changed from {old or 'nothing'!r} to {new or 'nothing'!r}"
