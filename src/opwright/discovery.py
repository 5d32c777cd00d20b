"""Find operators: in a folder, in a file, by ``file.py:name``, or among the installed ones."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import sys
import traceback
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from opwright.errors import DiscoveryError, OpwrightError, SpecError
from opwright.spec.operator import OperatorSpec

ENTRY_POINTS = "opwright.ops"


class Described(Protocol):
    """What discovery finds: anything that carries an operator description."""

    spec: OperatorSpec


def find(text: str) -> list[Described]:
    """Every operator that ``text`` names; `DiscoveryError` when there is none."""
    path_text, _, name = text.rpartition(":") if _is_file_and_name(text) else (text, "", "")
    path = Path(path_text)
    if path.is_dir():
        path = path / "op.py"
        if not path.is_file():
            raise DiscoveryError(
                f"{text}: the folder has no op.py", hint="Run 'opwright new NAME' to start one."
            )
    elif path.suffix != ".py" and not path.exists():
        return [_installed(text)]
    operators = _in_file(path)
    if name:
        operators = [op for op in operators if op.spec.name == name] or _no_such(path, name, operators)
    return operators


def find_one(text: str) -> Described:
    """The one operator that ``text`` names; `DiscoveryError` when it names several."""
    found = find(text)
    if len(found) > 1:
        names = ", ".join(op.spec.name for op in found)
        raise DiscoveryError(f"{text} describes several operators: {names}", hint=f"Say which: {text}:NAME.")
    return found[0]


def installed_names() -> dict[str, str]:
    """Installed operators: name -> folder of the shipped ones, or entry point of a package's."""
    shipped = Path(str(files("opwright"))) / "ops"
    found = {path.parent.name: str(path.parent) for path in sorted(shipped.glob("*/op.py"))}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, entry.value)
    return found


def _is_file_and_name(text: str) -> bool:
    head, separator, name = text.rpartition(":")
    return bool(separator) and name.isidentifier() and (head.endswith(".py") or Path(head).is_dir())


def _installed(name: str) -> Described:
    known = installed_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        raise DiscoveryError(
            f"{name!r} is neither a file, nor a folder, nor an installed operator",
            hint=f"{guess}Installed are: {', '.join(known) or 'none'}.",
        )
    if Path(known[name]).is_dir():
        return find_one(known[name])
    entry = next(entry for entry in entry_points(group=ENTRY_POINTS) if entry.name == name)
    loaded = entry.load()
    if not isinstance(getattr(loaded, "spec", None), OperatorSpec):
        raise DiscoveryError(
            f"entry point {entry.value!r} is not an operator", hint=f"Reinstall the package that has {name!r}."
        )
    found: Described = loaded
    return found


def _in_file(path: Path) -> list[Described]:
    if not path.is_file():
        raise DiscoveryError(f"{path} does not exist", hint="Name a folder with an op.py, or a Python file.")
    module = _run(path.resolve())
    found: dict[str, Described] = {}
    for value in vars(module).values():
        if isinstance(getattr(value, "spec", None), OperatorSpec):
            if value.spec.location.file != path.resolve():
                continue  # imported from another file
            found.setdefault(value.spec.name, value)
            if found[value.spec.name] is not value:
                raise SpecError(
                    f"{value.spec.location}: a second operator named {value.spec.name!r} in this file",
                    hint=f"The first stands in {found[value.spec.name].spec.location}. Rename one.",
                )
    if not found:
        raise DiscoveryError(f"{path} describes no operator", hint="Assign an opwright.Operator to a name.")
    return list(found.values())


def _run(path: Path) -> object:
    """Execute the file as a module of its own; its folder is importable meanwhile."""
    name = "opwright_description_" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
    loader_spec = importlib.util.spec_from_file_location(name, path)
    assert loader_spec is not None and loader_spec.loader is not None
    module = importlib.util.module_from_spec(loader_spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    writes_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # a user's source tree is never written to
    try:
        loader_spec.loader.exec_module(module)
    except OpwrightError:
        raise
    except SyntaxError as error:
        raise SpecError(
            f"{error.filename}:{error.lineno}: {error.msg}: {(error.text or '').strip()}",
            hint="Python cannot read the description: mend this line.",
        ) from error
    except Exception as error:
        raise SpecError(
            f"{_line_at_fault(path, error)}: {type(error).__name__}: {error}",
            hint="The description raises when it is imported: mend this line.",
        ) from error
    finally:
        sys.dont_write_bytecode = writes_bytecode
        sys.path.remove(str(path.parent))
    return module


def _line_at_fault(path: Path, error: BaseException) -> str:
    """The last line of the user's file that took part."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
    return f"{path}:{frames[-1].lineno}" if frames else str(path)


def _no_such(path: Path, name: str, operators: list[Described]) -> list[Described]:
    known = [op.spec.name for op in operators]
    near = difflib.get_close_matches(name, known, n=1)
    guess = f"Did you mean {near[0]!r}? " if near else ""
    raise DiscoveryError(f"{path} has no operator {name!r}", hint=f"{guess}It has: {', '.join(known)}.")
