"""The arrows between packages only point down. The table below is the one place that says what is down.

Lazy imports, relative imports and imports for type checkers count like any other.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from source_tree import PACKAGE, Import, find_cycles, group_of, read_imports, read_modules

ROOT = Path(__file__).parent.parent

# Places that are kept for what is not there yet: beside the checks.
COMING = ("profile", "model", "package")
# Lowest first. What stands in one row does not see the rest of its row.
ROWS: tuple[tuple[str, ...], ...] = (
    ("errors", "frozen", "log", "running"),
    ("process", "files", "symbols", "cgroups"),
    ("lock", "undisturbed", "torch_root"),
    ("spec", "records"),
    ("op_file",),
    ("discovery",),
    ("toolchain", "devices", "emulator"),
    ("build", "generate", "binding", "simulated", "worker", "judge", "inputs", "watch"),
    ("checks", "measure", "graph", "doctor", "report", *COMING),
    ("session",),
    ("operator",),
    ("loading",),
    ("opwright",),  # the root: public names
    ("cli", "ops", "templates"),
    ("__main__",),
)
LEVEL = {group: level for level, row in enumerate(ROWS) for group in row}

# The compile side needs no device, the run side needs no compiler.
COMPILE_SIDE = {"toolchain", "build", "generate", "emulator"}
RUN_SIDE = {"devices", "binding", "simulated", "worker", "judge", "inputs", "watch"}

# What a package may see at most, where that is less than what lies below it.
ONLY: dict[str, set[str]] = {
    "judge": {"spec", "records", "errors"},
    "report": {"records", "errors", "log", "files"},  # renderers compute nothing
    "ops": {"opwright"},  # operators are clients of the public names
    "templates": {"opwright"},
}

# These work where torch is not installed or must not be waited for.
TORCH_FREE = {
    *("errors", "frozen", "log", "running", "process", "files", "symbols", "cgroups", "lock"),
    *("undisturbed", "torch_root", "spec", "records"),
    *(
        "op_file",
        "discovery",
        "toolchain",
        "build",
        "generate",
        "emulator",
        "report",
    ),
}
# module -> why it may import torch, inside a function, all the same
TORCH_ALLOWED: dict[str, str] = {
    "opwright.generate.torch_extension": "torch.utils.cpp_extension says how extensions are built",
}
# Quick commands pass through these, so torch is imported in their functions only.
TORCH_LAZY = {"cli", "doctor", "opwright"}


def arrow_problem(entry: Import) -> str | None:
    """Why ``entry`` points where no arrow may point, or None."""
    source, target = entry.source.group, group_of(entry.target)
    if source == target:
        return None
    for group in (source, target):
        if group not in LEVEL:
            return f"{group!r} has no place in the table of layers"
    if source in ONLY and target not in ONLY[source]:
        return f"{source} may see nothing but {', '.join(sorted(ONLY[source]))}; this is {target}"
    if LEVEL[target] > LEVEL[source]:
        return f"upward arrow from {source} to {target}"
    if LEVEL[target] == LEVEL[source]:
        return f"sideways arrow from {source} to {target}"
    if {source, target} & COMPILE_SIDE and {source, target} & RUN_SIDE:
        return f"compile side and run side meet: {source} and {target}"
    return None


def torch_problem(entry: Import) -> str | None:
    """Why torch may not be imported there, or None."""
    group = entry.source.group
    if group in TORCH_FREE and not (entry.lazy and entry.source.name in TORCH_ALLOWED):
        return f"{group} works without torch"
    if group in TORCH_LAZY and not entry.lazy:
        return f"{group} imports torch inside functions only"
    return None


def problems(package: Path) -> list[str]:
    """Every broken rule below ``package``, each as ``file:line: what``."""
    imports = read_imports(read_modules(package))
    inner = [entry for entry in imports if entry.target.split(".")[0] == package.name]
    torch = [entry for entry in imports if entry.target.split(".")[0] == "torch"]
    found = [f"{entry.place}: {why}" for entry in inner if (why := arrow_problem(entry))]
    found += [f"{entry.place}: {why}" for entry in torch if (why := torch_problem(entry))]
    for cycle in find_cycles(inner):
        first = next(e for e in inner if e.source.name == cycle[0] and e.target == cycle[1])
        found.append(f"{first.place}: import cycle {' -> '.join(cycle)}")
    return found


def test_every_arrow_points_down_and_torch_stays_where_it_may_be() -> None:
    assert problems(PACKAGE) == []


def test_every_place_is_taken_once_and_by_something_that_is_there() -> None:
    listed = [group for row in ROWS for group in row]
    assert sorted(set(listed)) == sorted(listed)
    there = {module.group for module in read_modules(PACKAGE)}
    assert there == set(listed) - set(COMING)
    sides = COMPILE_SIDE | RUN_SIDE | TORCH_FREE | TORCH_LAZY | set(ONLY)
    assert sides <= there


def test_the_design_shows_the_same_layers() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    picture = text.partition("## Layers")[2].split("```")[1]
    # The first column of each line: names, before the words about them.
    shown = {
        word.strip("/,")
        for line in picture.splitlines()
        for word in re.split(r"\s{3,}", line)[:1]
        for word in re.findall(r"[a-z_]+", word)
    }
    listed = (
        {group for row in ROWS for group in row} - set(COMING) - {"__main__", "templates", "ops"}
    )
    assert shown >= listed


def test_every_exception_for_torch_is_in_use() -> None:
    using = {
        entry.source.name
        for entry in read_imports(read_modules(PACKAGE))
        if entry.target.split(".")[0] == "torch"
    }
    assert set(TORCH_ALLOWED) <= using


PLANTED = {
    "an upward arrow": (
        "spec/a.py",
        "import opwright.build.key",
        "upward arrow from spec to build",
    ),
    "a lazy upward arrow": (
        "records/a.py",
        "def f():\n    from opwright.session import build",
        "upward arrow from records to session",
    ),
    "a relative upward arrow": (
        "spec/deep/a.py",
        "from ...build import key",
        "upward arrow from spec to build",
    ),
    "an arrow by name at run time": (
        "spec/a.py",
        "import importlib\nimportlib.import_module('opwright.cli.main')",
        "upward arrow from spec to cli",
    ),
    "an arrow for type checkers": (
        "files.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from opwright.spec import dims",
        "upward arrow from files to spec",
    ),
    "a sideways arrow": (
        "checks/a.py",
        "from opwright import measure",
        "sideways arrow from checks to measure",
    ),
    "the two sides meeting": (
        "build/a.py",
        "from opwright.devices import cpu",
        "compile side and run side meet: build and devices",
    ),
    "a renderer that reaches for more": (
        "report/a.py",
        "from opwright.spec import dims",
        "report may see nothing but errors, files, log, records; this is spec",
    ),
    "an operator that uses private names": (
        "ops/swish/op.py",
        "from opwright.spec.dims import Dim",
        "ops may see nothing but opwright; this is spec",
    ),
    "a package without a place": (
        "novelty/a.py",
        "from opwright import errors",
        "'novelty' has no place in the table of layers",
    ),
    "torch where it may not be": (
        "build/a.py",
        "def f():\n    import torch.utils",
        "build works without torch",
    ),
    "torch at the top of a command": (
        "cli/a.py",
        "from torch import nn",
        "cli imports torch inside functions only",
    ),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_violation_is_named_with_its_line(planted: str, tmp_path: Path) -> None:
    file, source, expected = PLANTED[planted]
    package = tmp_path / "opwright"
    for known in (
        "measure/__init__.py",
        "devices/cpu.py",
        "spec/dims.py",
        "errors.py",
        "build/key.py",
    ):
        (package / known).parent.mkdir(parents=True, exist_ok=True)
        (package / known).touch()
    path = package / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    line = len(source.splitlines())
    assert problems(package) == [f"{path}:{line}: {expected}"]


def test_a_planted_cycle_within_one_package_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "opwright" / "spec"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("from opwright.spec import b")
    (folder / "b.py").write_text("def f():\n    from .a import something")
    cycle = "import cycle opwright.spec.a -> opwright.spec.b -> opwright.spec.a"
    assert problems(tmp_path / "opwright") == [f"{folder / 'a.py'}:1: {cycle}"]


def test_arrows_that_point_down_are_no_problem(tmp_path: Path) -> None:
    package = tmp_path / "opwright"
    for folder in ("session", "binding"):
        (package / folder).mkdir(parents=True)
        (package / folder / "__init__.py").touch()
    (package / "session" / "__init__.py").write_text(
        "from opwright.build import key\nfrom opwright import binding\nfrom . import parts\n"
        "def f():\n    import torch\n"
    )
    (package / "session" / "parts.py").write_text("from ..errors import OpwrightError\n")
    assert problems(package) == []
