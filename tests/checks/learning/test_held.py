"""Who holds tensors: globals and attributes are named."""

from __future__ import annotations

import torch

from opwright.checks.learning.held import holders_of_tensors, tensor_ids

kept_here: list[torch.Tensor] = []


class Keeper:
    """Holds one tensor."""


def test_a_list_of_a_module_is_named() -> None:
    known = tensor_ids()
    kept_here.extend(torch.ones(3) for _ in range(5))
    try:
        assert holders_of_tensors(known) == "global 'kept_here' of the module"
    finally:
        kept_here.clear()


def test_an_attribute_is_named_with_its_class() -> None:
    known = tensor_ids()
    keeper = Keeper()
    keeper.weight = torch.ones(3)
    assert holders_of_tensors(known) == "attribute 'weight' of Keeper"


def test_nothing_new_is_held_by_nobody() -> None:
    assert holders_of_tensors(tensor_ids()) == ""
