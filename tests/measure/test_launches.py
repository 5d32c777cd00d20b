from __future__ import annotations

from opwright.devices.activity import Activity, Launch
from opwright.measure.launches import launches_of, told_of


def activity(*kernels: str, current: bool = True) -> Activity:
    return Activity(launches=tuple(Launch(kernel, 7, current) for kernel in kernels))


def test_what_the_last_call_launched_is_told_and_nothing_speaks_against_it() -> None:
    found = told_of([activity("sum", "scale")] * 3)
    assert found.figures["kernels"] == 2
    assert [each["kernel"] for each in found.figures["launches"]] == ["sum", "scale"]
    assert found.doubts == ()


def test_a_call_that_launches_nothing_is_doubted() -> None:
    found = told_of([activity()] * 3)
    assert found.figures["kernels"] == 0
    assert found.doubts == ("the call launches no kernel: what is timed is not on the device",)


def test_kernels_on_another_stream_are_named() -> None:
    elsewhere = Activity(launches=(Launch("sum", 7, True), Launch("scale", 9, False)))
    (doubt,) = told_of([elsewhere] * 3).doubts
    assert doubt.startswith("scale runs on another stream than the current one")


def test_a_number_of_kernels_that_changes_from_call_to_call_is_doubted() -> None:
    found = told_of([activity("sum", "sum"), activity("sum"), activity("sum")])
    assert found.doubts == ("calls launch different numbers of kernels: 2, 1, 1",)
    assert found.figures["kernels"] == 1
    assert len(found.figures["launches"]) == 1


def test_nothing_is_told_where_there_is_no_device_or_nobody_records_it() -> None:
    class Blind:
        def activity(self, run: object) -> Activity:
            return Activity(waiting=("cudaMalloc",))

    assert launches_of(lambda: lambda: None, None) == ({}, ())
    assert launches_of(lambda: lambda: None, Blind()) == ({}, ())  # type: ignore[arg-type]


def test_every_look_at_a_device_is_at_a_call_that_was_prepared_for_it() -> None:
    said: list[str] = []

    class Seeing:
        def activity(self, run: object) -> Activity:
            said.append("look")
            return activity("sum")

    def prepare() -> object:
        said.append("prepare")
        return None

    launches_of(prepare, Seeing())  # type: ignore[arg-type]
    assert said == ["prepare", "look"] * 3
