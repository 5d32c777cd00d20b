"""Special values: every bfloat16 and float16 value, and where longer types break, against the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from opwright.checks.judging.outputs import findings_of, output_names, run_operator, tolerance_of
from opwright.checks.judging.programs import Program
from opwright.checks.judging.regions import by_region, joined
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.checks.structure.elementwise import is_elementwise
from opwright.inputs.call import Call, make_call, reference_results
from opwright.inputs.special import SPRINKLED, form_of, sprinkled, sweep
from opwright.judge import judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.dims import Dim, Shape
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, allowed, roomy_size_sets
from opwright.spec.sizing import sizes_of

_ELEMENTS = 1 << 16
_MAX_CALLS = 64
# What a float64 reference may lose itself where it cancels, in eps of the largest number about.
_ORACLE_EPS = 64.0
# What the other floating-point arguments hold: 0 and 1 leave sums and products as they are.
_OTHERS = ("zeros", "ones")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each floating-point argument swept, the others at 0 and at 1; every dtype."""
    scalars = scalar_choices(spec)[0]
    for dtypes in dtype_choices(spec):
        floating = [a.name for a in spec.schema.tensors if _is_floating(spec, a.name, dtypes)]
        for name in floating:
            sizes = _wide(spec, name, scalars)
            if sizes is None:
                continue
            alone = len(floating) == 1
            for other in _OTHERS[:1] if alone else _OTHERS:
                more = [f"{name} swept"] if alone else [f"{name} swept", f"others {other}"]
                yield Case(
                    "special_values",
                    case_name({}, dtypes, None, (), *more).removeprefix("- "),
                    dtypes,
                    sizes,
                    scalars,
                    extra={"argument": name, "others": other},
                )


def run(case: Case, subject: Subject) -> Outcome:
    """Sweep where every element stands for itself; put single values among normal ones elsewhere."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for tensors of this size more only cost time
    try:
        return _checked(case, subject)
    finally:
        torch.set_num_threads(threads)


def _checked(case: Case, subject: Subject) -> Outcome:
    small = next(iter(roomy_size_sets(subject.spec, case.scalars, count=1)), case.sizes)
    probe = make_call(subject.spec, Case(**{**vars(case), "sizes": small}))
    if is_elementwise(probe, case.extra["argument"]):
        return _swept(case, subject)
    return _sprinkled(Case(**{**vars(case), "sizes": small}), subject)


def _swept(case: Case, subject: Subject) -> Outcome:
    """All values through the operator, as many calls as that takes; judged in one go."""
    name = case.extra["argument"]
    call = _with_others(make_call(subject.spec, case), case)
    values = sweep(call.arguments[name].dtype)
    count = call.arguments[name].numel()
    if -(-values.numel() // count) > _MAX_CALLS:
        return not_checked(
            f"{values.numel():,} values do not fit {_MAX_CALLS} calls of these sizes"
        )
    parts = []
    for start in range(0, values.numel(), count):
        chosen = torch.arange(start, start + count) % values.numel()
        filled = values[chosen].view(call.arguments[name].shape)
        parts.append(_outputs(subject, Call(call.spec, {**call.arguments, name: filled}), name))
    what = f"every {values.dtype} value" if _is_half(values) else ""
    return _judged(case, subject, joined(parts, values.numel()), what)


def _outputs(subject: Subject, call: Call, name: str) -> Mapping[str, list[torch.Tensor]]:
    """Flat results of operator, reference and oracle, and the swept values that belong to each."""
    reference = reference_results(subject.spec, call, wide=False)
    oracle = reference_results(subject.spec, call, wide=True)
    results = run_operator(subject, call.cloned())
    swept = [call.arguments[name].expand(tensor.shape) for tensor in reference]
    return {"results": results, "reference": reference, "oracle": oracle, "swept": swept}


def _judged(
    case: Case, subject: Subject, parts: Mapping[str, list[torch.Tensor]], what: str
) -> Outcome:
    """Inside the declared range everything counts; outside, whether NaN and infinities agree is noted."""
    spec, name = subject.spec, case.extra["argument"]
    names = output_names(spec, make_call(spec, case))
    findings: list[Finding] = []
    figures: dict[str, Any] = {}
    notes: list[str] = []
    for number, output in enumerate(names):
        result, reference, oracle, swept = (tensors[number] for tensors in parts.values())
        if not result.dtype.is_floating_point or result.shape != reference.shape:
            continue  # exact outputs, and wrong shapes, are for numerics
        inside = _inside(spec, name, swept)
        if result.dtype == torch.float64:
            result = _forgiven(result, oracle, swept)
        chosen = [tensor[inside] for tensor in (reference, oracle, result)]
        standards = set_standards([chosen[0]], [chosen[1]], tolerance_of(spec, case))
        comparison = judge([chosen[2]], standards, names=(output,), inputs={name: swept[inside]})
        table = by_region(chosen[2], standards[0], swept[inside])
        findings += [
            _said(finding, what, table, swept[inside]) for finding in findings_of(comparison)
        ]
        # Not as one figure for all: the largest error is that of the least important region.
        figures[output] = table
        notes += comparison.notes
        strays = _class_mismatches(result[~inside], reference[~inside])
        if strays:
            notes.append(
                f"{output}: outside the declared range of `{name}`, NaN or infinity at {strays}"
            )
    if not figures:
        return not_checked("no output has a floating-point dtype")
    if findings:
        return failed(*findings, figures={"regions": figures})
    return passed({"regions": figures}, tuple(notes))


def _said(finding: Finding, what: str, table: Mapping[str, Any], swept: torch.Tensor) -> Finding:
    bad = [region for region, figures in table.items() if figures["wrong"]]
    counts = ", ".join(f"{region} {table[region]['wrong']}" for region in bad)
    told = f"; wrong by region of the input: {counts}" if bad else ""
    over = f"over {what}: " if what else ""
    details = {**finding.details, "regions": table}
    if "index" in finding.details:
        details["input_value"] = str(swept[finding.details["index"][0]].item())
    return Finding(finding.kind, f"{over}{finding.message}{told}", details)


def _forgiven(result: torch.Tensor, oracle: torch.Tensor, swept: torch.Tensor) -> torch.Tensor:
    """A float64 result, the oracle's where the oracle itself need not be nearer to the truth."""
    scale = torch.maximum(swept.to(torch.float64).abs(), oracle.abs())
    close = (result - oracle).abs() <= _ORACLE_EPS * torch.finfo(torch.float64).eps * scale
    return torch.where(close, oracle, result)


def _class_mismatches(result: torch.Tensor, reference: torch.Tensor) -> int:
    return int(
        ((result.isnan() != reference.isnan()) | (result.isinf() != reference.isinf())).sum()
    )


def _inside(spec: OperatorSpec, name: str, swept: torch.Tensor) -> torch.Tensor:
    bounds = spec.inputs[name].range
    if bounds is None:
        return torch.ones_like(swept, dtype=torch.bool)
    return (swept >= bounds[0]) & (swept <= bounds[1])


def _sprinkled(case: Case, subject: Subject) -> Outcome:
    """One special value at a time among normal ones: it may spread, and has to spread as it should."""
    name, spec = case.extra["argument"], subject.spec
    call = _with_others(make_call(spec, case), case)
    dtype = call.arguments[name].dtype
    labels = [n for n in SPRINKLED if _is_meant(spec, name, sprinkled(n, dtype))]
    if not labels:
        return not_checked(f"all special values are outside the declared range of `{name}`")
    findings = []
    for label in labels:
        filled = call.arguments[name].clone()
        places = torch.arange(0, filled.numel(), max(2, filled.numel() // 3))
        filled.view(-1)[places] = sprinkled(label, dtype)
        changed = Call(spec, {**call.arguments, name: filled})
        parts = _outputs_only(subject, changed)
        comparison = judge(
            parts[2], parts[1], names=output_names(spec, call), inputs=changed.tensors
        )
        findings += [
            Finding(f.kind, f"with {label} in `{name}`: {f.message}", {**f.details, "value": label})
            for f in findings_of(comparison)
            if f.kind in ("NaN mismatch", "infinity mismatch") and not _both_lose(parts, f)
        ]
    return failed(*findings) if findings else passed({"values": len(labels)})


def _is_meant(spec: OperatorSpec, name: str, value: float) -> bool:
    bounds = spec.inputs[name].range
    return bounds is None or bounds[0] <= value <= bounds[1]


def _outputs_only(subject: Subject, call: Call) -> tuple[Any, Any, list[torch.Tensor]]:
    reference = reference_results(subject.spec, call, wide=False)
    oracle = reference_results(subject.spec, call, wide=True)
    return reference, set_standards(reference, oracle), run_operator(subject, call.cloned())


def _both_lose(parts: tuple[Any, Any, list[torch.Tensor]], finding: Finding) -> bool:
    """Whether the reference has a special value there, and the oracle none: another one is no worse."""
    reference, standards, _ = parts
    number, index = finding.details["output"], tuple(finding.details["index"])
    exact = standards[number].oracle.reshape(reference[number].shape)
    return not bool(reference[number][index].isfinite()) and bool(exact[index].isfinite())


def _with_others(call: Call, case: Case) -> Call:
    """The other floating-point arguments at 0 or at 1, where the case asks for that."""
    fill = {"zeros": 0.0, "ones": 1.0}.get(case.extra["others"])
    if fill is None:
        return call
    changed = {
        name: torch.full_like(value, fill)
        for name, value in call.tensors.items()
        if name != case.extra["argument"] and value.dtype.is_floating_point
    }
    return Call(call.spec, {**call.arguments, **changed})


def _is_half(values: torch.Tensor) -> bool:
    return form_of(values.dtype).mantissa_bits < 16


def _is_floating(spec: OperatorSpec, name: str, dtypes: Mapping[str, str]) -> bool:
    named = spec.dtype_of(spec.inputs[name])
    return dtypes.get(named, named) in ("float64", "float32", "float16", "bfloat16")


def _wide(spec: OperatorSpec, name: str, scalars: Mapping[str, Any]) -> Sizes | None:
    """Sizes at which the argument has about as many elements as there are values; small ones else."""
    sets = roomy_size_sets(spec, scalars, count=1)
    if not sets:
        return None
    known = {k: v for k, v in scalars.items() if isinstance(v, int)}
    least = _with_least(spec, name, sets[0], scalars)
    for size in reversed(spec.inputs[name].sizes):
        if not isinstance(size, (Dim, Shape)):
            continue
        value = least[size.name]
        elements = 1
        for each in sizes_of(spec.inputs[name], {**least, **known}):
            elements *= each
        old = (
            value[0]
            if isinstance(value, tuple) and value
            else value
            if isinstance(value, int)
            else 1
        )
        wanted = max(1, -(-_ELEMENTS * old // max(elements, 1)))
        wide = (wanted, *value[1:]) if isinstance(value, tuple) else wanted
        grown = {**least, size.name: wide}
        if allowed(spec, grown, scalars, 2 * _ELEMENTS):
            return grown
    return sets[0]


def _with_least(spec: OperatorSpec, name: str, sizes: Sizes, scalars: Mapping[str, Any]) -> Sizes:
    """The sizes that the argument does not have at 1, where the description allows that."""
    own = {size.name for size in spec.inputs[name].sizes if isinstance(size, (Dim, Shape))}
    for other, value in sizes.items():
        least: Any = (1,) * len(value) if isinstance(value, tuple) else 1
        if other not in own and allowed(spec, {**sizes, other: least}, scalars, _ELEMENTS):
            sizes = {**sizes, other: least}
    return sizes


def _single(spec: OperatorSpec, case: Case) -> Call | None:
    """A call of one element with the value that was found, where every element stands for itself."""
    if "found" not in case.extra:
        return None
    call, name = make_call(spec, case), case.extra["argument"]
    value = call.arguments[name].reshape(-1)[:1]
    filled = torch.full_like(value, float(case.extra["found"]))
    changed = {
        n: (filled if n == name else t.reshape(-1)[:1]).view((1,) * t.dim())
        for n, t in call.tensors.items()
    }
    return Call(spec, {**call.arguments, **changed})


def _why_none(spec: OperatorSpec) -> str:
    if any(_is_floating(spec, a.name, d) for a in spec.schema.tensors for d in dtype_choices(spec)):
        return no_sizes(spec)
    return "no argument is a tensor of a floating-point dtype"


CHECK = Check(
    "special_values",
    "NaN, infinities, zeros, subnormal and huge numbers give what the reference gives, "
    "for every value of a half type where elements stand for themselves",
    cases,
    run,
    why_none=_why_none,
    program=Program(call=_single),
)
