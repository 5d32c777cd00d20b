from __future__ import annotations

import ast

from opwright.report.advice import ADVICE, advice
from source_tree import read_modules

# Kinds whose own message ends in what to do.
SAID_BY_THE_MESSAGE = {
    "call changes global state",
    "changed before it refused",
    "compiled anew for each size",
    "fake differs",
    "gradient depends on another call",
    "gradient of a changed result",
    "gradient of changed arguments",
    "gradient overwritten by a later call",
    "floating-point control changed",
    "hidden synchronisation",
    "import changes global state",
    "input changed",
    "mixed devices not refused",
    "output overwritten by a later call",
    "output shares memory",
    "overlapping output accepted",
    "refusal says nothing",
    "refuses empty input",
    "row depends on its batch",
    "unclear refusal",
    "use after free",
    "written argument returned as a copy",
    "written by each sample",
    "wrong beside other threads",
    "wrong past 2^31 elements",
}


def kinds_in_the_source() -> set[str]:
    """Kinds that checks and the session write as plain text: `Finding("kind", ...)` and their tables."""
    found = {"out of bounds read"}  # the one that is put together: f"out of bounds {does}"
    for module in read_modules():
        if module.group not in ("checks", "session"):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding" and node.args:
                found |= {text.value for text in [node.args[0]] if isinstance(text, ast.Constant)}
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("_KINDS", "_ENDS"):
                found |= set(ast.literal_eval(node.value).values())
    return found


def test_every_kind_of_finding_comes_with_what_to_do() -> None:
    kinds = kinds_in_the_source()
    assert {"crash", "inaccurate", "output not written"} <= kinds, "the source is read wrongly"
    assert sorted(kinds - set(ADVICE)) == sorted(SAID_BY_THE_MESSAGE)


def test_no_advice_is_for_a_kind_that_nobody_gives() -> None:
    assert sorted(set(ADVICE) - kinds_in_the_source()) == []


def test_an_unknown_kind_gets_no_advice_rather_than_a_wrong_one() -> None:
    assert advice("something new") == ""
