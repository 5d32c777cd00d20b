from __future__ import annotations

import pytest

from checks.one_tensor import described
from opwright.checks.planning.simpler import simpler
from opwright.checks.table import CHECKS, check_named, choose
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


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
def test_every_plan_has_cases_or_says_why_not(check: str) -> None:
    plain = described(lambda x: x.clone())
    impossible = described(lambda x: x.clone(), constraints=("rows == 0",))
    for spec in (plain, impossible):
        plan = check_named(check).plan(spec)
        assert bool(plan.cases) != bool(plan.why_none)


def test_checks_that_shrink_can_be_shown_as_a_program() -> None:
    shrinking = [check for check in CHECKS if check.shrinks]
    assert len(shrinking) > 5
    assert all(check.program for check in shrinking)
    spec = described(lambda x: x.clone())
    assert all(list(simpler(spec, check.plan(spec).cases[0])) for check in shrinking)
