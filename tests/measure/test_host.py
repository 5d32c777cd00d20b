"""What is read of the processors is what the kernel says of those that this process may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.measure.host import host_state

STAT = """cpu  9 9 9 9 9 9 9 9 9 9
cpu0 10 0 10 70 0 0 0 10 5 0
cpu1 0 0 0 99 0 0 0 1 0 0
cpu2 1 1 1 1 1 1 1 1 1 1
intr 5
"""
CPUINFO = """processor\t: 0
cpu MHz\t\t: 2445.4

processor\t: 1
cpu MHz\t\t: 3000.0

processor\t: 2
cpu MHz\t\t: 9000.0
"""


def machine(root: Path, **clocks: str) -> Path:
    files = {
        "proc/stat": STAT,
        "proc/cpuinfo": CPUINFO,
        "proc/loadavg": "1.25 0.5 0.1 3/200 77\n",
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/cpu.max": "150000 100000\n",
        "sys/fs/cgroup/cpu.stat": "nr_periods 9\nnr_throttled 4\n",
    }
    for cpu in (0, 1):
        for name, text in clocks.items():
            files[f"sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}"] = text
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1})


def test_a_host_without_clock_control_says_what_it_has_and_what_not(tmp_path: Path) -> None:
    host = host_state(machine(tmp_path))
    assert (host.cpus, host.quota_cpus, host.load, host.mhz) == (2, 1.5, 1.25, 3000.0)
    assert (host.steal_ticks, host.total_ticks) == (11, 200), "of its own processors only"
    assert host.throttled_periods == 4
    assert (host.governor, host.fixed_clock) == ("", None)
    assert set(host.not_read) == {"governor", "fixed_clock"}


def test_clock_control_is_read_where_it_is(tmp_path: Path) -> None:
    clocks = {"scaling_governor": "schedutil\n", "scaling_cur_freq": "1800000\n"}
    bounds = {"scaling_min_freq": "800000\n", "scaling_max_freq": "3000000\n"}
    host = host_state(machine(tmp_path, **clocks, **bounds))
    assert (host.governor, host.mhz, host.fixed_clock) == ("schedutil", 1800.0, False)
    bounds["scaling_min_freq"] = bounds["scaling_max_freq"]
    assert host_state(machine(tmp_path, **clocks, **bounds)).fixed_clock


def test_nothing_read_is_no_error_but_has_reasons(tmp_path: Path) -> None:
    host = host_state(tmp_path)
    assert {"ticks", "load", "mhz", "governor", "throttled_periods"} <= set(host.not_read)
    assert all(host.not_read.values())
    assert str(tmp_path) not in str(host.not_read)
