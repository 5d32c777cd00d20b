"""Rules of this code that no linter knows: sizes, names, where printing is done, exit codes, exports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import opwright
from opwright import errors
from source_tree import PACKAGE, Module, read_modules

LONGEST_MODULE = 300
LONGEST_FUNCTION = 50
MEANINGLESS = {"utils", "util", "helpers", "helper", "common", "misc", "base_utils", "shared"}

# "module" or "module:function" -> why it may be longer than the rest
TOO_LONG_BECAUSE: dict[str, str] = {}
# module -> why it may print although it is no command
PRINTS_BECAUSE = {
    "opwright.graph.script_body": "it is the text of a script that users run",
    "opwright.graph.superkernel.script_body": "it is the text of a script that users run",
    "opwright.session.sanitizer_child": "its marks stand between what the sanitizer prints",
}


def functions(module: Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(module.tree) if isinstance(node, kinds)]


def size_problems(modules: list[Module]) -> dict[str, str]:
    """What is longer than the limits: its name, and where it is."""
    found = {}
    for module in modules:
        lines = len(module.path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_MODULE:
            found[module.name] = f"{module.path}:1: {lines} lines, at most {LONGEST_MODULE}"
        for function in functions(module):
            first = min([function.lineno, *(entry.lineno for entry in function.decorator_list)])
            lines = (function.end_lineno or first) - first + 1
            if lines > LONGEST_FUNCTION:
                found[f"{module.name}:{function.name}"] = (
                    f"{module.path}:{first}: {function.name} has {lines} lines, "
                    f"at most {LONGEST_FUNCTION}"
                )
    return found


def name_problems(modules: list[Module]) -> list[str]:
    """Modules whose name says nothing."""
    return [
        f"{module.path}:1: a module's name says what it is about"
        for module in modules
        if module.name.split(".")[-1].strip("_") in MEANINGLESS
    ]


def print_problems(modules: list[Module]) -> list[str]:
    """Below ``cli`` nothing prints, colours or writes to the standard streams."""
    found = []
    for module in modules:
        if module.group == "cli" or module.name in PRINTS_BECAUSE:
            continue
        for node in ast.walk(module.tree):
            text = ast.unparse(node) if isinstance(node, (ast.Attribute, ast.Name)) else ""
            if text in {"sys.stdout.write", "sys.stderr.write", "print"}:
                found.append(f"{module.path}:{node.lineno}: {text} below cli")
            imported = {
                *(
                    alias.name
                    for alias in getattr(node, "names", [])
                    if isinstance(node, ast.Import)
                ),
                *([node.module] if isinstance(node, ast.ImportFrom) else []),
            }
            # renderers lay tables out with rich; whether and where those are printed is for cli to say
            terminal = {"click"} if module.group == "report" else {"click", "rich"}
            if any(str(name).split(".")[0] in terminal for name in imported):
                found.append(f"{module.path}:{node.lineno}: terminal library below cli")
    return found


def defined_names(tree: ast.Module) -> set[str]:
    """Names that the top level of a module binds, also inside `if` and `try`."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def export_problems(modules: list[Module]) -> list[str]:
    """Every ``__all__`` is sorted, says nothing twice, and names only what is there."""
    found = []
    for module in modules:
        for node in module.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if not any(isinstance(name, ast.Name) and name.id == "__all__" for name in targets):
                continue
            names = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            place = f"{module.path}:{node.lineno}"
            if len(set(names)) != len(names):
                found.append(f"{place}: __all__ names something twice")
            lazy = "__getattr__" in defined_names(module.tree)
            missing = (
                [] if lazy else [name for name in names if name not in defined_names(module.tree)]
            )
            found += [f"{place}: __all__ names {name}, which is not there" for name in missing]
    return found


def error_classes() -> list[type[errors.OpwrightError]]:
    found = [errors.OpwrightError]
    for known in found:
        found += [child for child in known.__subclasses__() if child not in found]
    return found


def test_modules_and_functions_stay_small_or_say_why_not() -> None:
    found = size_problems(read_modules())
    assert {name: place for name, place in found.items() if name not in TOO_LONG_BECAUSE} == {}
    assert set(TOO_LONG_BECAUSE) <= set(found), "an exception that nothing needs any more"


def test_module_names_say_what_the_module_is_about() -> None:
    assert name_problems(read_modules()) == []


def test_nothing_below_the_command_line_prints() -> None:
    assert print_problems(read_modules()) == []


def test_every_list_of_exports_is_true() -> None:
    assert export_problems(read_modules()) == []


def test_each_public_name_of_the_package_can_be_had() -> None:
    import opwright

    names = getattr(opwright, "__all__", [])
    assert names, "the package lists its public names"
    assert [name for name in names if not hasattr(opwright, name)] == []
    assert set(names) <= set(dir(opwright))


def test_exit_codes_are_unique_and_fit_a_shell() -> None:
    codes = [known.exit_code for known in error_classes()]
    assert len(set(codes)) == len(codes)
    assert all(1 <= code < 126 for code in codes)  # from 126 on, shells have meanings of their own


def test_every_error_class_stands_in_the_drawn_tree_with_its_code() -> None:
    drawn = errors.__doc__ or ""
    for known in error_classes():
        lines = [line.split() for line in drawn.splitlines() if known.__name__ in line.split()]
        assert lines, f"{known.__name__} is not in the tree that opens errors.py"
        assert str(known.exit_code) in lines[0], f"{known.__name__}: the tree gives another code"


PLANTED = {
    "sizes": (size_problems, "def f():\n" + "    x = 1\n" * 60, "f has 61 lines"),
    "module size": (size_problems, "x = 1\n" * 301, "301 lines"),
    "printing": (print_problems, "def f():\n    print('x')\n", ":2: print below cli"),
    "printing by the stream": (
        print_problems,
        "import sys\nsys.stderr.write('x')\n",
        ":2: sys.stderr.write below cli",
    ),
    "colour": (print_problems, "import rich.console\n", "terminal library below cli"),
    "exports": (export_problems, "__all__ = ['gone']\n", "gone, which is not there"),
    "exports twice": (export_problems, "a = 1\n__all__ = ['a', 'a']\n", "something twice"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_violation_is_found(planted: str, tmp_path: Path) -> None:
    rule, source, expected = PLANTED[planted]
    (tmp_path / "opwright" / "build").mkdir(parents=True)
    (tmp_path / "opwright" / "build" / "planted.py").write_text(source)
    found = rule(read_modules(tmp_path / "opwright"))
    lines = list(found.values()) if isinstance(found, dict) else found
    assert len(lines) == 1
    assert expected in lines[0]


def test_a_planted_hollow_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "opwright").mkdir()
    (tmp_path / "opwright" / "utils.py").touch()
    assert len(name_problems(read_modules(tmp_path / "opwright"))) == 1


def test_the_sources_are_where_the_rules_look() -> None:
    assert len(read_modules(PACKAGE)) > 10


def test_no_module_hides_a_public_name_that_is_imported_on_demand() -> None:
    """`import opwright.x` sets the attribute ``x``: of a function of that name nothing would be left."""
    modules = {path.stem for path in Path(opwright.__file__).parent.iterdir()}
    assert modules.isdisjoint(opwright.__all__)
