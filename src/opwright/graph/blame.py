"""Whose fault a difference is: the graph's, a companion's, or that of an operator that never answers twice alike."""

from __future__ import annotations

from dataclasses import replace

from opwright.graph.arrangement import CompanionAlone
from opwright.graph.companions import companion_named, takes
from opwright.graph.differences import differing
from opwright.graph.plain import as_it_is, in_words, on_host, there
from opwright.graph.protocol import Failed, Mode, Setting
from opwright.records.verdict import Finding
from opwright.spec.case import Case


def blamed(mode: Mode, setting: Setting, case: Case, finding: Finding) -> Finding:
    """The finding, or the one that explains it. Raises `Failed` where the operator is not at fault."""
    setting.stage("looking for the cause of a difference")
    if told := _changes_by_itself(setting, case):
        return Finding("not the same twice", f"{finding.message} {told}", finding.details)
    if setting.arrangement.companion and (why := _companion_differs(mode, setting, case)):
        raise Failed(not_checked=why)
    return finding


def _changes_by_itself(setting: Setting, case: Case) -> str:
    """What is said of an operator whose second answer to the same call is not its first."""
    first, _ = as_it_is(setting, case)
    second, _ = as_it_is(setting, case)
    names = [f"result {place}" for place in range(len(first))]
    if differing(names, first, second, setting.allowed) is None:
        return ""
    return (
        "But without a graph, too, two calls with the same arguments differ: it draws random numbers, "
        "counts its calls, or keeps something of the last one."
    )


def _companion_differs(mode: Mode, setting: Setting, case: Case) -> str:
    """Why nothing follows from results of a companion that is another one in this mode; empty where it is not."""
    companion = companion_named(setting.arrangement.companion)
    tensors = [t for t in there(setting, case).tensors.values() if takes(t)][:1]
    for side in ("before", "after"):
        module = CompanionAlone(companion, side)
        try:
            eager = on_host(module(*tensors), setting)
            with mode.open(replace(setting, name=""), module, tensors) as graphed:
                found = on_host(graphed(tensors), setting)
        except Exception as error:
            return f"{companion.name} alone fails in this mode: {in_words(error)}"
        if differing([companion.name] * len(eager), eager, found, setting.allowed) is not None:
            return f"{companion.name} alone is not the same in this mode: give a --tolerance"
    return ""
