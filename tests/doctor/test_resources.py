from __future__ import annotations

from fake_machine import FakeMachine
from opwright.doctor.resources import probe_cores, probe_jobs, probe_memory


def test_less_time_than_one_core_is_a_problem(fake: FakeMachine) -> None:
    assert probe_cores(fake.machine).status == "ok"
    limit = fake.root / "sys/fs/cgroup/cpu.max"
    limit.parent.mkdir(parents=True)
    limit.write_text("50000 100000")
    finding = probe_cores(fake.machine)
    assert finding.status == "problem"
    assert "0.5" in finding.what


def test_memory_for_less_than_one_compiler_is_a_problem() -> None:
    assert probe_memory(8 << 30).status == "ok"
    assert probe_memory(512 << 20).status == "problem"
    assert probe_memory().facts["free_bytes"] > 0


def test_a_limit_on_jobs_is_said_with_its_reason(fake: FakeMachine) -> None:
    fake.environment["MAX_JOBS"] = "1"
    assert "1 at a time, because of" in probe_jobs(fake.machine).what
