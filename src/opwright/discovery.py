"""Find operators: in a folder, in a file, by ``file.py:name``, or among the installed ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opwright.errors import DiscoveryError, SpecError
from opwright.files import why_no_file
from opwright.log import waiting
from opwright.op_file import forks_end_here, run_description
from opwright.spec.naming import did_you_mean
from opwright.spec.operator import OWN, OperatorSpec
from opwright.undisturbed import undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoints

    from opwright.spec.described import Described

ENTRY_POINTS = "opwright.ops"
_SHIPPED = Path(__file__).parent / "ops"


def find(text: str) -> list[Described]:
    """Every operator that ``text`` names; `DiscoveryError` when there is none."""
    path, name = locate(text)
    before = text.removesuffix(f":{name}")
    operators = [_installed(before)] if path is None else _in_file(path)
    if name:
        known = {one.spec.name: one for op in operators for one in (op, *backwards_of(op))}
        return [known[name]] if name in known else _no_such(path or before, name, known)
    return operators


def backwards_of(described: Described) -> list[Described]:
    """The operators that compute its gradients, other than the reference; in their file each has its name."""
    found: tuple[Described, ...] = getattr(described, "backwards", ())
    return [backward for backward in found if backward.spec.backward != OWN]


def locate(text: str) -> tuple[Path | None, str]:
    """The file that ``text`` names, None for an installed operator, and the name in it; runs nothing.

    `DiscoveryError` where there is neither.
    """
    path_text, _, name = text.rpartition(":") if _is_file_and_name(text) else (text, "", "")
    path = Path(path_text)
    if name and _is_shipped(path_text):
        path = _SHIPPED / path_text
    if path.is_dir():
        path = path / "op.py"
        if not path.is_file():
            if text in installed_names():
                return None, ""
            raise DiscoveryError(f"{text}: the folder has no op.py", hint=_other_file(path.parent))
    elif path.suffix != ".py":
        if path.exists():
            raise DiscoveryError(
                f"{text} is not a Python file", hint="Name the file that describes the operator."
            )
        installed, separator, name = text.rpartition(":")
        # Reading what is installed takes as long as finding and loading a library.
        if separator and name.isidentifier() and installed in installed_names():
            return None, name
        _require_installed(text)
        return None, ""
    if why := why_no_file(path):
        raise DiscoveryError(f"{path} {why}", hint="Name a folder with an op.py, or a Python file.")
    return path, name


def find_one(text: str) -> Described:
    """The one operator that ``text`` names; `DiscoveryError` when it names several."""
    found = find(text)
    if len(found) > 1:
        names = ", ".join(op.spec.name for op in found)
        raise DiscoveryError(
            f"{text} describes several operators: {names}", hint=f"Say which: {text}:NAME."
        )
    return found[0]


def shipped_folders() -> dict[str, Path]:
    """The operators that come with Opwright, by name."""
    return {path.parent.name: path.parent for path in sorted(_SHIPPED.glob("*/op.py"))}


def installed_names() -> dict[str, str]:
    """Installed operators: name -> folder of the shipped ones, or entry point of a package's."""
    found = {name: str(folder) for name, folder in shipped_folders().items()}
    for entry in _entry_points():
        found.setdefault(entry.name, entry.value)
    return found


def _entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # slow, and few need it

    return entry_points(group=ENTRY_POINTS)


def _is_file_and_name(text: str) -> bool:
    head, separator, name = text.rpartition(":")
    named = head.endswith(".py") or Path(head).is_dir() or _is_shipped(head)
    return bool(separator) and name.isidentifier() and named


def _is_shipped(name: str) -> bool:
    return name.isidentifier() and (_SHIPPED / name / "op.py").is_file()


def _require_installed(name: str) -> None:
    if not _is_shipped(name) and name not in installed_names():
        guess = did_you_mean(name, installed_names())
        raise DiscoveryError(
            f"{name!r} is neither a file, nor a folder, nor an installed operator",
            hint=f"{guess}Installed are: {', '.join(installed_names()) or 'none'}.",
        )


def _installed(name: str) -> Described:
    if _is_shipped(name):  # asks no installed package
        return find_one(str(_SHIPPED / name))
    entry = next(entry for entry in _entry_points() if entry.name == name)
    hint = f"Correct or reinstall the package that has {name!r}."
    try:
        with (
            waiting(f"importing {entry.value}", culprit=entry.value),
            undisturbed(name),
            forks_end_here(),
        ):
            loaded: Described = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        raise DiscoveryError(
            f"entry point {entry.value!r} does not load: {type(error).__name__}: {error}", hint=hint
        ) from error
    if not isinstance(getattr(loaded, "spec", None), OperatorSpec):
        raise DiscoveryError(f"entry point {entry.value!r} is not an operator", hint=hint)
    return loaded


def _in_file(path: Path) -> list[Described]:
    path = path.resolve()
    described = [
        value
        for value in vars(run_description(path)).values()
        if isinstance(getattr(value, "spec", None), OperatorSpec)
    ]
    own = [value for value in described if value.spec.location.file == path]
    # A function beside the file may have made them.
    near = own or [v for v in described if path.parent in v.spec.location.file.parents]
    if not near:
        raise DiscoveryError(f"{path} describes no operator", hint=_elsewhere(described))
    _require_distinct([value.spec for value in near])
    return list({value.spec.name: value for value in near}.values())


def _require_distinct(specs: Iterable[OperatorSpec]) -> None:
    """Refuse two operators of one name, those that compute gradients among them."""
    found: dict[str, OperatorSpec] = {}
    for spec in (one for each in specs for one in each.family):
        first = found.setdefault(spec.name, spec)
        if first is not spec:
            raise SpecError(
                f"{spec.location}: a second operator named {spec.name!r} in this file{_role(spec)}",
                hint=f"The first stands in {first.location}{_role(first)}. Rename one.",
            )


def _role(spec: OperatorSpec) -> str:
    return f", for gradients of {spec.forward.name!r}" if spec.forward is not None else ""


def _other_file(folder: Path) -> str:
    files = sorted(folder.glob("*.py"))
    named = (
        f"Name the file that describes the operator, such as {files[0]}, or run" if files else "Run"
    )
    return f"{named} 'opwright new NAME' to start one."


def _elsewhere(imported: list[Described]) -> str:
    if not imported:
        return "Assign an opwright.Operator to a name."
    spec = imported[0].spec
    return f"It imports {spec.name!r}, which {spec.location.file} describes: name that file."


def _no_such(where: object, name: str, known: Iterable[str]) -> list[Described]:
    guess = did_you_mean(name, known)
    raise DiscoveryError(
        f"{where} has no operator {name!r}", hint=f"{guess}It has: {', '.join(known)}."
    )
