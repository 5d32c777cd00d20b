"""residual + dropout(input + bias): which elements are dropped follows from the seed and their places alone."""

import torch
from opwright import Backward, Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((1024,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (1_025,)))
hidden = Dim("hidden", typical=(768, 1024), edge=(0, 1, 31, 257))


def random_bits(seed: int, count: int, device: torch.device) -> torch.Tensor:
    """Philox 4x32-10: four words of 32 bits for each counter, the seed is its key."""
    lowest = 0xFFFFFFFF
    counter = torch.arange((count + 3) // 4, device=device)
    a, b = counter & lowest, counter >> 32
    c, d = torch.zeros_like(a), torch.zeros_like(a)
    low, high = seed & lowest, seed >> 32 & lowest
    for _ in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c  # these wrap: their 64 bits are right
        a, b = (right >> 32 & lowest) ^ b ^ low, right & lowest
        c, d = (left >> 32 & lowest) ^ d ^ high, left & lowest
        low, high = low + 0x9E3779B9 & lowest, high + 0xBB67AE85 & lowest
    return torch.stack((a, b, c, d), 1).flatten()[:count]


def reference(
    input: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, p: float = 0.1, seed: int = 0
) -> torch.Tensor:
    wide = torch.promote_types(input.dtype, torch.float32)  # half types are rounded once
    bits = random_bits(seed, input.numel(), input.device).view(input.shape)
    scaled = (input.to(wide) + bias.to(wide)) * (1 / (1 - p) if p < 1 else 0)
    dropped = torch.where(bits < int(p * 2**32), 0, scaled)
    return (residual.to(wide) + dropped).to(input.dtype)


bias_dropout_residual = Operator(
    "bias_dropout_residual(Tensor input, Tensor bias, Tensor residual, float p=0.1, int seed=0)"
    " -> Tensor",
    inputs={
        "input": Tensor(batch, hidden, layout="copy"),
        "bias": Tensor(hidden, layout="copy"),
        "residual": Tensor(batch, hidden, layout="copy"),
    },
    dtypes=("float32", "bfloat16", "float16", "float64"),
    scalars={"p": Scalar(0.1, 0.0, 1.0, minimum=0, maximum=1), "seed": Scalar(0, -(2**40) - 1)},
    reference=reference,
    sources={
        "cpu": "bias_dropout_residual.cpp",
        "cuda": "bias_dropout_residual.cu",
        "hip": "bias_dropout_residual.cu",
    },
    backward=Backward(
        "bias_dropout_residual_backward(Tensor grad_output, float p, int seed)"
        " -> (Tensor grad_input, Tensor grad_bias)",
        saved=(),
        unchanged="residual",
        sources={
            "cpu": "bias_dropout_residual_backward.cpp",
            "cuda": "bias_dropout_residual_backward.cu",
            "hip": "bias_dropout_residual_backward.cu",
        },
    ),
    autocast="widest",
)
