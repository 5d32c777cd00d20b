"""Runs a script as its reader would, with operators of the host below it: ``on_simulated_device.py SCRIPT``."""

from __future__ import annotations

import runpy
import sys

import ascend.aten_on_host
import ascend.ge_on_host
import ascend.npu_on_host  # noqa: F401 -- for its registrations, as the two before it

runpy.run_path(sys.argv[1], run_name="__main__")
