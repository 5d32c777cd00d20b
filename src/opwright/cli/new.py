"""``opwright new``: a folder with an operator that works, to be replaced piece by piece."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from importlib.resources import files
from pathlib import Path

import click

from opwright.errors import SpecError, UsageError
from opwright.spec.naming import check_operator_name

TEMPLATE = "my_op"  # the name of the template's folder, and of the operator in it


@click.command("new")
@click.argument("name")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="Where to make the operator's folder. Default: here.",
)
def command(*, name: str, folder: Path) -> None:
    """Start an operator: a folder that passes every check at once."""
    require_name(name)
    made = write_operator(name, folder)
    click.echo(f"Wrote {made}/")
    click.echo("  op.py".ljust(24) + "the schema, the sizes, the dtypes, and the answer in PyTorch")
    click.echo(f"  {name}.cpp".ljust(24) + "the CPU kernel")
    click.echo(f"  {name}.cu".ljust(24) + "the device kernel")
    click.echo(f"\nIt works as it is:     opwright check {made}")
    click.echo(
        "Make it yours:         change the schema, inputs and reference in op.py, then the body of\n"
        f"                       {name}.cpp; `opwright check {made}` says what does not fit yet."
    )
    if name != name.lower():
        click.echo(f"Operators in PyTorch are in lower case: {name.lower()} would be more usual.")


def require_name(name: str) -> None:
    """Raise `UsageError` for a name that a schema, Python or C++ could not use."""
    try:
        check_operator_name(name)
    except SpecError as error:
        near = re.sub(r"\W+|_+", "_", name, flags=re.ASCII).strip("_").lower()
        guess = f" {near!r} would do." if near != name and re.match(r"[a-z]", near) else ""
        raise UsageError(error.what, hint=error.hint + guess) from error


def write_operator(name: str, folder: Path) -> Path:
    """Write the operator's folder, whole or not at all; returns where. Raises `UsageError`."""
    final = folder / name
    if os.path.lexists(final):
        raise UsageError(
            f"{final} exists already", hint="Choose another name, another --dir, or remove it."
        )
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="Make it first, or name another --dir.")
    staged = folder / f".{name}.{secrets.token_hex(4)}"
    try:
        staged.mkdir()
        for file_name, text in template_files(name).items():
            (staged / file_name).write_text(text, encoding="utf-8")
        staged.rename(final)
    except OSError as error:
        raise UsageError(
            f"{final} cannot be made: {error.strerror}", hint="Name a folder that you can write."
        ) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)  # after the rename there is nothing of that name
    return final


def template_files(name: str) -> dict[str, str]:
    """File name -> text, with the template's name replaced by ``name``."""
    template = files("opwright").joinpath("templates").joinpath(TEMPLATE)
    found = {}
    for source in template.iterdir():
        if source.name.endswith((".py", ".cpp", ".cu")):
            text = source.read_text(encoding="utf-8")
            found[source.name.replace(TEMPLATE, name)] = text.replace(TEMPLATE, name)
    return found
