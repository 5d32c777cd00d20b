"""Reads a package's source with `ast`: its modules, and every import in them, lazy or relative."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "opwright"


@dataclass(frozen=True)
class Module:
    """One file of source; ``name`` is dotted and starts with the package's name."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def group(self) -> str:
        """The package or module right below the root that this belongs to (``spec``, ``errors``)."""
        return group_of(self.name)


@dataclass(frozen=True)
class Import:
    """``source`` imports ``target`` on ``line``; ``lazy`` when that is inside a function."""

    source: Module
    target: str
    line: int
    lazy: bool

    @property
    def place(self) -> str:
        return f"{self.source.path}:{self.line}"


def group_of(name: str) -> str:
    """``opwright.spec.dims`` belongs to ``spec``; the root package to itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def read_modules(package: Path = PACKAGE) -> list[Module]:
    """Every module below ``package``, the operators' own files included."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path, ast.parse(path.read_text(encoding="utf-8"), str(path))))
    return found


def read_imports(modules: list[Module]) -> list[Import]:
    """Every import statement in ``modules``, and every ``import_module("...")`` with a literal name."""
    names = {module.name for module in modules}
    return [
        Import(module, target, line, lazy)
        for module in modules
        for node, lazy in _walk(module.tree, lazy=False)
        for target, line in _targets(node, module, names)
    ]


def _walk(node: ast.AST, *, lazy: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inside = lazy or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield child, inside
        yield from _walk(child, lazy=inside)


def _targets(node: ast.AST, module: Module, names: set[str]) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, node.lineno
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(node, module)
        for alias in node.names:
            # `from package import module` is an arrow to the module, not to the package
            inner = f"{base}.{alias.name}"
            yield (inner if inner in names else base), alias.lineno
    elif isinstance(node, ast.Call) and _called(node.func) in {"import_module", "__import__"}:
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value, node.lineno


def _absolute(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + (1 if module.is_package else 0)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def find_cycles(imports: list[Import]) -> list[list[str]]:
    """Each set of modules that import one another in a circle, as one circle of names."""
    edges: dict[str, set[str]] = {}
    for entry in imports:
        edges.setdefault(entry.source.name, set()).add(entry.target)
    cycles, done = [], set()

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            cycles.append([*trail[trail.index(name) :], name])
        elif name not in done:
            for target in sorted(edges.get(name, ())):
                visit(target, [*trail, name])
            done.add(name)

    for name in sorted(edges):
        visit(name, [])
    return cycles
