"""Whatever an item does to its process, it gets one result, and the next item gets an answer."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opwright.errors import LoadError, WorkerError
from opwright.worker import Ended, Limits, Result, Worker

ENDS = "worker.planted_ends"
SETUP = f"{ENDS}:setup"
ROOMY = Limits(case_seconds=60, setup_seconds=60, memory_bytes=256 << 20)
TIGHT = Limits(case_seconds=0.6, setup_seconds=0.6, memory_bytes=256 << 20)

NATIVE = r"""
#include <cstdlib>
#include <stdexcept>
#include <cassert>
#include <csignal>
#include <new>
extern "C" void throw_uncaught() noexcept { throw std::runtime_error("tile is not 16 bytes wide"); }
extern "C" void fail_assertion() { assert(2 + 2 == 5); }
extern "C" void leave() { std::exit(11); }
extern "C" void raise_fpe() { std::raise(SIGFPE); }
extern "C" void write_to_address_8() { *reinterpret_cast<volatile int*>(8) = 1; }
extern "C" void allocate_too_much() noexcept { volatile char* p = new char[4ull << 30]; p[0] = 1; }
extern "C" long recurse(long n) { volatile char waste[4096]; waste[0] = n; return recurse(n + 1) + waste[0]; }
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("native")
    source, library = folder / "ends.cpp", folder / "ends.so"
    source.write_text(NATIVE)
    subprocess.run(["g++", "-w", "-O0", "-fPIC", "-shared", source, "-o", library], check=True)
    return str(library)


@pytest.fixture(scope="module")
def roomy() -> Iterator[Worker]:
    with Worker(SETUP, limits=ROOMY) as worker:
        yield worker


@pytest.fixture(scope="module")
def tight() -> Iterator[Worker]:
    with Worker(SETUP, limits=TIGHT) as worker:
        yield worker


def one(worker: Worker, do: str, **item: Any) -> Result:
    (result,) = worker.run([{"do": do, **item}])
    return result


def end_of(worker: Worker, do: str, **item: Any) -> Ended:
    """The end that an item comes to; the item after it must get an answer."""
    result = one(worker, do, **item)
    assert isinstance(result, Ended), result
    after = one(worker, "fine", say="hello")
    assert isinstance(after, dict), after
    assert after["said"] == "hello"
    return result


def answer_of(worker: Worker, do: str, **item: Any) -> dict[str, Any]:
    result = one(worker, do, **item)
    assert isinstance(result, dict), result
    return result


def test_a_fork_of_this_process_neither_uses_its_worker_nor_ends_it(roomy: Worker) -> None:
    before = answer_of(roomy, "fine")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            one(roomy, "fine")
        except WorkerError as error:
            code = 42 if "belongs to process" in error.what else 2
        roomy.close()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42
    assert answer_of(roomy, "fine") == before


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


# Answers


def test_items_are_answered_in_order_by_one_process(roomy: Worker) -> None:
    results = list(roomy.run({"do": "fine", "say": number} for number in range(20)))
    assert [result["said"] for result in results] == list(range(20))
    assert len({result["pid"] for result in results}) == 1


def test_the_next_item_is_taken_only_after_the_result_of_the_last(roomy: Worker) -> None:
    seen: list[Result] = []

    def items() -> Iterator[dict[str, Any]]:
        for number in range(3):
            assert len(seen) == number
            yield {"do": "fine", "say": number}

    for result in roomy.run(items()):
        seen.append(result)
    assert len(seen) == 3


def test_a_run_that_is_left_early_does_not_disturb_the_next(roomy: Worker) -> None:
    for _ in roomy.run({"do": "fine", "say": number} for number in range(5)):
        break
    assert answer_of(roomy, "fine", say="next")["said"] == "next"


def test_large_items_and_answers_pass(roomy: Worker) -> None:
    text = "ä" * 3_000_000
    assert answer_of(roomy, "fine", say=text)["said"] == text


def test_numbers_that_json_has_no_word_for_pass(roomy: Worker) -> None:
    said = answer_of(roomy, "fine", say=[float("inf"), float("-inf"), -0.0])["said"]
    assert str(said) == "[inf, -inf, -0.0]"


# Crashes


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGABRT", "SIGILL", "SIGKILL"])
def test_a_fatal_signal_is_named(roomy: Worker, name: str) -> None:
    ended = end_of(roomy, "signal_self", signal=int(getattr(signal, name)))
    assert (ended.kind, ended.signal, ended.during) == ("crashed", name, "item")
    assert ended.child_lost


def test_a_crash_comes_with_the_stack_and_what_was_printed_before(roomy: Worker) -> None:
    ended = one(roomy, "segfault")
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.signal) == ("crashed", "SIGSEGV")
    assert "in segfault" in ended.stack
    assert ended.stdout == "about to read address 0\n"
    assert roomy.output.stdout == ended.stdout


def test_an_uncaught_cpp_exception_keeps_its_text(roomy: Worker, native: str) -> None:
    ended = end_of(roomy, "call_library", library=native, function="throw_uncaught")
    assert (ended.kind, ended.signal) == ("crashed", "SIGABRT")
    assert "std::runtime_error" in ended.message
    assert "tile is not 16 bytes wide" in ended.message


def test_a_failed_assertion_keeps_its_text(roomy: Worker, native: str) -> None:
    ended = end_of(roomy, "call_library", library=native, function="fail_assertion")
    assert "2 + 2 == 5" in ended.message


def test_a_native_stack_overflow_is_a_crash_with_a_stack(roomy: Worker, native: str) -> None:
    ended = end_of(roomy, "native_stack_overflow", library=native)
    assert (ended.kind, ended.signal) == ("crashed", "SIGSEGV")
    assert "native_stack_overflow" in ended.stack


def test_a_crash_whose_handler_hangs_is_still_a_crash() -> None:
    patient = Limits(case_seconds=3600)  # the hang must not last until then
    with Worker(SETUP, limits=patient) as worker:
        ended = end_of(worker, "hang_while_dying")
    assert (ended.kind, ended.signal) == ("crashed", "SIGSEGV")


def test_the_items_that_the_same_process_answered_before_are_counted(roomy: Worker) -> None:
    roomy.use({}, setup=SETUP)
    items = [{"do": "fine"}, {"do": "fine"}, {"do": "abort"}, {"do": "abort"}]
    ends = [result for result in roomy.run(items) if isinstance(result, Ended)]
    assert [ended.items_before for ended in ends] == [2, 0]


def test_crashes_write_no_core() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        with Worker(SETUP, limits=ROOMY) as worker:
            assert answer_of(worker, "core_limit") == {"limits": [0, 0]}
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)


# Exits


@pytest.mark.parametrize("code", [0, 7])
def test_an_exit_without_an_answer_has_its_code(roomy: Worker, code: int) -> None:
    ended = end_of(roomy, "exit_at_once", code=code)
    assert (ended.kind, ended.exit_code) == ("exited", code)


def test_exit_from_cpp_has_its_code(roomy: Worker, native: str) -> None:
    ended = end_of(roomy, "call_library", library=native, function="leave")
    assert (ended.kind, ended.exit_code) == ("exited", 11)


@pytest.mark.parametrize("code,expected", [(3, 3), (None, 0), ("no device", 1), (-1, 255)])
def test_sys_exit_has_its_code_and_the_place(roomy: Worker, code: Any, expected: int) -> None:
    ended = end_of(roomy, "sys_exit", code=code)
    assert (ended.kind, ended.exit_code) == ("exited", expected)
    assert "in sys_exit" in ended.stack
    assert "sys.exit" in ended.message


# Hangs


def test_an_endless_loop_ends_at_the_limit_and_shows_where_it_was(tight: Worker) -> None:
    ended = end_of(tight, "loop")
    assert (ended.kind, ended.message) == ("hung", "gave no answer in 0.6 s")
    assert "in loop" in ended.stack


def test_who_still_gets_memory_when_the_time_is_over_is_waited_for() -> None:
    with Worker(SETUP, limits=Limits(case_seconds=0.5, memory_bytes=2 << 30)) as worker:
        (answer,) = worker.run([{"do": "grow", "seconds": 1.2, "bytes_per_s": 400 << 20}])
        assert isinstance(answer, dict), answer


@pytest.mark.parametrize("bytes_per_s", [0, 16 << 20])
def test_memory_that_does_not_grow_or_hardly_does_wins_no_time(bytes_per_s: int) -> None:
    with Worker(SETUP, limits=Limits(case_seconds=0.5, memory_bytes=2 << 30)) as worker:
        (ended,) = worker.run([{"do": "grow", "seconds": 30, "bytes_per_s": bytes_per_s}])
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.message) == ("hung", "gave no answer in 0.5 s")


def test_memory_that_grows_for_ever_wins_no_more_than_a_few_times_the_limit() -> None:
    with Worker(SETUP, limits=Limits(case_seconds=0.5, memory_bytes=8 << 30)) as worker:
        (ended,) = worker.run([{"do": "grow", "seconds": 60, "bytes_per_s": 400 << 20}])
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.message) == ("hung", "gave no answer in 2 s")


@pytest.mark.parametrize("do", ["hang_in_native_code", "stop_self"])
def test_a_hang_that_no_signal_reaches_ends_at_the_limit(tight: Worker, do: str) -> None:
    assert end_of(tight, do).kind == "hung"


# Memory


@pytest.mark.parametrize("do", ["hold_memory", "hold_shared_memory"])
def test_too_much_memory_held_ends_the_item(roomy: Worker, do: str) -> None:
    ended = end_of(roomy, do)
    assert ended.kind == "memory"
    assert "over its limit of 256 MiB" in ended.message
    assert ended.child_lost


def test_too_large_an_allocation_fails_and_leaves_the_process_usable(roomy: Worker) -> None:
    before = answer_of(roomy, "fine")["pid"]
    ended = one(roomy, "allocate", size_bytes=4 << 30)
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.exception, ended.child_lost) == ("memory", "MemoryError", False)
    assert answer_of(roomy, "fine")["pid"] == before


def test_an_uncaught_bad_alloc_names_itself(roomy: Worker, native: str) -> None:
    ended = end_of(roomy, "call_library", library=native, function="allocate_too_much")
    assert (ended.kind, ended.signal) == ("crashed", "SIGABRT")
    assert "std::bad_alloc" in ended.message


def test_a_mapped_sparse_file_is_no_memory(roomy: Worker, tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(8 << 30)
    answer = answer_of(roomy, "map_sparse_file", path=str(path), touch_bytes=320 << 20)
    assert answer == {"size": 8 << 30, "sum": 0}


def test_memory_within_the_limit_is_fine(roomy: Worker) -> None:
    assert answer_of(roomy, "allocate", size_bytes=128 << 20) == {"size": 128 << 20}


# Exceptions


def test_an_exception_has_type_text_and_place_and_leaves_the_process_usable(roomy: Worker) -> None:
    before = answer_of(roomy, "fine")["pid"]
    ended = one(roomy, "fail")
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.exception) == ("raised", "KeyError")
    assert ended.message == "KeyError: 'no such thing'"
    assert "in fail" in ended.stack
    assert not ended.child_lost
    assert answer_of(roomy, "fine")["pid"] == before


@pytest.mark.parametrize(
    "do,exception",
    [
        ("recurse", "RecursionError"),
        ("interrupt", "KeyboardInterrupt"),
        ("interrupt_by_signal", "KeyboardInterrupt"),
        ("fail_unprintably", f"{ENDS}.UnprintableError"),
    ],
)
def test_odd_exceptions_are_exceptions_too(roomy: Worker, do: str, exception: str) -> None:
    ended = end_of(roomy, do)
    assert (ended.kind, ended.exception) == ("raised", exception)


# Answers that are none


@pytest.mark.parametrize(
    "what,words", [("text", "no dict but str"), ("object", "object"), ("set", "no dict but set")]
)
def test_an_answer_that_json_cannot_say_is_refused(roomy: Worker, what: str, words: str) -> None:
    ended = end_of(roomy, "answer_with", what=what)
    assert ended.kind == "raised"
    assert words in ended.message


def test_an_answer_without_measure_is_refused(roomy: Worker) -> None:
    ended = end_of(roomy, "answer_at_length", size=65 << 20)
    assert (ended.kind, ended.exception) == ("raised", "ValueError")


@pytest.mark.parametrize(
    "garbage",
    [
        b"garbage on the wire",
        b"{}",
        b"\xf5",
        b"\xf5opw\xff\xff\xff\xff",
        b"\xf5opw\x00\x00\x00\x04spam",
        b"\xf5opw\x00\x00\x00\x02[]",
        b"\xf5opw\x00\x00\x00\x02{}",
        b'\xf5opw\x00\x00\x00\x0c{"number":1}',
        b'\xf5opw\x00\x00\x00\x18{"number":0,"answer":{}}',
    ],
)
def test_garbage_on_the_connection_is_unreadable(roomy: Worker, garbage: bytes) -> None:
    ended = end_of(roomy, "write_on_connection", hex=garbage.hex())
    assert ended.kind == "unreadable"


def test_a_message_that_was_begun_and_never_ended_is_an_end_too(tight: Worker) -> None:
    ended = end_of(tight, "write_on_connection", hex=b"\xf5opw\x00\x10\x00\x00{".hex())
    assert ended.kind == "unreadable"


def test_closing_every_descriptor_is_unreadable(roomy: Worker) -> None:
    ended = end_of(roomy, "close_everything")
    assert ended.kind == "unreadable"
    assert "closed the connection" in ended.message


# What an operator may do to its process without breaking it


def test_closed_output_does_no_harm(roomy: Worker) -> None:
    answer_of(roomy, "close_output")
    assert answer_of(roomy, "fine", say=1)["said"] == 1
    roomy.end_child()  # whichever test comes next wants to see output


@pytest.mark.parametrize("descriptor", [1, 2])
def test_much_output_is_kept_to_its_end_in_bounded_space(roomy: Worker, descriptor: int) -> None:
    roomy.use({}, setup=SETUP)
    answer_of(roomy, "print_megabytes", count=50, descriptor=descriptor)
    text = (roomy.output.stdout, roomy.output.stderr)[descriptor - 1]
    assert len(text) <= 64 << 10
    assert text.endswith("xthe end")


def test_output_that_is_still_on_its_way_with_the_answer_is_waited_for(roomy: Worker) -> None:
    answer_of(roomy, "print_into_a_wide_pipe")
    assert roomy.output.stdout.endswith("xthe end")


def test_programs_run_from_a_child_inherit_nothing_of_the_worker(roomy: Worker) -> None:
    answer = answer_of(roomy, "inherited_descriptors")
    assert answer["sockets"]
    assert min(answer["sockets"]) >= 64  # out of the way of an operator that closes 3 to 63
    assert not set(answer["seen"]) & set(answer["sockets"])
    assert max(answer["seen"]) < 64


def test_output_of_python_c_and_programs_belongs_to_its_item(roomy: Worker) -> None:
    answer_of(roomy, "print_from_everywhere")
    words = sorted(roomy.output.stdout.split())
    assert words == ["C", "Python", "a", "from", "from", "from", "program"]
    assert roomy.output.stderr == "a warning\n\\xff\n"
    answer_of(roomy, "fine")
    assert roomy.output.stdout == roomy.output.stderr == ""


def test_changed_handlers_directory_and_environment_do_no_harm(roomy: Worker) -> None:
    pid = answer_of(roomy, "change_handlers")["pid"]
    assert answer_of(roomy, "fine")["pid"] == pid
    ended = end_of(roomy, "abort")  # now without any fault handler
    assert (ended.kind, ended.signal) == ("crashed", "SIGABRT")


def test_a_dirty_answer_gives_the_next_item_a_fresh_process(roomy: Worker) -> None:
    pid = answer_of(roomy, "change_handlers", dirty=True)["pid"]
    assert answer_of(roomy, "fine")["pid"] != pid
    assert not alive(pid)


def test_a_fork_that_comes_back_answers_once(roomy: Worker) -> None:
    pid = answer_of(roomy, "fork_and_both_return")["pid"]
    assert answer_of(roomy, "fine")["pid"] == pid


@pytest.mark.parametrize("apart", [False, True])
def test_processes_left_behind_end_with_the_child(roomy: Worker, apart: bool) -> None:
    sleeper = answer_of(roomy, "fork_sleeper", apart=apart)["sleeper"]
    assert alive(sleeper)
    end_of(roomy, "abort")
    assert not alive(sleeper)


def test_a_process_that_keeps_the_connection_open_hides_no_exit(roomy: Worker) -> None:
    ended = end_of(roomy, "fork_sleeper", exit=True)
    assert (ended.kind, ended.exit_code) == ("exited", 5)


def test_a_crash_after_an_answer_is_no_fault_of_the_next_item(roomy: Worker) -> None:
    roomy.take_losses()
    pid = answer_of(roomy, "crash_later")["pid"]
    while alive(pid):
        os.sched_yield()
    assert answer_of(roomy, "fine")["pid"] != pid
    assert [(loss.kind, loss.during, loss.signal) for loss in roomy.take_losses()] == [
        ("crashed", "between", "SIGABRT")
    ]


def test_a_crash_after_the_last_answer_is_not_lost(roomy: Worker) -> None:
    roomy.take_losses()
    pid = answer_of(roomy, "crash_later")["pid"]
    while alive(pid):
        os.sched_yield()
    assert [(loss.kind, loss.signal) for loss in roomy.end_child()] == [("crashed", "SIGABRT")]
    assert roomy.end_child() == []


def test_a_process_that_is_ended_is_no_loss_and_the_next_item_gets_another(roomy: Worker) -> None:
    pid = answer_of(roomy, "fine")["pid"]
    assert roomy.end_child() == []
    assert not alive(pid)
    assert answer_of(roomy, "fine")["pid"] != pid


def test_many_ends_leave_no_descriptor_and_no_process_behind(roomy: Worker) -> None:
    zygote = answer_of(roomy, "ids")["parent"]
    before = len(list(Path(f"/proc/{zygote}/fd").iterdir()))
    for _ in range(30):
        end_of(roomy, "exit_at_once", code=1)
    assert len(list(Path(f"/proc/{zygote}/fd").iterdir())) == before
    children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
    assert children == [str(answer_of(roomy, "ids")["pid"])]


# Setting up


@pytest.mark.parametrize(
    "setup,words",
    [
        ("setup_that_raises", "LookupError: no such operator: swish"),
        ("setup_that_crashes", "SIGSEGV"),
        ("setup_that_hangs", "no answer in 0.6 s"),
        ("setup_that_returns_nothing", "returned no function but NoneType"),
        ("setup_that_is_nowhere", "setup_that_is_nowhere"),
    ],
)
def test_a_setup_that_fails_is_one_error(tight: Worker, setup: str, words: str) -> None:
    tight.use({"name": "swish"}, setup=f"{ENDS}:{setup}")
    with pytest.raises(WorkerError, match="cannot be set up") as caught:
        one(tight, "fine")
    assert words in str(caught.value)
    tight.use({}, setup=SETUP)
    assert answer_of(tight, "fine", say=1)["said"] == 1


@pytest.mark.parametrize("early", [True, False])
def test_a_library_that_does_not_load_is_told_apart(roomy: Worker, early: bool) -> None:
    roomy.use({"name": "swish"}, setup=f"{ENDS}:setup_that_does_not_load")
    with pytest.raises(LoadError) as caught:
        roomy.prepare() if early else one(roomy, "fine")
    assert (caught.value.what, caught.value.hint) == ("swish does not load", "Build it again.")


def test_a_process_can_be_prepared_before_its_first_item(roomy: Worker, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    roomy.use({"marker": str(marker)}, setup=f"{ENDS}:setup_that_fails_once")
    roomy.prepare()
    assert marker.exists()
    pid = answer_of(roomy, "fine")["pid"]
    roomy.prepare()
    assert answer_of(roomy, "fine")["pid"] == pid


def test_a_setup_that_fails_once_is_tried_again(roomy: Worker, tmp_path: Path) -> None:
    roomy.use({"marker": str(tmp_path / "marker")}, setup=f"{ENDS}:setup_that_fails_once")
    assert answer_of(roomy, "fine", say=1)["said"] == 1


def test_a_preload_that_cannot_be_imported_is_named() -> None:
    with (
        Worker(SETUP, preload=("no_such_module",)) as worker,
        pytest.raises(WorkerError, match="cannot import no_such_module"),
    ):
        one(worker, "fine")


def test_the_environment_reaches_the_child_and_only_there() -> None:
    with Worker(SETUP, limits=ROOMY, environment={"OMP_NUM_THREADS": "3"}) as worker:
        assert answer_of(worker, "environment_variable", name="OMP_NUM_THREADS") == {"value": "3"}
    assert "OMP_NUM_THREADS" not in os.environ


def test_a_module_in_the_working_directory_shadows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "struct.py").write_text("raise AssertionError('the wrong struct')")
    monkeypatch.chdir(tmp_path)
    with Worker(SETUP, limits=ROOMY) as worker:
        answer_of(worker, "fine")


# Tearing down


def test_closing_ends_every_process() -> None:
    with Worker(SETUP, limits=ROOMY) as worker:
        sleeper = answer_of(worker, "fork_sleeper", apart=True)["sleeper"]
        answer = answer_of(worker, "ids")
    assert not any(alive(pid) for pid in (sleeper, answer["pid"], answer["parent"]))
    worker.close()  # twice does no harm
    with pytest.raises(WorkerError, match="closed"):
        one(worker, "fine")


def test_closing_before_anything_was_asked_is_fine() -> None:
    worker = Worker(SETUP, preload=("torch",))
    worker.close()
    with pytest.raises(WorkerError, match="closed"):
        one(worker, "fine")


def test_a_lost_zygote_is_one_error_and_takes_its_child_along() -> None:
    with Worker(SETUP, limits=ROOMY) as worker:
        answer = answer_of(worker, "ids")
        os.kill(answer["parent"], signal.SIGKILL)
        with pytest.raises(WorkerError, match="killed by signal 9"):
            one(worker, "fine")
    assert gone(answer["pid"])


def test_a_lost_zygote_is_replaced_for_what_is_used_next(tmp_path: Path) -> None:
    with Worker(SETUP, limits=ROOMY, environment={"PLANTED": "yes"}) as worker:
        zygote = answer_of(worker, "ids")["parent"]
        with pytest.raises(WorkerError, match="killed by signal 9") as lost:
            one(worker, "kill_parent")
        assert "os.getppid()" in lost.value.hint  # what ended it may be the operator
        with pytest.raises(WorkerError, match="was lost before"):
            one(worker, "fine")
        worker.use({}, setup=SETUP)
        again = answer_of(worker, "ids")["parent"]
        assert again != zygote
        assert answer_of(worker, "environment_variable", name="PLANTED")["value"] == "yes"
    assert gone(zygote, again)


def gone(*pids: int) -> bool:
    """Whether these processes, which are no children of ours, end within a minute."""
    deadline = time.monotonic() + 60
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.005)
    return not any(alive(pid) for pid in pids)


PARENT = """
import sys
from opwright.worker import Limits, Worker
with Worker("worker.planted_ends:setup", limits=Limits(case_seconds=600)) as worker:
    list(worker.run([{"do": "mark_and_wait", "path": sys.argv[1]}]))
"""


@pytest.fixture
def parent_at_work(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process whose worker is in the middle of an item, and the worker's processes."""
    mark = tmp_path / "mark"
    program = [sys.executable, "-c", PARENT, str(mark)]
    paths = os.pathsep.join([str(Path(__file__).parent.parent), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen(
        program, stderr=subprocess.PIPE, env=environment, text=True, start_new_session=True
    ) as parent:
        while not (mark.exists() and mark.read_text()):
            assert parent.poll() is None
            time.sleep(0.005)
        yield parent, [int(word) for word in mark.read_text().split()]
        parent.kill()


def test_nothing_outlives_a_parent_that_is_killed(
    parent_at_work: tuple[subprocess.Popen[str], list[int]],
) -> None:
    parent, pids = parent_at_work
    assert all(alive(pid) for pid in pids)
    parent.kill()
    assert gone(*pids)


def test_a_child_at_work_ends_with_the_process_that_forked_it(
    parent_at_work: tuple[subprocess.Popen[str], list[int]],
) -> None:
    parent, (child, zygote) = parent_at_work
    os.kill(zygote, signal.SIGKILL)
    _, complaints = parent.communicate(timeout=60)
    assert gone(child)
    assert "WorkerError: the process that runs operators hung up: it was killed" in complaints


def test_ctrl_c_ends_everything_without_noise_from_children(
    parent_at_work: tuple[subprocess.Popen[str], list[int]],
) -> None:
    parent, pids = parent_at_work
    os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
    _, complaints = parent.communicate(timeout=60)
    assert not any(alive(pid) for pid in pids)
    assert complaints.count("Traceback") == 1
    assert complaints.strip().endswith("KeyboardInterrupt")


# With torch


@pytest.fixture(scope="module")
def with_torch() -> Iterator[Worker]:
    with Worker(f"{ENDS}:setup_torch", preload=("torch",), limits=ROOMY) as worker:
        yield worker


def test_torch_uses_its_threads_in_every_one_of_many_children(with_torch: Worker) -> None:
    for _ in range(10):
        answer = answer_of(with_torch, "parallel_sum", count=1 << 20)
        assert (answer["sum"], answer["product"]) == (2.0 * (1 << 20), 256.0)
        assert answer["torch_threads"] == 2
        assert answer["threads"] >= 2
        assert isinstance(one(with_torch, "abort"), Ended)


def test_a_crash_under_torch_shows_the_native_frame(with_torch: Worker, native: str) -> None:
    ended = one(with_torch, "torch_segfault", library=native)
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.signal) == ("crashed", "SIGSEGV")
    assert "write_to_address_8" in ended.stack
    assert ended.message == "crashed with SIGSEGV"  # and not the last lines of that stack


def test_a_tensor_too_large_is_an_end_by_memory(with_torch: Worker) -> None:
    ended = one(with_torch, "allocate_tensor", size_bytes=4 << 30)
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.exception) == ("memory", "RuntimeError")
