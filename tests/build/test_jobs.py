"""The number of jobs follows what is there: processors, memory, processes, control groups of both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.build import jobs as module
from opwright.build.jobs import JOB_BYTES, Jobs, job_count

GB = 1_000_000_000


class Machine:
    """A made-up machine: what the kernel would say of it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.memory(64 * GB)
        self.groups("")
        monkeypatch.setattr(module.os, "sched_getaffinity", lambda pid: range(32))

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def memory(self, size_bytes: int) -> None:
        self.write("proc/meminfo", f"MemTotal: 1 kB\nMemAvailable: {size_bytes // 1024} kB\n")

    def groups(self, text: str) -> None:
        self.write("proc/self/cgroup", text)

    def jobs(self, units: int = 100, **environment: str) -> Jobs:
        return job_count(units, environment, root=self.folder)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_the_scarcest_thing_decides(machine: Machine) -> None:
    assert machine.jobs()[:2] == (32, "processors")
    assert machine.jobs(3)[:2] == (3, "units to compile")
    machine.memory(4 * JOB_BYTES + 5000)
    assert machine.jobs()[:2] == (4, "6.0 GB of free memory")
    machine.memory(0)
    assert machine.jobs().at_once == 1


def test_a_version_2_group_limits_memory_processors_and_processes(machine: Machine) -> None:
    machine.groups("0::/job/step\n")
    group = "sys/fs/cgroup/job/step"
    machine.write(f"{group}/memory.max", "max\n")
    machine.write("sys/fs/cgroup/job/memory.max", f"{10 * GB}\n")  # an outer group counts, too
    machine.write("sys/fs/cgroup/job/memory.current", f"{6 * GB}\n")
    machine.write("sys/fs/cgroup/job/memory.stat", f"anon 1\ninactive_file {2 * GB}\n")
    assert machine.jobs()[:2] == (4, "6.0 GB of free memory")
    machine.write(f"{group}/cpu.max", "300000 100000\n")
    assert machine.jobs().at_once == 3
    machine.write(f"{group}/pids.max", "64\n")
    machine.write(f"{group}/pids.current", "55\n")
    assert machine.jobs()[:2] == (2, "9 more processes allowed")


def test_a_version_1_group_limits_memory_and_processors(machine: Machine) -> None:
    machine.groups("4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/\n")
    machine.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", f"{5 * GB}\n")
    machine.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", f"{1 * GB}\n")
    assert machine.jobs().at_once == 2
    machine.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n")
    machine.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n")
    assert machine.jobs().at_once == 1


@pytest.mark.parametrize("name", ["MAX_JOBS", "OPWRIGHT_JOBS"])
def test_the_user_can_ask_for_fewer(machine: Machine, name: str) -> None:
    assert machine.jobs(**{name: "2"}).at_once == 2
    assert machine.jobs(**{name: "0"}).at_once == 1
    assert machine.jobs(**{name: "many"}).at_once == 32


def test_this_machine_has_an_answer() -> None:
    assert 1 <= job_count(8).at_once <= 8
