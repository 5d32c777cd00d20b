"""Ask the compiler who it is once, and remember the answer for as long as its file is the same."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from opwright.build.digests import signature_of
from opwright.build.store import Store
from opwright.files import digest_text, write_atomic
from opwright.toolchain.base import Toolchain, Tools

ASKED_WITH = (
    "PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "LD_LIBRARY_PATH",
    "CCC_OVERRIDE_OPTIONS",
)
_LAUNCHERS = ("ccache", "sccache", "distcc", "icecc", "buildcache")


def known_tools(toolchain: Toolchain, store: Store, environment: Mapping[str, str]) -> Tools:
    """The toolchain's programs; raises `ToolchainError` where there is none."""
    driver = toolchain.find_driver(environment)
    memo = store.internal(".memo", f"tools-{toolchain.kind}.json")
    question = question_of(driver, environment)
    known: dict[str, object] = {}
    # A memo that is not what was written: find out again.
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        known = json.loads(memo.read_bytes())
        if known.get("question") == question:
            return _from_json(driver, known)
    tools = toolchain.find_tools(driver, environment)
    if question:
        answer = {
            "question": question,
            "version": tools.version,
            "programs": [[role, str(path)] for role, path in tools.programs],
        }
        with suppress(OSError):
            write_atomic(memo, json.dumps(answer))
    return tools


def question_of(driver: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """What decides the answer; empty where that cannot be told from the file of the driver alone."""
    resolved = Path(driver[0]).resolve()
    try:
        with resolved.open("rb") as file:
            script = file.read(2) == b"#!"
        signature = signature_of(os.stat(resolved))
    except OSError:
        return ""
    if script or len(driver) > 1 or resolved.name in _LAUNCHERS:
        return ""  # it hands over to another program, which may change while it does not
    asked = {name: environment.get(name) for name in ASKED_WITH}
    return digest_text(json.dumps([driver, str(resolved), signature, asked]))


def _from_json(driver: tuple[str, ...], known: dict[str, object]) -> Tools:
    programs = known["programs"]
    if not isinstance(programs, list) or not all(os.path.exists(path) for _, path in programs):
        raise ValueError("a program has gone since")
    return Tools(
        driver, tuple((role, Path(path)) for role, path in programs), str(known["version"])
    )
