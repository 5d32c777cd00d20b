"""What the emulator finds, with the line, the block and the thread."""

from __future__ import annotations

import re

import pytest

from emulated.building import KERNELS

pytestmark = pytest.mark.xdist_group("emulator")  # it is compiled first

SOURCE = "faults.cu"

# function -> kind of the finding, a part of its message, the thread of its first occurrence
WATCHED = {
    "missing_barrier": ("race", "shared memory", None),
    "no_lockstep": ("race", "shared memory", None),
    "all_write": ("race", "global memory", (1, 0, 0)),
    "blocks_write": ("race", "global memory", (0, 0, 0)),
    "early_total": ("race", "an atomic access by another", (63, 0, 0)),
    "no_fence": ("race", "global memory", (0, 0, 0)),
    "unwritten": ("uninitialised_shared", "has written", (60, 0, 0)),
    "beyond_the_end": ("out_of_bounds", "0 bytes after the end of x", (0, 0, 0)),
    "pointer_to_host": ("out_of_bounds", "in memory of no tensor", (0, 0, 0)),
    "shared_index": ("out_of_bounds", "index 32 outside float [32]", (32, 0, 0)),
    "dynamic_index": ("out_of_bounds", "outside every object in shared memory", (63, 0, 0)),
    "local_index": ("out_of_bounds", "index 8 outside float [8]", (0, 0, 0)),
    "misaligned": ("misaligned_access", "no multiple of 16", (0, 0, 0)),
    "overflow": ("undefined_behaviour", "65536 * 40000 does not fit in int", (0, 0, 0)),
    "shift": ("undefined_behaviour", "shift of 1 by 32 bits in int", (3, 0, 0)),
}
ALWAYS = {
    "exits_early": ("divergent_barrier", "some have exited", (0, 0, 0)),
    "two_barriers": ("divergent_barrier", "another one at", (0, 0, 0)),
    "deadlock": ("deadlock", "lanes of its wave that never come", (0, 0, 0)),
    "inactive": ("inactive_lane", "lane 8 reads the value of lane 24, which does not", (8, 0, 0)),
    "asserts": ("device_assert", "threadIdx.x < 3", (3, 0, 0)),
    "traps": ("trap", "__trap()", (0, 0, 0)),
    "ignored_error": ("ignored_launch_error", "(1, 70000, 1)", None),
    "too_much_shared": ("shared_limit", "65536 bytes of static", None),
    "nested_launch": ("unsupported", "a kernel launches a kernel", (0, 0, 0)),
}


def line_of(function: str) -> int | None:
    lines = (KERNELS / SOURCE).read_text().splitlines()
    marked = [i for i, line in enumerate(lines, 1) if re.search(rf"// here: {function}\b", line)]
    return marked[0] if marked else None


def found(kernels, function: str, **options: str) -> list:
    kernels.call(function, **options)
    return [finding for finding in kernels.findings() if not finding.is_note]


def assert_found(findings, function: str, kind: str, part: str, thread) -> None:
    chosen = [finding for finding in findings if finding.kind == kind]
    assert chosen, [str(finding) for finding in findings]
    line = line_of(function)
    places = [(chosen[0].where.file, chosen[0].where.line)]
    if chosen[0].other:
        places.append((chosen[0].other.file, chosen[0].other.line))
    if line and kind != "shared_limit":
        assert (str(KERNELS / SOURCE), line) in places, str(chosen[0])
    assert part in chosen[0].message
    if thread:
        assert chosen[0].where.thread == thread


@pytest.mark.parametrize("function", WATCHED)
def test_watched_kernels_give_up_their_faults(load, function: str) -> None:
    kind, part, thread = WATCHED[function]
    assert_found(found(load(SOURCE, watched=True), function), function, kind, part, thread)


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("function", ALWAYS)
def test_faults_of_execution_are_found_in_every_build(load, function: str, watched: bool) -> None:
    kind, part, thread = ALWAYS[function]
    kernels = load(SOURCE, watched=watched)
    assert_found(found(kernels, function), function, kind, part, thread)


def test_the_block_of_a_finding_is_told(load) -> None:
    (finding,) = found(load(SOURCE, watched=True), "beyond_the_end")
    assert finding.where.block == (1, 0, 0)
    assert finding.kernel == "copy_kernel"


@pytest.mark.parametrize("function", ["right_with_fence", "within"])
def test_what_only_looks_like_a_fault_gives_no_finding(load, function: str) -> None:
    kernels = load(SOURCE, watched=True)
    assert kernels.call(function) == 0
    assert [f for f in kernels.findings() if not f.is_note] == []


def test_a_mask_of_32_lanes_is_too_short_for_a_wave_of_64(load) -> None:
    assert found(load(SOURCE), "short_mask") == []
    findings = found(load(SOURCE, wave_size=64), "short_mask")
    assert_found(findings, "short_mask", "lane_not_in_mask", "waves have 64 lanes", (32, 0, 0))


def test_code_for_waves_of_32_is_wrong_on_64(load) -> None:
    assert load(SOURCE).call("wave32_only") == 0
    assert load(SOURCE, wave_size=64).call("wave32_only") == 1


def test_dependence_on_the_order_of_blocks_comes_out(load) -> None:
    kernels = load(SOURCE)
    assert kernels.call("order_of_blocks", threads="1") == 0
    assert kernels.call("order_of_blocks", threads="1", order="reverse") == 16
    assert kernels.call("order_of_blocks", threads="1", order="random:3") > 0
    assert kernels.call("order_of_blocks", threads="1", order="random:3") > 0


def test_an_error_in_a_kernel_lasts_until_the_reset(load) -> None:
    kernels = load(SOURCE)
    assert kernels.call("asserts") == 0
    kernels.library.ignored_error()
    assert kernels.library.asserts() == 0  # the error is still that of the assertion
    assert kernels.call("right_with_fence") == 0


@pytest.mark.parametrize("function", ["default_stream", "default_stream_copy"])
def test_work_on_another_stream_than_the_current_one_is_found(load, function: str) -> None:
    kernels = load(SOURCE)
    assert found(kernels, function, stream="any") == []
    assert found(kernels, function, stream="0") == []
    (finding,) = found(kernels, function, stream="4096")
    assert finding.kind == "wrong_stream"
    assert finding.where.line == line_of(function)


def test_traffic_is_counted_by_tensor(load) -> None:
    kernels = load(SOURCE, watched=True)
    kernels.call("traffic")
    kernel = kernels.kernels()["traffic_kernel"]
    assert (kernel["launches"], kernel["grid"], kernel["block"]) == (2, [3, 1, 1], [48, 1, 1])
    assert kernel["traffic"] == {
        "x": {
            "read_bytes": 2048,
            "written_bytes": 0,
            "touched_read_bytes": 1024,
            "touched_written_bytes": 0,
        },
        "y": {
            "read_bytes": 0,
            "written_bytes": 1024,
            "touched_read_bytes": 0,
            "touched_written_bytes": 1024,
        },
    }


def test_unknown_options_are_refused(load) -> None:
    kernels = load(SOURCE)
    assert kernels.set("order", "sideways") != 0
    assert kernels.set("speed", "1") != 0


def test_findings_are_appended_to_a_file_as_they_are_made(load, tmp_path) -> None:
    kernels = load(SOURCE)
    report = tmp_path / "report"
    kernels.call("inactive", report=str(report))
    kernels.set("report", "")
    assert '"kind":"inactive_lane"' in report.read_text().splitlines()[0]
