from __future__ import annotations

import io

from rich.console import Console

from made_measurement import made_ratio
from opwright.records.measurement import OperatorRatios, RatioRecord
from opwright.report.compared import comparison_report

OTHER_MACHINE = "processor: one before, other after"


def ratio(case: str, verdict: str = "same", **changes: object) -> RatioRecord:
    return made_ratio("reference", case, **{"verdict": verdict, "reason": "told", **changes})


def nothing(case: str, reason: str = OTHER_MACHINE) -> RatioRecord:
    return RatioRecord("operator", "before", case, "not comparable", reason)


def shown(*ratios: RatioRecord, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), width=80)
    told = comparison_report([OperatorRatios("gelu", ratios)], verbose=verbose)
    console.print(told, crop=False)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_each_row_has_its_ratio_spread_and_verdict() -> None:
    text = shown(
        ratio("n=1", "slower", ratio=1.25, low=1.2, high=1.3), ratio("n=2", "faster", ratio=0.5)
    )
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["gelu"]
    assert ["n=1", "operator", "1.250", "x", "1.200", "to", "1.300", "slower"] in lines
    assert any(line[:4] == ["n=2", "operator", "0.500", "x"] for line in lines)


def test_a_row_without_a_ratio_has_only_its_verdict() -> None:
    lines = [line.split() for line in shown(nothing("n=1")).splitlines()]
    assert ["n=1", "operator", "not", "comparable"] in lines


def test_a_reason_that_holds_for_all_rows_is_told_once() -> None:
    text = " ".join(shown(nothing("n=1"), nothing("n=2"), nothing("n=3", "timer: a, b")).split())
    assert text.count(OTHER_MACHINE) == 1
    assert f"not comparable: {OTHER_MACHINE} (2 rows)" in text
    assert "not comparable: timer: a, b (n=3 operator)" in text


def test_verdicts_have_their_reasons_in_verbose() -> None:
    assert "told" not in shown(ratio("n=1"))
    assert "same: told (n=1 operator)" in " ".join(shown(ratio("n=1"), verbose=True).split())


def test_nothing_is_wider_than_80_columns_and_no_number_is_cut() -> None:
    name = "batch=1024x768x3x5,hidden=123456,experts=128,columns=99999 bfloat16 float32"
    text = shown(ratio(name, "not comparable", ratio=123.456, low=1.0, high=9e9), nothing(name))
    assert max(map(len, text.splitlines())) <= 80
    assert "123.456 x" in text
    assert "1.000 to 9e+09" in text
    assert "…" not in text
