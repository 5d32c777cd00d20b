"""Run the Python file that describes operators, and say which line of it is at fault."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import machinery
from pathlib import Path
from types import ModuleType

from opwright.errors import OpwrightError, SpecError
from opwright.log import waiting
from opwright.spec.naming import did_you_mean
from opwright.undisturbed import undisturbed

# Newer Pythons guess themselves, and go on after the name.
_UNKNOWN_KEYWORD = (
    r"(?P<taker>\w+)(?:\.__init__\(\) got an unexpected keyword|\(\) has no)"
    r" argument '(?P<keyword>\w+)'$"
)
_one_at_a_time = threading.RLock()


def run_description(path: Path) -> ModuleType:
    """Execute the file as a module of its own; what lies beside it can be imported meanwhile.

    Nothing is written beside it, and what it prints goes to standard error.
    Raises `SpecError` with the line at fault for whatever it raises.
    """
    name = "opwright_description_" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
    found = importlib.util.spec_from_file_location(name, path, loader=_Unwritten(name, str(path)))
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    with (
        _one_at_a_time,
        waiting(f"running {path}", culprit=str(path)),
        _siblings(path.parent),
        undisturbed(str(path)),
        _faults_of(path),
        forks_end_here(),
    ):
        sys.modules[name] = module
        found.loader.exec_module(module)
    return module


@contextmanager
def forks_end_here() -> Iterator[None]:
    """Let a process that the block forks leave at the block's end: what comes after it is done once."""
    own = os.getpid()
    code = 0
    try:
        yield
    except BaseException as error:
        if os.getpid() == own:
            raise
        code = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        if os.getpid() != own:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(code & 0xFF)


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
        place = _line_at_fault(path, error)
        if isinstance(error, ValueError) and place == str(
            path
        ):  # of the compiler's, for a null byte
            raise SpecError(
                f"{path}: {error}", hint="Python cannot read the description: mend it."
            ) from error
        raise SpecError(
            f"{place}: {type(error).__name__}: {error}",
            hint=f"{_nearest_keyword(error)}The description raises when it is imported: mend this line.",
        ) from error


@contextmanager
def _siblings(folder: Path) -> Iterator[None]:
    """Modules beside the file can be imported, and hide those of other folders that are called alike."""
    names = _importable_in(folder) - sys.stdlib_module_names
    hidden = {name: sys.modules.pop(name) for name in _loaded_as(names)}
    finder = _finder_below(str(folder))
    _forget_listings(folder)
    sys.path.insert(0, str(folder))
    sys.path_hooks.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.path_hooks:
            sys.path_hooks.remove(finder)
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        for name in _loaded_as(names):
            del sys.modules[name]
        sys.modules.update(hidden)
        _forget_listings(folder)


def _forget_listings(folder: Path) -> None:
    """What Python knows of the folder: it may be there no more, or was found otherwise."""
    here = str(folder)
    for path in [path for path in sys.path_importer_cache if path.startswith(here)]:
        del sys.path_importer_cache[path]


def _importable_in(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {
            entry.name.removesuffix(".py")
            for entry in entries
            if entry.name.endswith(".py") or os.path.isfile(f"{entry.path}/__init__.py")
        }


def _loaded_as(names: set[str]) -> list[str]:
    """Modules with one of the names, and what lies below them. A process with torch has thousands."""
    tops = names & sys.modules.keys()
    below = tuple(f"{name}." for name in tops)
    return [name for name in sys.modules if name in tops or name.startswith(below)] if tops else []


class _Unwritten(machinery.SourceFileLoader):
    """Runs source and keeps no bytecode of it: after an edit in the same second Python would take that."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        """Write nothing."""


def _finder_below(folder: str) -> Callable[[str], machinery.FileFinder]:
    """A hook for ``sys.path_hooks`` that finds what lies in the folder as Python does, but for bytecode."""

    def find(path: str) -> machinery.FileFinder:
        if path != folder and not path.startswith(folder + os.sep):
            raise ImportError(path)
        return machinery.FileFinder(
            path,
            (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
            (_Unwritten, machinery.SOURCE_SUFFIXES),
            (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
        )

    return find


def _nearest_keyword(error: BaseException) -> str:
    """``Did you mean 'sources'? `` for a keyword that a public name does not take; empty otherwise."""
    match = re.match(_UNKNOWN_KEYWORD, str(error)) if isinstance(error, TypeError) else None
    taker = getattr(sys.modules.get("opwright"), match["taker"], None) if match else None
    if match is None or taker is None:
        return ""
    known = inspect.signature(taker).parameters
    return did_you_mean(match["keyword"], known if "kwargs" not in known else taker.__annotations__)


def _line_at_fault(path: Path, error: BaseException) -> str:
    """The last line of the user's files that took part."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if path.parent in Path(frame.filename).parents
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(path)
