"""A temporary is given back while a kernel on another stream still reads it."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))


def twice(input: torch.Tensor) -> torch.Tensor:
    current = torch.accelerator.current_stream(input.device)
    side = torch.Stream(device=input.device)
    busy = torch.zeros(1 << 22, device=input.device)
    scratch = input * 2
    output = torch.empty_like(input)
    side.wait_stream(current)
    with side:
        for _ in range(50):  # the side stream has other work first
            busy.add_(1)
        output.copy_(scratch)
    del scratch  # nobody has told the allocator of the side stream: record_stream is missing
    torch.zeros_like(input)  # gets the same memory
    current.wait_stream(side)
    return output


freed_too_early = Operator(
    "freed_too_early(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2,
    function=twice,
)
