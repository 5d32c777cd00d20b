"""A case of the check of gradients, and its name."""

from __future__ import annotations

from typing import Any

from opwright.checks.planning.choices import case_name
from opwright.spec.case import Case
from opwright.spec.sampling import Sizes


def gradient_case(
    sizes: Sizes,
    dtypes: dict[str, str],
    scalars: dict[str, Any],
    how: str,
    *,
    absent: tuple[str, ...] = (),
    layouts: dict[str, str] | None = None,
    unlisted: bool = False,
    **more: Any,
) -> Case:
    """``how`` gradients come in, or are asked for; ``more`` becomes part of the name.

    What is ``unlisted`` the description only allows: it may be refused.
    """
    words = [how, *(f"{name} {_text(value)}" for name, value in more.items())]
    words += [f"arguments {layout}" for layout in dict.fromkeys((layouts or {}).values())]
    extra = {"how": how, **more, **({"unlisted": True} if unlisted else {})}
    name = case_name(sizes, dtypes, scalars, absent, *words)
    return Case(
        "gradients", name, dtypes, sizes, scalars, layouts or {}, absent=absent, extra=extra
    )


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={one}" for name, one in value.items())
    return ",".join(value) if isinstance(value, (tuple, list)) else str(value)
