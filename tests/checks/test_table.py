from __future__ import annotations

import pytest

from opwright.checks.table import CHECKS, choose
from opwright.errors import UsageError


def test_names_are_unique_and_every_check_says_what_a_pass_is_worth() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert all(check.promise for check in CHECKS)


def test_checks_run_in_the_tables_order_whatever_order_they_are_named_in() -> None:
    assert [check.name for check in choose(("layouts", "contract"))] == ["contract", "layouts"]
    assert choose() == CHECKS


def test_an_unknown_check_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        choose(("numeric",))
    assert "Did you mean 'numerics'?" in str(caught.value)
