"""Calls through the operator object leave grad mode as they found it."""

from __future__ import annotations

import pytest
import torch

from opwright.binding.call import quick_call


def seen_mode(*args, **kwargs):
    return torch.is_grad_enabled()


def test_grad_mode_is_off_where_nothing_is_recorded():
    assert quick_call(seen_mode)(torch.ones(1), 2, "text", key=torch.ones(1)) is False
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("by", ["position", "keyword"])
def test_grad_mode_stays_on_where_a_gradient_is_required(by):
    x = torch.ones(1, requires_grad=True)
    call = quick_call(seen_mode)
    assert (call(1, x) if by == "position" else call(key=x)) is True


def test_grad_mode_comes_back_after_an_error():
    def fail(*args):
        raise ValueError("planted")

    with pytest.raises(ValueError, match="planted"):
        quick_call(fail)(torch.ones(1))
    assert torch.is_grad_enabled()


def test_no_grad_mode_is_left_alone():
    with torch.no_grad():
        assert quick_call(seen_mode)(torch.ones(1, requires_grad=True)) is False
        assert not torch.is_grad_enabled()
