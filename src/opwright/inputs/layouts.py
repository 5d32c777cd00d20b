"""Ways in which a tensor's elements can lie in memory. Each gives the same values, laid out otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from opwright.spec.tensor import Tensor

Layout = Callable[[torch.Tensor], "torch.Tensor | None"]

# What lies beside a view in its storage: an operator that reads it gets wrong values.
_BESIDE = 3


def _offset(elements: int) -> Layout:
    def lay_out(dense: torch.Tensor) -> torch.Tensor:
        """Dense, but starting some elements into its storage."""
        storage = _filled(dense.numel() + elements, dense)
        view = storage[elements:].view(dense.shape)
        return view.copy_(dense)

    return lay_out


def _transposed(dense: torch.Tensor) -> torch.Tensor | None:
    """The last two dimensions swapped in memory."""
    if dense.dim() < 2 or min(dense.shape[-2:]) < 2:
        return None
    swapped = _filled((*dense.shape[:-2], dense.shape[-1], dense.shape[-2]), dense)
    return swapped.transpose(-1, -2).copy_(dense)


def _stepped(dense: torch.Tensor) -> torch.Tensor | None:
    """Every second element of the last dimension of a wider tensor."""
    if dense.dim() < 1 or dense.shape[-1] < 2:
        return None
    wide = _filled((*dense.shape[:-1], 2 * dense.shape[-1]), dense)
    return wide[..., ::2].copy_(dense)


def _padded_rows(dense: torch.Tensor) -> torch.Tensor | None:
    """Rows of a wider tensor: each is dense, but does not start where the one before ended."""
    if dense.dim() < 2 or dense.shape[-2] < 2:
        return None
    wide = _filled((*dense.shape[:-1], dense.shape[-1] + 3), dense)
    return wide[..., : dense.shape[-1]].copy_(dense)


def _every_second_row(dense: torch.Tensor) -> torch.Tensor | None:
    """Rows 0, 2, 4, ... of a taller tensor."""
    if dense.dim() < 2 or dense.shape[0] < 2:
        return None
    tall = _filled((2 * dense.shape[0], *dense.shape[1:]), dense)
    return tall[::2].copy_(dense)


def _expanded(dense: torch.Tensor) -> torch.Tensor | None:
    """The first row, repeated by a stride of zero. Its values differ from the dense tensor's."""
    if dense.dim() < 1 or dense.shape[0] < 2:
        return None
    return dense[:1].clone().expand(dense.shape)


def _expanded_inside(dense: torch.Tensor) -> torch.Tensor | None:
    """The first column, repeated by a stride of zero in the last dimension."""
    if dense.dim() < 2 or dense.shape[-1] < 2:
        return None
    return dense[..., :1].clone().expand(dense.shape)


def _rotated(dense: torch.Tensor) -> torch.Tensor | None:
    """The first of three or more dimensions innermost in memory."""
    if dense.dim() < 3 or dense.shape[0] < 2:
        return None
    rotated = _filled((*dense.shape[1:], dense.shape[0]), dense)
    return rotated.movedim(-1, 0).copy_(dense)


def _channels_last(dense: torch.Tensor) -> torch.Tensor | None:
    """The second of four dimensions innermost in memory."""
    if dense.dim() != 4 or dense.shape[1] < 2:
        return None
    return dense.contiguous(memory_format=torch.channels_last)


OFFSETS: dict[str, Layout] = {f"offset {n}": _offset(n) for n in range(1, 8)}
LAYOUTS: dict[str, Layout] = {
    **OFFSETS,
    "transposed": _transposed,
    "step 2": _stepped,
    "padded rows": _padded_rows,
    "every second row": _every_second_row,
    "rotated": _rotated,
    "expanded": _expanded,
    "expanded inside": _expanded_inside,
    "channels last": _channels_last,
}

# layouts in which elements share memory, so that nothing can be written
OVERLAPPING = frozenset({"expanded", "expanded inside"})


def can_lay_out(sizes: Sequence[int], layout: str) -> bool:
    """Whether a tensor of these sizes can be laid out so."""
    return LAYOUTS[layout](torch.empty(sizes)) is not None


def lay_out(dense: torch.Tensor, layout: str) -> torch.Tensor:
    """The tensor in another layout, or itself where its shape does not allow that layout."""
    laid_out = LAYOUTS[layout](dense)
    return dense if laid_out is None else laid_out


def is_covered(described: Tensor, tensor: torch.Tensor) -> bool:
    """Whether the description promises to take a tensor that lies in memory as this one does.

    A storage offset is no layout: a dense tensor may start anywhere.
    """
    if described.layout == "contiguous":
        return tensor.is_contiguous()
    if described.layout == "strided" and described.shape is not None:
        first = described.sizes.index(described.shape)
        return _reads_as_one(tensor, first, tensor.dim() - len(described.sizes) + 1)
    return True


def _reads_as_one(tensor: torch.Tensor, first: int, count: int) -> bool:
    """Whether ``count`` dimensions can be stepped through with one stride, as a Shape has to be."""
    run = zip(
        tensor.shape[first : first + count], tensor.stride()[first : first + count], strict=True
    )
    steps = [(size, stride) for size, stride in run if size != 1]
    inner = steps[1:]
    return all(
        outer[1] == size * stride for outer, (size, stride) in zip(steps, inner, strict=False)
    )


def _filled(sizes: int | tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
    """Memory in which every element that no view covers is conspicuous."""
    shape = (sizes,) if isinstance(sizes, int) else sizes
    return (
        torch.full(shape, _BESIDE, dtype=like.dtype, device=like.device)
        if like.dtype != torch.bool
        else torch.ones(shape, dtype=torch.bool, device=like.device)
    )
