"""What became of operators inside graphs, for a terminal: four answers a trial, findings, a line an operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.graph import QUESTIONS, Answer, GraphedOperator, GraphRecord, GraphTrial
from opwright.report.figures import count_text
from opwright.report.verdicts import STYLES, sign

_TITLES = {
    "equal": "equal",
    "in_graph": "in graph",
    "captured": "captured",
    "fused": "fused",
}


def graph_report(record: GraphRecord, *, ascii_only: bool = False) -> Group:
    """Everything that a reader of a terminal is to see of a run."""
    parts: list[RenderableType] = []
    for operator in record.operators:
        parts += [_headline(operator), *_body(operator, ascii_only), Text()]
    parts += [closing_line(operator) for operator in record.operators]
    return Group(*parts)


def closing_line(operator: GraphedOperator) -> Text:
    """``swish: pass (7 trials, 0 findings, 0 not checked) in compile:inductor on cpu``."""
    verdict = operator.verdict
    if operator.not_run:
        told = "not run"
    else:
        findings = sum(len(trial.findings) for trial in operator.trials)
        hollow = sum(trial.verdict == "not checked" for trial in operator.trials)
        facts = (count_text(len(operator.trials), "trial"), count_text(findings, "finding"))
        told = f"{', '.join(facts)}, {hollow} not checked"
    return Text.assemble(
        (operator.name, "bold"),
        ": ",
        (verdict, STYLES[verdict]),
        f" ({told}) in {operator.mode} on {operator.target}{_label(operator)}",
    )


def _label(operator: GraphedOperator) -> str:
    return "" if operator.label == "hardware" else f" ({operator.label})"


def _headline(operator: GraphedOperator) -> Text:
    where = (
        f" in {operator.mode} on {operator.target}{_label(operator)}, compared {operator.compared}"
    )
    return Text.assemble((operator.name, "bold"), where)


def _body(operator: GraphedOperator, ascii_only: bool) -> Iterator[RenderableType]:
    if operator.not_run:
        yield Text(f"  not run: {operator.not_run}", style=STYLES["not checked"])
    else:
        yield from _tables(operator, ascii_only)
        yield from _reasons(operator)
        yield from _findings(operator, ascii_only)
    for path in operator.emitted:
        yield Text(f"  written: {path}", no_wrap=True, overflow="ignore")
    if operator.not_emitted:
        yield Text(f"  not written: {operator.not_emitted}", style=STYLES["not checked"])


def _tables(operator: GraphedOperator, ascii_only: bool) -> Iterator[RenderableType]:
    """One for each case, which is named where there are several."""
    by_case: dict[str, list[GraphTrial]] = {}
    for trial in operator.trials:
        by_case.setdefault(trial.case, []).append(trial)
    for case, trials in by_case.items():
        if len(by_case) > 1:
            yield Text(f"  {case}", style="dim")
        yield _table(trials, ascii_only)


def _table(trials: Sequence[GraphTrial], ascii_only: bool) -> Table:
    """As wide as it has to be: wider than the terminal is better than cut."""
    titles = ("  arrangement", "how", *_TITLES.values())
    rows = [
        (Text(f"  {trial.arrangement}"), Text(trial.how), *_answers(trial, ascii_only))
        for trial in trials
    ]
    widths = [max(map(cell_len, map(str, column))) for column in zip(titles, *rows, strict=True)]
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        header_style="dim",
        width=sum(widths) + 2 * (len(widths) - 1),
    )
    for title in titles:
        table.add_column(title, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _answers(trial: GraphTrial, ascii_only: bool) -> list[Text]:
    return [_shown(getattr(trial, name), ascii_only) for name in QUESTIONS]


def _shown(answer: Answer, ascii_only: bool) -> Text:
    return Text.assemble(sign(answer.verdict, ascii_only=ascii_only), " ", answer.verdict)


def _reasons(operator: GraphedOperator) -> Iterator[RenderableType]:
    """Why answers are not passes, each reason once, with the questions and the trials that have it."""
    reasons: dict[tuple[str, str], list[GraphTrial]] = {}
    for trial in operator.trials:
        for name in QUESTIONS:
            answer: Answer = getattr(trial, name)
            if answer.verdict != "pass":
                reasons.setdefault((_TITLES[name], answer.reason), []).append(trial)
    for (title, reason), trials in reasons.items():
        every = len(trials) == len(operator.trials)
        where = "" if every else f" ({'; '.join(dict.fromkeys(map(_named, trials)))})"
        yield Padding(Text.assemble((f"{title}: ", "dim"), reason, (where, "dim")), (0, 0, 0, 4))


def _findings(operator: GraphedOperator, ascii_only: bool) -> Iterator[RenderableType]:
    for trial in operator.trials:
        for finding in trial.findings:
            yield Text()
            head = f" {operator.name}, {operator.mode}, {_named(trial)}: {finding.kind}"
            yield Text.assemble(sign("fail", ascii_only=ascii_only), (head, "bold"))
            yield Padding(Text(finding.message), (0, 0, 0, 4))
            yield Padding(Text(f"case {trial.case}, {trial.stage}", style="dim"), (0, 0, 0, 4))


def _named(trial: GraphTrial) -> str:
    return f"{trial.arrangement}, {trial.how}"
