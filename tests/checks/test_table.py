from __future__ import annotations

import inspect
import sys

import pytest

from checks.one_tensor import described
from opwright.checks.planning.simpler import simpler
from opwright.checks.table import CHECKS, check_named, choose
from opwright.errors import UsageError
from opwright.spec.target import parse_target


def test_names_are_unique_and_every_check_says_what_a_pass_is_worth() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert all(check.promise for check in CHECKS)


def test_checks_run_in_the_tables_order_whatever_order_they_are_named_in() -> None:
    assert [check.name for check in choose(("layouts", "contract"))] == ["contract", "layouts"]
    assert choose() == tuple(c for c in CHECKS if c.build == "plain" and not c.devices_only)


def test_an_unknown_check_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        choose(("numeric",))
    assert "Did you mean 'numerics'?" in str(caught.value)


def builds(*names: str, target: str = "cpu", sanitize: bool = False) -> set[str]:
    return {check.build for check in choose(names, parse_target(target), sanitize=sanitize)}


def test_sanitizers_are_chosen_where_they_are_asked_for_and_on_the_emulator() -> None:
    assert builds() == {"plain"}
    assert builds(sanitize=True) == {"plain", "sanitized"}
    assert builds("numerics", sanitize=True) == {"plain", "sanitized"}
    assert builds("sanitizers") == {"sanitized"}
    assert builds(target="emulated") == {"plain", "watched", "sanitized"}
    assert builds(target="cuda:sm_90") == {"plain"}
    assert builds(target="cuda:sm_90", sanitize=True) == {"plain", "device sanitized"}


def test_named_checks_need_their_own_build_and_no_other() -> None:
    assert builds("numerics", target="emulated:wave64") == {"plain"}
    assert builds("emulation", target="emulated") == {"watched"}
    assert builds("emulation", "empty", target="emulated") == {"plain", "watched"}


@pytest.mark.parametrize(
    "name, target", [("emulation", "cpu"), ("stream", "emulated"), ("sanitizers", "cuda:sm_90")]
)
def test_a_check_that_asks_nothing_of_the_target_is_refused(name: str, target: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}' asks nothing of target {target}"):
        choose((name,), parse_target(target))


def test_sanitizers_for_a_target_that_has_none_are_refused() -> None:
    with pytest.raises(UsageError, match="no sanitizers for target hip:gfx1151"):
        choose((), parse_target("hip:gfx1151"), sanitize=True)


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
def test_every_plan_has_cases_or_says_why_not(check: str) -> None:
    plain = described(lambda x: x.clone())
    impossible = described(lambda x: x.clone(), constraints=("rows == 0",))
    for spec in (plain, impossible):
        plan = check_named(check).plan(spec)
        assert bool(plan.cases) != bool(plan.why_none)


def test_checks_that_look_for_backwards_have_them_loaded() -> None:
    looking = [
        check.name
        for check in CHECKS
        if "subject.lacks_backward" in inspect.getsource(sys.modules[check.run.__module__])
    ]
    assert "gradients" in looking
    assert [check.name for check in CHECKS if check.takes_gradients] == looking


def test_checks_that_shrink_can_be_shown_as_a_program() -> None:
    shrinking = [check for check in CHECKS if check.shrinks]
    assert len(shrinking) > 5
    assert all(check.program for check in shrinking)
    spec = described(lambda x: x.clone())
    assert all(list(simpler(spec, check.plan(spec).cases[0])) for check in shrinking)
