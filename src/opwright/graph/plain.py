"""The same module without a graph: what it gives, and whether that is right."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opwright.graph.arrangement import ALONE, Arranged
from opwright.graph.protocol import Failed, Setting
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Finding
from opwright.spec.case import Case


def as_it_is(setting: Setting, case: Case) -> tuple[list[torch.Tensor], tuple[Finding, ...]]:
    """Results of the module without a graph, on the host, and what is wrong with them. Raises `Failed`."""
    call = there(setting, case)
    module = Arranged(call, setting.function, setting.arrangement)
    try:
        fresh = list(module(*call.tensors.values()))
        results = on_host([*fresh, *written_of(call, list(call.tensors.values()))], setting)
    except Exception as error:
        raise fails_as_it_is(error) from error
    if setting.arrangement != ALONE:
        return results, ()
    wrong = setting.judge(case, make_call(setting.spec, case), results)[:1]
    return results, tuple(
        Finding(
            "wrong as it is",
            f"without any graph, with changed data: {one.message}",
            {**one.details, "kind": one.kind},
        )
        for one in wrong
    )


def fails_as_it_is(error: BaseException) -> Failed:
    """What it means that a call without a graph raises."""
    told = f"the operator fails without any graph: {in_words(error)}"
    return Failed(Finding("fails as it is", told))


def there(setting: Setting, case: Case) -> Call:
    """The case's call with its tensors where the operator runs."""
    call = make_call(setting.spec, case)
    if setting.device is None:
        return call
    placement = setting.device.placement()
    tensors = {name: placement.placed(tensor) for name, tensor in call.tensors.items()}
    return Call(call.spec, {**call.arguments, **tensors})


def written_of(call: Call, taken: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors among ``taken``, which are a call's in its order, that the operator writes to."""
    by_name = dict(zip(call.tensors, taken, strict=True))
    return [by_name[name] for name in call.written]


def result_names(setting: Setting, fresh: int) -> list[str]:
    """What results are called: the operator's own, those of a companion behind it, written arguments."""
    own = [f"`{item.name}`" for item in setting.spec.schema.fresh_returns]
    behind = [
        f"result {place} of {setting.arrangement.companion} behind it"
        for place in range(fresh - len(own))
    ]
    written = [f"`{argument.name}`" for argument in setting.spec.schema.tensors if argument.mutated]
    return [*own, *behind, *written]


def finish(setting: Setting) -> None:
    """Wait for the device, where there is one. Raises `DeviceFault` for what failed there."""
    if setting.device is not None:
        setting.device.synchronize()


def on_host(tensors: Sequence[torch.Tensor], setting: Setting) -> list[torch.Tensor]:
    """Copies of the tensors on the host, when all that was asked of the device is done."""
    finish(setting)
    return [tensor.detach().cpu().clone() for tensor in tensors]


def in_words(error: BaseException) -> str:
    """An exception in one line: its type, and the first line of what it says."""
    try:
        text = str(error)
    except Exception:
        text = "(its text cannot be read)"
    line = next(iter(text.strip().splitlines()), "")
    return f"{type(error).__name__}: {line}".removesuffix(": ")
