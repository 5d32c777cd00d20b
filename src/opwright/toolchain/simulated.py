"""Device sources for the simulated device: the host's compiler makes of them what it does for the emulator."""

from __future__ import annotations

from opwright.toolchain import emulated

kind = "simulated"

driver_environment = emulated.driver_environment
driver_names = emulated.driver_names
environment = emulated.environment
traced_programs = emulated.traced_programs
find_driver = emulated.find_driver
find_tools = emulated.find_tools
architecture = emulated.architecture
compile_command = emulated.compile_command
preprocess_command = emulated.preprocess_command
link_command = emulated.link_command
not_there = emulated.not_there
