"""What a SuperKernel can be told, for each release of torch-npu that has it.

The vendor checks most of it late (after capture, on the device) or never; so it is written down here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["flag", "number", "text", "names", "choice"]
NPUGRAPH_EX, GE = "npugraph_ex", "ge"


@dataclass(frozen=True)
class Option:
    """One option: what its value is, and where it is put (``group``) in what the compiler is given.

    ``choices`` are all values that it may have, none: any of its kind.
    """

    name: str
    kind: Kind
    group: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A release of torch-npu, by the beginning of its version, and the options of each way to a graph."""

    version: str
    options: dict[str, tuple[Option, ...]] = field(default_factory=dict)


OPTIMIZE, DEBUG = "super_kernel_optimize_options", "super_kernel_debug_options"
STRATEGIES = "aggressive_opt_strategies"
FULL_CORES = "debug_per_op_max_core_num"
_ON_OFF = ("0", "1")

# For the compiler itself (``options=`` of torch.compile), without those that are set anyway.
_FIRST_COMPILER = (
    *(Option(name, "flag") for name in ("clone_input", "clone_output", "frozen_parameter")),
    *(Option(name, "flag") for name in ("remove_noop_ops", "inplace_pass", "input_inplace_pass")),
    *(Option(name, "flag") for name in ("pattern_fusion_pass", "static_kernel_compile")),
    *(Option(name, "flag") for name in ("deadlock_check", "reuse_graph_pool_in_same_fx")),
    Option("capture_limit", "number"),
)
_COMPILER = (
    *_FIRST_COMPILER,
    Option("force_recapture", "flag"),
    Option("capture_error_mode", "choice", choices=("global", "thread_local", "relaxed")),
)
_FIRST_OPTIMIZE = tuple(
    Option(name, "number", OPTIMIZE) for name in ("preload_code", "split_mode", "stream_fusion")
)
_OPTIMIZE = (
    *_FIRST_OPTIMIZE,
    *(Option(name, "number", OPTIMIZE) for name in ("constant_codegen", "auto_op_parallel")),
    Option("opt_extend", "text", OPTIMIZE),
    Option("dcci_before_kernel_start", "names", OPTIMIZE),
    Option("dcci_after_kernel_end", "names", OPTIMIZE),
    Option("dcci_disable_on_kernel", "names", OPTIMIZE),
    *(
        Option(f"{what}_breaker_bypass", "number", f"{OPTIMIZE}.{STRATEGIES}")
        for what in ("event", "value", "task")
    ),
    Option("ubuf_lock_ignore_kernel", "names", OPTIMIZE),
    Option("early_start", "number", OPTIMIZE),
)
_FIRST_DEBUG = (
    Option("debug_sync_all", "number", DEBUG),
    Option("debug_dcci_disable_on_kernel", "names", DEBUG),
)
_DEBUG = (
    Option("debug_sync_all", "number", DEBUG),
    Option("debug_op_exec_trace", "number", DEBUG),
    Option("debug_cross_core_sync_check", "number", DEBUG),
    Option("debug_extend", "text", DEBUG),
    Option(FULL_CORES, "number", DEBUG, _ON_OFF),
)
_NPUGRAPH_EX = (*_COMPILER, *_OPTIMIZE, *_DEBUG)
_FIRST_NPUGRAPH_EX = (*_FIRST_COMPILER, *_FIRST_OPTIMIZE, *_FIRST_DEBUG)
_GE = (
    Option("feed-sync-all", "number", choices=_ON_OFF),
    Option("stream-fusion", "number", choices=_ON_OFF),
    Option("strict-scope-check", "choice", choices=("bypass", "abort")),
    *(Option(f"dcci-{where}", "names") for where in ("before-kernel-start", "after-kernel-end")),
    Option("dcci-disable-on-kernel", "names"),
    Option("debug-aic-num", "number"),
    Option("debug-aiv-num", "number"),
)
_BOTH = {NPUGRAPH_EX: _NPUGRAPH_EX, GE: _GE}

# Newest first. What is newer than all of them is taken for the newest.
RELEASES = (
    Release("2.14", _BOTH),
    Release("2.13", _BOTH),
    Release("2.9.0.post9", _BOTH),
    Release("2.8.0.post5", {NPUGRAPH_EX: _FIRST_NPUGRAPH_EX, GE: _GE}),
    Release("2.6.0.post5", {GE: _GE}),
)
# What Opwright sets itself: naming one of these would undo what is tried.
OWN = ("super_kernel_optimize", OPTIMIZE, DEBUG, "mode", "force_eager")

# Cubes to vectors, of the cores that a SuperKernel can be told to start.
CORE_RATIOS = ((1, 0), (0, 1), (1, 1), (1, 2))
CORES_CONFLICT = (
    "one page of the vendor's sets debug-aic-num and debug-aiv-num to force a SuperKernel to full cores; "
    "torchair's own page says that they may not exceed what it would have started anyway. Where full cores "
    "fail here and on no other way, ask which one holds for your CANN"
)
