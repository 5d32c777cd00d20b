"""One trial: make a graph of a module, run it again and again with other data, hold it against eager."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch

from opwright.devices.placement import storage_bytes
from opwright.graph.arrangement import Arranged, why_not_joined
from opwright.graph.blame import blamed
from opwright.graph.differences import differing, same
from opwright.graph.plain import as_it_is, finish, on_host, result_names, there, written_of
from opwright.graph.protocol import NOT_ASKED, Failed, Graphed, Mode, Setting
from opwright.inputs.call import make_call
from opwright.records.graph import Answer, GraphTrial
from opwright.records.verdict import Finding
from opwright.running import operator_runs
from opwright.spec.case import Case

_POISON = 0xA5


def run_trial(mode: Mode, setting: Setting) -> GraphTrial:
    """Everything that one trial shows. Raises `ReferenceFailed`, and `DeviceFault` for a device that is lost."""
    first = setting.cases[0]
    trial = GraphTrial(
        setting.arrangement.name,
        setting.how,
        first.name,
        *(NOT_ASKED, NOT_ASKED, NOT_ASKED, NOT_ASKED),
    )
    call = make_call(setting.spec, first)
    if why := why_not_joined(setting.spec, call, setting.arrangement):
        return with_reason(trial, why)
    try:
        with torch.no_grad():
            return _tried(mode, setting, trial)
    except Failed as failure:
        if failure.not_checked:
            return with_reason(trial, failure.not_checked)
        return with_fault(trial, failure.findings)


def with_reason(trial: GraphTrial, why: str) -> GraphTrial:
    """The trial, none of whose questions has an answer, because of ``why``."""
    answer = Answer("not checked", why)
    return replace(trial, equal=answer, in_graph=answer, captured=answer, fused=answer)


def with_fault(trial: GraphTrial, findings: tuple[Finding, ...]) -> GraphTrial:
    """The trial that came to no result."""
    failed = Answer("not checked", f"there is no graph to ask: {findings[0].kind}")
    return replace(
        trial,
        equal=failed,
        in_graph=failed,
        captured=Answer("fail", findings[0].kind),
        fused=failed,
        findings=findings,
    )


def _tried(mode: Mode, setting: Setting, trial: GraphTrial) -> GraphTrial:
    setting.stage("making the graph")
    call = there(setting, setting.cases[0])
    operator_runs()
    module = Arranged(call, setting.function, setting.arrangement)
    with mode.open(setting, module, list(call.tensors.values())) as graphed:
        runs = _Runs(mode, setting, graphed)
        findings: tuple[Finding, ...] = ()
        count = 0
        for number, case in enumerate(setting.cases, 1):
            setting.stage(f"run {number} of {len(setting.cases)}")
            findings = runs.compared(case)
            count = number
            if findings:
                break
        evidence = graphed.evidence()
    kinds = ", ".join(finding.kind for finding in findings)
    told = f"{count} runs with changed data, compared {setting.allowed}"
    return replace(
        trial,
        equal=Answer("fail", kinds) if findings else Answer("pass", told),
        in_graph=evidence.in_graph,
        captured=evidence.captured,
        fused=evidence.fused,
        findings=(*findings, *evidence.findings),
        replays=count,
        facts=evidence.facts,
    )


class _Runs:
    """Runs of the graph beside runs of the same module without one."""

    def __init__(self, mode: Mode, setting: Setting, graphed: Graphed) -> None:
        self._mode, self._setting, self._graphed = mode, setting, graphed
        self._earlier: list[tuple[torch.Tensor, torch.Tensor]] = []  # results, and what they held
        self._number = 0

    def compared(self, case: Case) -> tuple[Finding, ...]:
        """What is wrong with one run."""
        self._number += 1
        setting = self._setting
        eager, wrong = as_it_is(setting, case)
        if wrong:
            return wrong
        call = there(setting, case)
        if self._graphed.static:
            self._poison()
        fresh = self._fresh(list(call.tensors.values()))
        taken = self._graphed.taken
        found = on_host([*fresh, *written_of(call, taken)], setting)
        difference = differing(result_names(setting, len(fresh)), eager, found, setting.allowed)
        if difference is not None:
            return (blamed(self._mode, setting, case, self._told(difference)),)
        arguments = dict(zip(call.tensors, taken, strict=True))
        wrong_memory = _alias(setting, arguments, fresh) or _changed(setting, case, arguments)
        return (wrong_memory,) if wrong_memory else self._kept(fresh)

    def _fresh(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        try:
            fresh = self._graphed(tensors)
            finish(self._setting)
        except Failed:
            raise
        except Exception as error:
            raise self._mode.blame(self._setting, error) from error
        return fresh

    def _poison(self) -> None:
        for tensor, _ in self._earlier:
            storage_bytes(tensor).fill_(_POISON + self._number % 7)
        self._earlier.clear()

    def _told(self, finding: Finding) -> Finding:
        before = "" if self._number == 1 else f" Runs before it: {self._number - 1}, without fault."
        return replace(finding, message=f"In run {self._number}, {finding.message}.{before}")

    def _kept(self, fresh: Sequence[torch.Tensor]) -> tuple[Finding, ...]:
        """Whether a run without memory of its own has changed what an earlier one has given."""
        setting = self._setting
        changed = [] if self._graphed.static else self._changed()
        if not self._graphed.static:
            self._poison()
        self._earlier = [
            (tensor, copy) for tensor, copy in zip(fresh, on_host(fresh, setting), strict=True)
        ]
        if not changed:
            return ()
        message = (
            f"run {self._number} has changed a result of run {self._number - 1}, which its caller still "
            "holds: the operator gives out memory that it uses again"
        )
        return (Finding("earlier result changed", message, {"run": self._number}),)

    def _changed(self) -> list[torch.Tensor]:
        return [
            tensor
            for tensor, copy in self._earlier
            if not same(on_host([tensor], self._setting)[0], copy)
        ]


def _changed(setting: Setting, case: Case, taken: Mapping[str, torch.Tensor]) -> Finding | None:
    """The finding on an argument that was changed and is not marked as written."""
    given = make_call(setting.spec, case)
    for name in (name for name in given.tensors if name not in given.written):
        if not same(given.tensors[name], on_host([taken[name]], setting)[0]):
            return Finding(
                "argument changed",
                f"a run has changed its argument `{name}`, which the schema does not mark as written: in a graph "
                "the next one reads it again",
                {"argument": name},
            )
    return None


def _alias(
    setting: Setting, taken: Mapping[str, torch.Tensor], fresh: Sequence[torch.Tensor]
) -> Finding | None:
    """The finding on a fresh result that is an argument's memory, or that of another fresh result."""
    held = {tensor.untyped_storage().data_ptr(): name for name, tensor in taken.items()}
    earlier: dict[int, str] = {}
    for item, tensor in zip(setting.spec.schema.fresh_returns, fresh, strict=False):
        if not tensor.numel():
            continue
        place = tensor.untyped_storage().data_ptr()
        if (other := earlier.setdefault(place, item.name)) != item.name:
            return _shared(item.name, other)
        if (owner := held.get(place)) is not None:
            return Finding(
                "result is an argument",
                f"`{item.name}` lies in the memory of `{owner}`, and the schema promises memory of its own: "
                "a compiler may write to either",
                {"output": item.name, "argument": owner},
            )
    return None


def _shared(name: str, other: str) -> Finding:
    return Finding(
        "results share memory",
        f"`{name}` lies in the memory of `{other}`, and the schema promises each result memory of its own: "
        "a compiler may write to either",
        {"output": name, "other": other},
    )
