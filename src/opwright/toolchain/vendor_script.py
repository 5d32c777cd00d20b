"""Source a vendor's environment script (DTK's ``env.sh``, CANN's ``set_env.sh``) and say what it changes.

Such scripts read variables that are not set, end with a test that is false, print, and sometimes call
``exit``. So they run in a bash of their own without strict flags, and only what they exported counts.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opwright.errors import OpwrightError
from opwright.process import ending, run_command

TIMEOUT_SECONDS = 60.0

# Would make the child bash strict, or run other scripts in it.
_UNSAFE = ("SHELLOPTS", "BASHOPTS", "BASH_ENV", "ENV", "POSIXLY_CORRECT")
# Differ from shell to shell and say nothing of the toolkit.
_NOISE = {"_", "SHLVL", "PWD", "OLDPWD", *_UNSAFE}

# The exit trap writes the variables also when the script calls `exit`. Only builtins are used: the
# script may have changed PATH. The debug trap remembers the last line that the script itself ran.
_SHELL = r"""
set +eu -T
__report() {
  local code=$? name
  trap - DEBUG
  exec 3>"$__out"
  printf '%s\0' "$code" "$__file" "$__line" "$__command" >&3
  for name in $(compgen -e); do printf '%s=%s\0' "$name" "${!name}" >&3; done
}
__note() {
  [[ $1 == environment ]] && return            # these lines here
  [[ $2 == 1 && $3 == "$__command" ]] && return  # the exit trap, which counts from 1 again
  __file=$1 __line=$2 __command=$3
}
__out=$2
trap __report EXIT
# On one line, or $LINENO counts wrongly. "environment" is bash's own name for code without a file.
trap '__note "${BASH_SOURCE[0]:-environment}" $LINENO "$BASH_COMMAND"' DEBUG
source "$1" >/dev/null
"""


@dataclass(frozen=True)
class ScriptEffect:
    """What sourcing ``script`` does to an environment.

    ``changed`` holds the variables with their new values, ``removed`` those that it unsets.
    ``warning`` is empty when the script ended with 0; otherwise it says how it ended and where.
    """

    script: Path
    changed: dict[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    warning: str = ""

    def applied_to(self, environment: Mapping[str, str]) -> dict[str, str]:
        """``environment`` as it is after the script."""
        kept = {name: value for name, value in environment.items() if name not in self.removed}
        return {**kept, **self.changed}


def source_script(script: Path, environment: Mapping[str, str]) -> ScriptEffect:
    """Source ``script`` in a child bash and return what it changed; never raises for what it does.

    Lists of folders keep each folder once, so that sourcing a second time changes nothing.
    """
    before = {name: value for name, value in environment.items() if name not in _UNSAFE}
    with tempfile.TemporaryDirectory(prefix="opwright-script-") as folder:
        out = Path(folder, "environment")
        bash = [_bash(), "--noprofile", "--norc", "-c", _SHELL]
        command = [*bash, "opwright", str(script), str(out)]
        try:
            done = run_command(command, env=before, timeout_seconds=TIMEOUT_SECONDS)
        except OpwrightError as error:
            return ScriptEffect(script, warning=error.what)
        data = out.read_bytes() if out.exists() else b""
    if not data:
        return ScriptEffect(
            script, warning=f"{script} left no environment: {ending(done.returncode)}"
        )
    code, file, line, last, *pairs = os.fsdecode(data).removesuffix("\0").split("\0")
    after = dict(pair.split("=", 1) for pair in pairs)
    where = (
        f"{file}:{line}: `{last}` ended the script"
        if file
        else f"{script} could not be read: ended"
    )
    said = done.stderr.strip().splitlines()
    warning = f"{where} with {code}{f' ({said[-1]})' if said else ''}" if code != "0" else ""
    return _difference(script, before, after, warning)


def _bash() -> str:
    """The bash of this process's PATH: the given environment's PATH may lack one."""
    return shutil.which("bash") or "/bin/bash"


def _difference(
    script: Path, before: Mapping[str, str], after: Mapping[str, str], warning: str
) -> ScriptEffect:
    changed = {}
    for name, value in after.items():
        if name in _NOISE or value == before.get(name):
            continue
        tidy = _tidied(value, before.get(name, "")) if ":" in value else value
        if tidy != before.get(name):
            changed[name] = tidy
    removed = tuple(sorted(set(before) - set(after) - _NOISE))
    return ScriptEffect(script, changed, removed, warning)


def _tidied(value: str, before: str) -> str:
    """A list of folders with each one once; an empty entry, which means ``.``, only if it was there."""
    parts = value.split(":")
    if not any(part.startswith("/") for part in parts) or "://" in value:
        return value
    had_empty = bool(before) and "" in before.split(":")
    return ":".join(dict.fromkeys(part for part in parts if part or had_empty))
