"""The vendor's example at its own sizes: 864 tokens, 2048 experts, the 1024 largest, then dynamic quantisation.

By npugraph_ex, and as the document has it: the operator in a scope against the same graph without one. By the
graph engine it is not run: torchair asks the native engine how to convert dynamic quantisation.
"""

from __future__ import annotations

import torch
import torch_npu

TOKENS, EXPERTS, TOP_K = 864, 2048, 1024
OPTIONS = {"static_kernel_compile": True, "super_kernel_optimize": True}


class Original(torch.nn.Module):
    def forward(
        self, gating_input: torch.Tensor, smooth_scales: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        gates = torch_npu.npu_moe_gating_top_k_softmax(gating_input, None, TOP_K)
        return (*torch_npu.npu_dynamic_quant(gates[0], smooth_scales=smooth_scales), *gates)


class InSuperKernel(torch.nn.Module):
    def forward(
        self, gating_input: torch.Tensor, smooth_scales: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        torch_npu.npu.super_kernel_scope_begin("sp1")
        gates = torch_npu.npu_moe_gating_top_k_softmax(gating_input, None, TOP_K)
        torch_npu.npu.super_kernel_scope_end("sp1")
        return (*torch_npu.npu_dynamic_quant(gates[0], smooth_scales=smooth_scales), *gates)


def main() -> None:
    gating_input = torch.randn((TOKENS, EXPERTS), dtype=torch.bfloat16)
    smooth_scales = torch.randn((TOP_K,), dtype=torch.bfloat16)
    results = []
    for model, options in ((InSuperKernel(), OPTIONS), (Original(), {})):
        run = torch.compile(model, backend="npugraph_ex", options=options, dynamic=False)
        found = run(gating_input.npu(), smooth_scales.npu())
        results.append([tensor.cpu() for tensor in found])
    quantised, scale, gates, experts, _ = results[0]
    order = gating_input.float().sort(dim=-1, descending=True, stable=True).indices[:, :TOP_K]
    back = quantised.float() * scale[:, None]
    away = (back - gates.float() * smooth_scales.float()).abs().amax(-1)
    print("equal", all(map(torch.equal, *results)))
    print("the largest", torch.equal(experts.long(), order))
    print("within half a step", bool((away <= scale * 0.5001).all()))


main()
