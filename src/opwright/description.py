"""Run the Python file that describes operators, and say which line of it is at fault."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from opwright.errors import OpwrightError, SpecError

_one_at_a_time = threading.RLock()


def run_description(path: Path) -> ModuleType:
    """Execute the file as a module of its own; what lies beside it can be imported meanwhile.

    Nothing is written beside it. Raises `SpecError` with the line at fault for whatever it raises.
    """
    name = "opwright_description_" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    with _one_at_a_time, _siblings(path.parent), _no_bytecode(), _faults_of(path):
        sys.modules[name] = module
        found.loader.exec_module(module)
    return module


@contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    try:
        yield
    except SpecError as error:
        if error.what.startswith(str(path.parent)):
            raise
        raise SpecError(f"{_line_at_fault(path, error)}: {error.what}", hint=error.hint) from error
    except OpwrightError:
        raise
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}" if error.filename else str(path)
        text = f": {error.text.strip()}" if error.text else ""  # neither, for a null byte
        raise SpecError(
            f"{place}: {error.msg}{text}",
            hint="Python cannot read the description: mend this line.",
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, and what a test library makes of `skip`
        raise SpecError(
            f"{_line_at_fault(path, error)}: {type(error).__name__}: {error}",
            hint="The description raises when it is imported: mend this line.",
        ) from error


@contextmanager
def _siblings(folder: Path) -> Iterator[None]:
    """Modules beside the file can be imported, and hide those of other folders that are called alike."""
    names = {path.stem for path in folder.glob("*.py")}
    names |= {path.parent.name for path in folder.glob("*/__init__.py")}
    names -= sys.stdlib_module_names
    hidden = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] in names
    }
    for name in hidden:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] in names]:
            del sys.modules[name]
        sys.modules.update(hidden)
        importlib.invalidate_caches()


@contextmanager
def _no_bytecode() -> Iterator[None]:
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _line_at_fault(path: Path, error: BaseException) -> str:
    """The last line of the user's files that took part."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if path.parent in Path(frame.filename).parents
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(path)
