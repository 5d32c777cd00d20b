"""An operator inside a SuperKernel's scope, held against itself without one. It needs torch-npu and CANN.

Ends with 0 where all results were equal, with 3 where some were not, with 4 where torch-npu is missing and nothing
was tried, with 1 where a run hangs or raises. Equal results do not say that anything was fused: look for
SuperKernel in a profile (msprof).
"""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Callable
from typing import Any

try:
    import torch
    import torch_npu
except ImportError as error:
    print(f"nothing was tried: {error}. This needs PyTorch and torch-npu.", file=sys.stderr)
    sys.exit(4)

# What is tried.
NAME, WAY, SCOPE = "", "npugraph_ex", "sp1"
OPTIONS: Any = {}  # of the scope: of torch.compile, or torchair's text
FULL_CORES: Any = {}
RUNS, SECONDS = 3, 120.0
TOLERANCE: tuple[float, float] | None = None  # absolute and relative; None: bit for bit


def operator(*arguments: Any) -> Any:
    """The operator itself."""
    return arguments


def draw(seed: int) -> list[torch.Tensor]:
    """The tensors of one call."""
    del seed
    return []


def call(function: Callable[..., Any], tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Call the operator; fresh results."""
    return list(function(*tensors))


# How it is tried.
class Module(torch.nn.Module):
    """The operator, ``times`` in series, with a companion behind it where ``joined`` says so."""

    def __init__(self, times: int = 1, *, joined: bool = False) -> None:
        super().__init__()
        self._times, self._joined = times, joined

    def forward(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """Results of the last call, and the companion's."""
        given = list(tensors)
        results = call(operator, given)
        for _ in range(self._times - 1):
            given = fed(given, results)
            results = call(operator, given)
        return [*results, *(companion(results) if self._joined else [])]


def fed(given: list[torch.Tensor], results: list[torch.Tensor]) -> list[torch.Tensor]:
    """Arguments for the next call in a series: they depend on a result of the one before."""
    result = next((r for r in results if r.is_floating_point()), None)
    place = next((p for p, tensor in enumerate(given) if tensor.is_floating_point()), None)
    if result is None or place is None:
        return given
    tied = list(given)
    fits = (result.shape, result.dtype) == (given[place].shape, given[place].dtype)
    limit = result.max().to(given[place].dtype)
    tied[place] = result if fits else torch.minimum(given[place], limit)
    return tied


def companion(results: list[torch.Tensor]) -> list[torch.Tensor]:
    """A known-good operator behind it: dynamic quantisation where that takes the result."""
    first = next((result for result in results if result.is_floating_point()), None)
    if first is None:
        return []
    if first.dtype in {torch.float16, torch.bfloat16} and first.dim() >= 2:
        return list(torch_npu.npu_dynamic_quant(first))
    return [first * 0.5 + 1.0]


class Scoped(torch.nn.Module):
    """All of a module inside the scope."""

    def __init__(self, module: Module, options: Any) -> None:
        super().__init__()
        self._module, self._options = module, options
        self._scope: Any = None
        if WAY == "ge":
            import torchair

            self._scope = torchair.scope.super_kernel

    def forward(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """What the module gives."""
        if self._scope is not None:
            with self._scope(SCOPE, self._options):
                return self._module(*tensors)  # type: ignore[no-any-return]
        torch_npu.npu.super_kernel_scope_begin(SCOPE)
        results: list[torch.Tensor] = self._module(*tensors)
        torch_npu.npu.super_kernel_scope_end(SCOPE)
        return results


def compiled(module: torch.nn.Module, options: Any) -> Callable[..., Any]:
    """The module in graph mode, for sizes that are fixed."""
    if WAY == "npugraph_ex":
        return torch.compile(module, backend=WAY, options=options, dynamic=False, fullgraph=True)
    import torchair
    from torchair.configs.compiler_config import CompilerConfig

    config = CompilerConfig()
    config.debug.graph_dump.type = "pbtxt"  # look there for _super_kernel_scope
    backend = torchair.get_npu_backend(compiler_config=config)
    return torch.compile(module, backend=backend, dynamic=False, fullgraph=True)


def differing(expected: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
    """Where two results differ. NaN is the same as NaN."""
    if expected.is_complex():
        parts = (torch.view_as_real(t.resolve_conj().contiguous()) for t in (expected, found))
        return differing(*parts).any(-1)
    if TOLERANCE is not None and expected.is_floating_point():
        atol, rtol = TOLERANCE
        wide = (found.double(), expected.double())
        return ~torch.isclose(*wide, atol=atol, rtol=rtol, equal_nan=True)
    return (expected != found) & ~((expected != expected) & (found != found))  # noqa: PLR0124


def tried(title: str, module: Module, options: Any) -> bool:
    """Compile with and without a scope, run both with other data each time, and compare."""
    torch.compiler.reset()
    original, fused = compiled(module, {}), compiled(Scoped(module, options), options)
    equal = True
    for number in range(1, RUNS + 1):
        faulthandler.dump_traceback_later(SECONDS, exit=True)  # a SuperKernel can hang
        expected = [tensor.cpu() for tensor in original(*(t.to("npu") for t in draw(number)))]
        found = [tensor.cpu() for tensor in fused(*(t.to("npu") for t in draw(number)))]
        faulthandler.cancel_dump_traceback_later()
        for place, (one, other) in enumerate(zip(expected, found)):  # noqa: B905
            where = differing(one, other).nonzero()
            if len(where):
                equal = False
                told = f"{len(where)} differ, first at {where[0].tolist()}"
                print(f"{title}, run {number}, result {place}: {told}")
    print(f"{NAME} {title}: {'equal' if equal else 'differs'}")
    return equal


def main() -> int:
    """Everything that is tried; returns the exit code."""
    with torch.no_grad():
        right = [
            tried("alone", Module(), OPTIONS),
            tried("alone, full cores", Module(), FULL_CORES),
            tried("two in series", Module(2), OPTIONS),
            tried("three in series", Module(3), OPTIONS),
            tried("with a companion behind it", Module(joined=True), OPTIONS),
        ]
    return 0 if all(right) else 3


if __name__ == "__main__":
    sys.exit(main())
