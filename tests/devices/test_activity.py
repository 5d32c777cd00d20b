from __future__ import annotations

from opwright.devices.activity import Activity, Launch

MINE, OTHER = Launch("twice<float>", 7, current=True), Launch("sum<float>", 13, current=False)


def test_what_is_not_on_the_current_stream_is_told_once_and_every_launch_is_a_figure() -> None:
    activity = Activity(("cudaMalloc", "cudaFree"), (MINE, OTHER, OTHER))
    assert activity.told == (
        " It calls `cudaMalloc` and `cudaFree`. Not on the current stream: `sum<float>`."
    )
    assert activity.launches
    assert activity.figures["launches"][:2] == [
        {"kernel": "twice<float>", "stream": 7, "current": True},
        {"kernel": "sum<float>", "stream": 13, "current": False},
    ]


def test_where_nothing_is_known_nothing_is_told() -> None:
    assert (Activity().told, Activity().figures) == ("", {})
    assert Activity(launches=(MINE,)).told == ""


def test_that_nothing_was_launched_is_known() -> None:
    assert Activity(launches=()).figures == {"launches": []}
