"""Limits of control groups of both versions, and of the groups around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.cgroups import free_memory_bytes, free_processes, processor_limit, throttled_periods

GROUP = "sys/fs/cgroup/job/step"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("text", "limit"),
    [("150000 100000", 1.5), ("max 100000", None), ("", None), ("nonsense", None), ("1 0", None)],
)
def test_processor_time_is_read_at_the_root_without_a_group_of_ones_own(
    tmp_path: Path, text: str, limit: float | None
) -> None:
    assert processor_limit(write(tmp_path, {"sys/fs/cgroup/cpu.max": text})) == limit


def test_the_least_of_the_groups_around_a_process_counts(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "0::/job/step\n",
            f"{GROUP}/cpu.max": "400000 100000",
            "sys/fs/cgroup/job/cpu.max": "200000 100000",
            f"{GROUP}/pids.max": "max",
            "sys/fs/cgroup/job/pids.max": "64",
            "sys/fs/cgroup/job/pids.current": "60",
            f"{GROUP}/memory.max": "1000",
            f"{GROUP}/memory.current": "900",
            f"{GROUP}/memory.stat": "anon 1\ninactive_file 50\n",
        },
    )
    assert processor_limit(root) == 2
    assert free_processes(root) == 4
    assert free_memory_bytes(root) == 150


def test_version_1_has_a_folder_a_controller(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/\n",
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1000",
            "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "400",
            "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
        },
    )
    assert free_memory_bytes(root) == 600
    assert processor_limit(root) is None


def test_nothing_is_known_where_nothing_says_so(tmp_path: Path) -> None:
    assert (free_memory_bytes(tmp_path), free_processes(tmp_path)) == (None, None)


@pytest.mark.parametrize(
    ("texts", "periods"),
    [
        (["nr_periods 9\nnr_throttled 4\nthrottled_usec 7\n"], (4, 9)),
        (["usage_usec 5\n", "nr_periods 90\nnr_throttled 2\n"], (2, 90)),
        (["nr_periods 0\nnr_throttled 0\n", "nr_periods 90\nnr_throttled 2\n"], (2, 90)),
        (["usage_usec 5\n"], None),
        (["nonsense\n"], None),
    ],
)
def test_the_group_that_was_stopped_most_counts(
    tmp_path: Path, texts: list[str], periods: tuple[int, int] | None
) -> None:
    folders = (GROUP, "sys/fs/cgroup/job")
    files = {f"{folder}/cpu.stat": text for folder, text in zip(folders, texts, strict=False)}
    root = write(tmp_path, {"proc/self/cgroup": "0::/job/step\n", **files})
    assert throttled_periods(root) == periods
