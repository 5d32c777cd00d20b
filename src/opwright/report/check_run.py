"""A whole check run for a terminal: the table, the findings, what was not checked, and one line an operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from opwright.records.run import CaseRecord, OperatorRecord, Record
from opwright.records.summary import (
    FindingGroup,
    check_summaries,
    finding_groups,
    note_groups,
    reason_groups,
)
from opwright.report.advice import advice
from opwright.report.check_table import LEGEND, check_table
from opwright.report.figures import count_text
from opwright.report.kernels import kernel_lines
from opwright.report.titles import titled
from opwright.report.verdicts import STYLES, sign

_REASON_LINES = 2


def check_report(record: Record, *, verbose: bool = False, ascii_only: bool = False) -> Group:
    """Everything that a reader of a terminal is to see of a run; ``verbose`` adds notes."""
    return Group(*_parts(record, verbose, ascii_only))


def closing_line(operator: OperatorRecord) -> Text:
    """``bias_gelu: pass (412 cases, 0 findings, 3 not checked) on cpu``."""
    verdict = operator.verdict
    findings = sum(len(case.outcome.findings) for case in operator.cases)
    counts = operator.counts()
    facts = [count_text(len(operator.cases), "case"), count_text(findings, "finding")]
    facts.append(f"{counts['not checked']} not checked")
    if counts["error"]:
        facts.append(count_text(counts["error"], "error"))
    label = "" if operator.label == "hardware" else f" ({operator.label})"
    line = Text.assemble(
        (operator.name, "bold"),
        ": ",
        (verdict, STYLES[verdict]),
        f" ({', '.join(facts)}) on {operator.target}{label}",
    )
    hollow = [
        each.check
        for each in check_summaries(operator)
        if each.verdict == "not checked" and each.cases
    ]
    if not operator.cases:
        line.append("; no case was run", style="yellow")
    elif hollow:
        line.append(f"; {' and '.join(hollow)} proved nothing", style="yellow")
    return line


def _parts(record: Record, verbose: bool, ascii_only: bool) -> Iterator[RenderableType]:
    yield _environment(record)
    yield Text()
    yield check_table(record.operators, ascii_only=ascii_only)
    if any(each.max_ulp is not None for op in record.operators for each in check_summaries(op)):
        yield Text()
        yield Text(LEGEND, style="dim")
    yield from _findings(record.operators, verbose, ascii_only)
    yield from _reasons(record.operators, ascii_only)
    yield from _unclaimed(record.operators)
    yield from kernel_lines(record.operators)
    if verbose:
        yield from _notes(record.operators)
    yield Text()
    for operator in record.operators:
        yield closing_line(operator)


def _environment(record: Record) -> Text:
    """One line on where this ran: what figures depend on most."""
    known = record.environment
    facts = [f"opwright {record.opwright}"]
    facts += [f"{name} {known[name]}" for name in ("torch", "python") if known.get(name)]
    facts += [str(known["cpu"])] if known.get("cpu") else []
    facts += [count_text(known["threads"], "thread")] if known.get("threads") else []
    return Text(", ".join(facts), style="dim")


def _findings(
    operators: Sequence[OperatorRecord], verbose: bool, ascii_only: bool
) -> Iterator[RenderableType]:
    for title, operator in titled(operators):
        for group, again in _told_once(finding_groups(operator)):
            yield Text()
            head = f" {title}, {group.check}: {group.finding.kind}"
            yield Text.assemble(sign("fail", ascii_only=ascii_only), (head, "bold"))
            yield Padding(_finding(operator, group, verbose), (0, 0, 0, 2))
            if program := group.case.reproduction:
                # Whole lines, however long: they are there to be copied. A Padding would cut them.
                yield Text()
                yield Text(indent(program, "    "), no_wrap=True, overflow="ignore")
            if again:
                others = ", ".join(f"{each.check} ({each.count})" for each in again)
                yield Text()
                yield Padding(Text(f"The same in {others}.", style="dim"), (0, 0, 0, 2))


def _told_once(
    groups: Sequence[FindingGroup],
) -> Iterator[tuple[FindingGroup, list[FindingGroup]]]:
    """Each finding with those of other checks that say the same: a crash is one for all of them."""
    same: dict[tuple[str, str], list[FindingGroup]] = {}
    for group in groups:
        same.setdefault((group.finding.kind, group.finding.message), []).append(group)
    for first, *again in same.values():
        yield first, again


def _finding(operator: OperatorRecord, group: FindingGroup, verbose: bool) -> Table:
    grid = _grid()
    grid.add_row("saw", Text(group.finding.message))
    more = f" (the smallest of {group.count} cases)" if group.count > 1 else ""
    grid.add_row("case", Text.assemble(group.case.name, (more, "dim")))
    if verbose and group.count > 1:
        grid.add_row("also", Text("\n".join(_other_cases(operator, group))))
    if smaller := _smaller(group.case):
        grid.add_row("code", Text(smaller))
    if next_step := advice(group.finding.kind):
        grid.add_row("do", Text(next_step))
    return grid


def _smaller(case: CaseRecord) -> str:
    """What the program shows where that is not the case itself."""
    if not case.reproduction or not case.shrunk:
        return ""
    sizes = case.shrunk["sizes"]
    named = ",".join(f"{name}={_size_text(size)}" for name, size in sizes.items())
    made = f"a smaller one: {named}" if sizes != case.case["sizes"] else "a simpler one"
    return f"shows the same kind of finding on {made}"


def _size_text(size: int | Sequence[int]) -> str:
    return str(size) if isinstance(size, int) else "x".join(map(str, size)) or "()"


def _other_cases(operator: OperatorRecord, group: FindingGroup) -> list[str]:
    return [
        case.name
        for case in operator.cases
        if case is not group.case
        and case.check == group.check
        and any(finding.kind == group.finding.kind for finding in case.outcome.findings)
    ]


def _reasons(operators: Sequence[OperatorRecord], ascii_only: bool) -> Iterator[RenderableType]:
    """What was not judged, by check and reason, the operators of one reason together."""
    rows: dict[tuple[str, str, str], dict[str, int]] = {}
    for title, operator in titled(operators):
        for group in reason_groups(operator):
            counts = rows.setdefault((group.verdict, group.check, group.reason), {})
            counts[title] = group.count
    for verdict in ("error", "not checked"):
        chosen = {key: counts for key, counts in rows.items() if key[0] == verdict}
        if not chosen:
            continue
        yield Text()
        mark = sign("error" if verdict == "error" else "not checked", ascii_only=ascii_only)
        yield Text.assemble(mark, (f" {verdict}", "bold"))
        grid = _grid()
        for (_, check, reason), counts in chosen.items():
            whose = ", ".join(
                f"{name} {number}" if number else name for name, number in counts.items()
            )
            grid.add_row(check, Text.assemble(_shortened(reason), (f" ({whose})", "dim")))
        yield Padding(grid, (0, 0, 0, 2))


def _unclaimed(operators: Sequence[OperatorRecord]) -> Iterator[RenderableType]:
    """One sentence for each kind of run on what it says nothing of."""
    told = {operator.label: operator.unclaimed for operator in operators if operator.unclaimed}
    for label, topics in told.items():
        each = " or ".join(f"{topic} ({why})" for topic, why in topics.items())
        yield Text()
        yield Text(f"What is {label} says nothing of {each}.", style="dim")


def _notes(operators: Sequence[OperatorRecord]) -> Iterator[RenderableType]:
    for title, operator in titled(operators):
        notes = note_groups(operator)
        if notes:
            yield Text()
            yield Text(f"{title}: noted, and no fault", style="bold")
            grid = _grid()
            for check, note, number in notes:
                grid.add_row(check, Text.assemble(note, (f" ({number})", "dim")))
            yield Padding(grid, (0, 0, 0, 2))


def _shortened(reason: str) -> str:
    """The first lines of a reason: a compiler's message goes on for long."""
    lines = reason.splitlines()
    return "\n".join([*lines[:_REASON_LINES], *(["..."] if len(lines) > _REASON_LINES else [])])


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid
