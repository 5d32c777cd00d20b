"""Trials of plain functions in this process, with graphs that are made by hand or by Dynamo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import torch

from graph_operators import setting_for
from opwright import Dim, Operator, Tensor
from opwright.graph.arrangement import CompanionAlone, arrangement_named
from opwright.graph.compiling import MODE as COMPILE
from opwright.graph.protocol import Evidence, Failed, Mode
from opwright.graph.trial import _alias, run_trial
from opwright.records.graph import Answer
from opwright.records.verdict import Finding

n = Dim("n", typical=(8,), edge=(3,))
YES = Answer("pass", "made by hand")
Change = Callable[[Sequence[torch.Tensor], torch.nn.Module], list[torch.Tensor]]


def doubled(input: torch.Tensor) -> torch.Tensor:
    return torch.mul(input, 2)


def mode_that(run: Change, *, static: bool = False, evidence: Evidence | None = None) -> Mode:
    """A mode whose graphs do as ``run`` says."""

    class Made:
        def __init__(self, module: torch.nn.Module) -> None:
            self.taken: Sequence[torch.Tensor] = ()
            self.static, self._module = static, module

        def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            self.taken = tensors
            return run(tensors, self._module)

        def evidence(self) -> Evidence:
            return evidence or Evidence(YES, YES, Answer("not checked", "by hand"))

    @contextmanager
    def opened(setting: Any, module: torch.nn.Module, tensors: Any) -> Iterator[Made]:
        yield Made(module)

    def blame(setting: Any, error: BaseException) -> Failed:
        return Failed(Finding("fails in the graph", str(error)))

    return replace(COMPILE, open=opened, blame=blame)


def as_it_is(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
    return list(module(*tensors))


def kinds(mode: Mode, **more: Any) -> list[str]:
    return [finding.kind for finding in run_trial(mode, setting_for(doubled, **more)).findings]


def test_a_graph_that_does_the_same_passes_with_its_evidence() -> None:
    trial = run_trial(mode_that(as_it_is), setting_for(doubled))
    assert (trial.verdict, trial.replays, trial.findings) == ("pass", 3, ())
    assert trial.equal.reason == "3 runs with changed data, compared bit for bit"
    found = Finding("empty graph", "no nodes")
    empty = Evidence(YES, Answer("fail", "no nodes"), YES, (found,), {"nodes": 0})
    trial = run_trial(mode_that(as_it_is, evidence=empty), setting_for(doubled))
    assert (trial.verdict, trial.findings, trial.facts) == ("fail", (found,), {"nodes": 0})


def test_a_replay_that_does_nothing_shows_the_rubbish_in_its_results() -> None:
    results: list[torch.Tensor] = []

    def once(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        if not results:
            results.extend(module(*tensors))
        return results

    trial = run_trial(mode_that(once, static=True), setting_for(doubled))
    (finding,) = trial.findings
    assert finding.kind == "differs in the graph"
    assert "In run 2" in finding.message
    assert (trial.replays, trial.equal.verdict) == (2, "fail")


def test_memory_that_is_used_again_shows_in_what_was_given_before() -> None:
    buffer = torch.empty(8, 8)

    def into(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        return [buffer.copy_(module(*tensors)[0])]

    assert kinds(mode_that(into)) == ["earlier result changed"]


def test_an_argument_given_back_or_changed_is_named() -> None:
    def back(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        return [tensors[0].copy_(module(*tensors)[0])]

    def changed(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        result = module(*tensors)[0]
        tensors[0].zero_()
        return [result]

    assert kinds(mode_that(back)) == ["result is an argument"]
    assert kinds(mode_that(changed)) == ["argument changed"]


def test_one_tensor_for_two_results_is_named_and_empty_ones_are_not() -> None:
    spec = Operator(
        "given_twice(Tensor input) -> (Tensor first, Tensor second)",
        inputs={"input": Tensor(n, n)},
        outputs={"first": Tensor(n, n), "second": Tensor(n, n)},
        dtypes=("float32",),
        reference=lambda input: (input, input),
        function=lambda input: (input, input.clone()),
    ).spec
    setting, one = setting_for(doubled, spec=spec), torch.ones(2)
    finding = _alias(setting, {}, [one, one[1:]])
    assert finding is not None
    assert (finding.kind, finding.details) == (
        "results share memory",
        {"output": "second", "other": "first"},
    )
    assert _alias(setting, {}, [one, one.clone()]) is None
    assert _alias(setting, {}, [torch.empty(0), torch.empty(0)]) is None


def test_what_a_run_raises_is_put_into_the_modes_words() -> None:
    def raises(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        raise RuntimeError("no such graph")

    trial = run_trial(mode_that(raises), setting_for(doubled))
    assert [f.message for f in trial.findings] == ["no such graph"]
    assert (trial.captured.verdict, trial.equal.verdict) == ("fail", "not checked")


def test_one_that_fails_without_a_graph_is_called_that() -> None:
    def refuses(input: torch.Tensor) -> torch.Tensor:
        raise ValueError("never")

    (finding,) = run_trial(mode_that(lambda tensors, module: []), setting_for(refuses)).findings
    assert (finding.kind, "ValueError: never" in finding.message) == ("fails as it is", True)


def test_a_companion_that_is_another_one_in_the_mode_is_not_put_down_to_the_operator() -> None:
    def rounded(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        results = list(module(*tensors))
        return [*results[:-1], results[-1] * (1 + 2**-20)]

    setting = setting_for(doubled, arrangement=arrangement_named("with quantisation"))
    trial = run_trial(mode_that(rounded), setting)
    assert (trial.verdict, trial.findings) == ("not checked", ())
    assert "quantisation alone is not the same in this mode" in trial.equal.reason

    def only_joined(tensors: Sequence[torch.Tensor], module: torch.nn.Module) -> list[torch.Tensor]:
        return (
            as_it_is(tensors, module)
            if isinstance(module, CompanionAlone)
            else rounded(tensors, module)
        )

    trial = run_trial(mode_that(only_joined), setting)
    assert [finding.kind for finding in trial.findings] == ["differs in the graph"]
    assert "of quantisation behind it differs" in trial.findings[0].message


@pytest.mark.slow
def test_what_beside_its_arguments_decides_is_compiled_anew() -> None:
    import graph_operators

    graph_operators.CALLS = 0

    def counting(input: torch.Tensor) -> torch.Tensor:
        graph_operators.CALLS += 1
        return torch.mul(input, 2 if graph_operators.CALLS >= 0 else graph_operators.CALLS)

    trial = run_trial(COMPILE, setting_for(counting, name="torch::mul"))
    assert [finding.kind for finding in trial.findings] == ["compiled anew"], trial
    assert trial.facts["graphs"] > 1
