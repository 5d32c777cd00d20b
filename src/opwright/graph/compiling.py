"""torch.compile: what a back end is given, how often it is asked, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, cast

import torch

from opwright.graph.graph_breaks import Break, breaks_counted, graphs_left_out
from opwright.graph.plain import fails_as_it_is, finish, in_words, there
from opwright.graph.protocol import Evidence, Failed, Mode, Setting
from opwright.records.graph import Answer
from opwright.records.verdict import Finding
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import MAX_ELEMENTS, allowed, largest
from opwright.spec.target import Target

STATIC, DYNAMIC = "static", "dynamic"
# Back ends whose code is for one kind of device alone.
_ONLY_FOR = {"cudagraphs": ("cuda",), "inductor": ("cpu", "cuda")}
_TIMES = (1, 2, 3)  # how much larger each size is when sizes change
# What that may come to, in elements of the largest tensor: so many times those of the call, and at most so many.
_LARGER, _MOST_ELEMENTS = 32, 1 << 26
_HOST_NOT_FUSED = "nothing shows on a host what a compiler has fused: a device's profile would"
_NOT_FUSED = "a kernel of its own stays one in a compiled graph; only a device's profile shows more"


class Compiled:
    """A module compiled by a back end that notes what it is given."""

    def __init__(self, setting: Setting, module: torch.nn.Module, seen: Seen) -> None:
        # Graphs of the device give out memory of a pool, which the next run takes again.
        self.static = setting.option == "cudagraphs"
        self.taken: Sequence[torch.Tensor] = ()
        self._setting, self._seen = setting, seen
        self._call: Callable[..., Any] = torch.compile(
            module, backend=seen.backend, dynamic=setting.how == DYNAMIC
        )
        self._shapes: set[tuple[torch.Size, ...]] = set()

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Run it, and compile it before that where it has to be."""
        self.taken = tensors
        self._shapes.add(tuple(tensor.shape for tensor in tensors))
        return list(self._call(*tensors))

    def evidence(self) -> Evidence:
        """What the back end was given, how often, and where tracing has stopped."""
        if not self._shapes:
            unasked = Answer("not checked", "it was not run in the graph: it is wrong without one")
            return Evidence(unasked, unasked, unasked)
        graphs, breaks = len(self._seen.graphs), self._seen.breaks()
        findings = [self._broken(each) for each in breaks]
        sizes = len(self._shapes)
        anew = graphs >= sizes > 1 if self._setting.how == DYNAMIC else graphs > sizes
        if anew and not breaks:
            findings.append(self._recompiled(graphs))
        facts = {
            "graphs": graphs,
            "sizes": len(self._shapes),
            "graph_breaks": [each.reason for each in breaks],
            "calls_in_graphs": self._seen.count(self._setting.name),
        }
        return Evidence(
            self._in_graph(),
            self._captured(graphs, breaks),
            Answer("not checked", self._why_not_fused()),
            tuple(findings),
            facts,
        )

    def _in_graph(self) -> Answer:
        setting, count = self._setting, self._seen.count(self._setting.name)
        if count:
            return Answer("pass", f"{count} calls of {setting.name} in what the back end was given")
        return Answer("fail", f"no call of {setting.name} in what the back end was given")

    def _captured(self, graphs: int, breaks: Sequence[Break]) -> Answer:
        if breaks:
            return Answer("fail", f"split by {len(breaks)} graph breaks")
        if not graphs:
            return Answer("fail", "nothing was compiled")
        if skipped := graphs_left_out():
            told = "an argument is written to, or something of it is not on the device"
            return Answer(
                "not checked", f"PyTorch made no graph of the device {skipped} times: {told}"
            )
        return Answer("pass", f"{graphs} graphs for {len(self._shapes)} sets of sizes, no break")

    def _why_not_fused(self) -> str:
        return _HOST_NOT_FUSED if self._setting.device is None else _NOT_FUSED

    def _broken(self, each: Break) -> Finding:
        return Finding(
            "graph break",
            f"tracing stops {each.times} times, and the graph is split: {each.reason}",
            {"reason": each.reason, "times": each.times},
        )

    def _recompiled(self, graphs: int) -> Finding:
        sizes = len(self._shapes)
        if self._setting.how == DYNAMIC:
            return Finding(
                "compiled anew for each size",
                f"{sizes} sets of sizes took {graphs} graphs with dynamic=True: on the way a size becomes a "
                "number (int(), a Python loop, numpy); keep it symbolic",
                {"graphs": graphs, "sizes": sizes},
            )
        return Finding(
            "compiled anew",
            f"{graphs} graphs for {sizes} sets of sizes: something beside its arguments decides on the way, and "
            "has changed between calls",
            {"graphs": graphs, "sizes": sizes},
        )


class Seen:
    """What a back end is given: every graph, in order."""

    def __init__(self, option: str, breaks: Callable[[], list[Break]]) -> None:
        from torch._dynamo import lookup_backend

        self.graphs: list[torch.fx.GraphModule] = []
        self.breaks = breaks
        self._inner = lookup_backend(option)

    def backend(self, graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Any:
        """Note the graph, and hand it on."""
        self.graphs.append(graph)
        return self._inner(graph, inputs)

    def count(self, name: str) -> int:
        """Calls of ``opwright::swish`` in all graphs."""
        wanted = name.replace("::", ".")
        return sum(
            str(node.target).startswith(f"{wanted}.") or str(node.target) == wanted
            for graph in self.graphs
            for node in graph.graph.nodes
            if node.op == "call_function"
        )


@contextmanager
def opened(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> Iterator[Compiled]:
    """The module compiled by the option's back end, with nothing of earlier compilations."""
    from torch._dynamo import reset

    if any(item.alias is not None for item in setting.spec.schema.returns):
        raise Failed(not_checked="PyTorch compiles no operator that returns its argument")
    _require_true_fakes(setting, module)
    with ExitStack() as stack:
        stack.enter_context(_as_outside_of_ci())
        reset()
        stack.callback(reset)
        breaks = stack.enter_context(breaks_counted())
        yield Compiled(setting, module, Seen(setting.option, breaks))


def _as_outside_of_ci() -> AbstractContextManager[Any]:
    """Where CI is set, PyTorch raises for a shared result, of which it warns users' programs."""
    from torch._functorch import config

    name = "error_on_custom_op_aliasing"
    if not hasattr(config, name):
        return nullcontext()
    return cast("AbstractContextManager[Any]", config.patch({name: False}))


def _require_true_fakes(setting: Setting, module: torch.nn.Module) -> None:
    """Raise `Failed` where results without data, which compilers plan with, have not the form of real ones."""
    if not setting.name:
        return
    setting.stage("asking for results without data")
    of_each_size: dict[str, Case] = {}
    for case in setting.cases:
        of_each_size.setdefault(str(case.sizes), case)
    for case in of_each_size.values():
        _require_true_fake(setting, module, list(there(setting, case).tensors.values()))


def _require_true_fake(
    setting: Setting, module: torch.nn.Module, tensors: Sequence[torch.Tensor]
) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        real = list(module(*(tensor.clone() for tensor in tensors)))
        finish(setting)
    except Exception as error:
        raise fails_as_it_is(error) from error
    try:
        with FakeTensorMode() as mode:
            fake = list(module(*(mode.from_tensor(tensor) for tensor in tensors)))
    except Exception:
        return  # compiling it will say so, and where
    if len(real) != len(fake):
        return  # then it is wrong without a graph, too
    for place, (one, other) in enumerate(zip(real, fake, strict=True)):
        if (forms := [_form(tensor) for tensor in (one, other)])[0] != forms[1]:
            told = " and ".join(forms)
            message = (
                f"result {place} of a call with data and of one without are {told}: a compiler plans memory by "
                "the second. Sizes that follow from values cannot be in a graph"
            )
            raise Failed(Finding("fake result differs", message, {"result": place}))


def _form(tensor: torch.Tensor) -> str:
    """Dtype, sizes, strides and device in words; strides only where they say something."""
    strides = [step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]
    laid = f" with strides {strides}" if strides and tensor.numel() else ""
    return f"{tensor.dtype} {list(tensor.shape)}{laid} on {tensor.device.type}"


def blame(setting: Setting, error: BaseException) -> Failed:
    """What it means that compiling, or a compiled call, raises."""
    if setting.name and (why := _broken_here(setting)):
        return Failed(not_checked=why)
    cause = getattr(error, "inner_exception", None) or error.__cause__ or error
    message = f"the call works, and compiled by {setting.option} it fails: {in_words(cause)}"
    return Failed(Finding("fails in the graph", message, {"exception": type(cause).__name__}))


def _broken_here(setting: Setting) -> str:
    """Why the back end compiles nothing at all here; empty where it does."""
    from torch._dynamo import reset

    device = None if setting.device is None else setting.device.first
    reset()
    try:
        torch.compile(_plain, backend=setting.option)(torch.ones(8, device=device))
    except Exception as error:
        return f"{setting.option} compiles nothing here: {in_words(error)}"
    return ""


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor * 2 + 1


def why_not(target: Target, option: str) -> str:
    """Why the back end compiles nothing for a target."""
    kinds = _ONLY_FOR.get(option)
    if kinds is None or target.device_type in kinds:
        return ""
    return f"the back end {option} makes code for {' and '.join(kinds)}, and not for {target.device_type}"


def cases(spec: OperatorSpec, case: Case, how: str, repeat: int) -> tuple[Case, ...]:
    """One a run: other values, and sizes in turns where they are dynamic. Fewer than two sizes: none."""
    sets = [case.sizes]
    if how == DYNAMIC:
        scaled = [_scaled(case, factor) for factor in _TIMES]
        most = max(
            MAX_ELEMENTS, min(_MOST_ELEMENTS, _LARGER * largest(spec, case.sizes, case.scalars))
        )
        sets = [one for one in scaled if allowed(spec, one, case.scalars, most)]
        if len(sets) < 2:
            return ()
    return tuple(
        Case(
            case.check, case.name, case.dtypes, sets[number % len(sets)], case.scalars, seed=number
        )
        for number in range(max(repeat, len(sets)))
    )


def _scaled(case: Case, factor: int) -> dict[str, Any]:
    """Every size so many times as large: what was equal stays so, what was divisible as well."""
    return {
        name: tuple(factor * size for size in value) if isinstance(value, tuple) else factor * value
        for name, value in case.sizes.items()
    }


MODE = Mode(
    "compile",
    "torch.compile gives the call's own results, in one graph without a break, for sizes that change as well",
    options=("inductor", "aot_eager", "cudagraphs"),
    hows=(STATIC, DYNAMIC),
    one_size=(
        "cudagraphs",
    ),  # asked for dynamic sizes, PyTorch's captures the first, and fails at others
    why_not=why_not,
    open=opened,
    blame=blame,
    cases=cases,
)
