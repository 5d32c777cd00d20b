"""``npugraph_ex:scope=sp1:split_mode=2``: the way to a graph, the scope's name, and its options."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from opwright.errors import UsageError
from opwright.graph.superkernel.option_table import GE, NPUGRAPH_EX
from opwright.graph.superkernel.options import check_scope, read_options, release_for
from opwright.spec.naming import did_you_mean

WAYS = (NPUGRAPH_EX, GE)


@dataclass(frozen=True)
class Asked:
    """What follows ``superkernel:``. ``options`` are values by name, as `read_options` gives them."""

    way: str
    scope: str = "opwright"
    options: dict[str, Any] = field(default_factory=dict)


def read_asked(text: str) -> Asked:
    """The way, and what follows it with colons between. Raises `UsageError` with the nearest spelling."""
    way, *settings = text.split(":")
    if way not in WAYS:
        guess = did_you_mean(way, WAYS)
        raise UsageError(
            f"superkernel has no option {way!r}", hint=f"{guess}It takes: {', '.join(WAYS)}."
        )
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise UsageError(
                f"{setting!r} is no option of a SuperKernel",
                hint="Write it like this: superkernel:npugraph_ex:split_mode=2.",
            )
        if name in given:
            raise UsageError(f"{name} is given twice", hint="Leave one of them out.")
        given[name] = value
    scope = check_scope(given.pop("scope", "opwright"))
    return Asked(way, scope, read_options(way, given, release_for(installed_version())))


def installed_version() -> str | None:
    """The version of torch-npu here; None for none."""
    try:
        return version("torch-npu")
    except PackageNotFoundError:
        return None
