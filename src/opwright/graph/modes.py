"""The table of graph modes, and the words by which a command names one."""

from __future__ import annotations

from opwright.errors import UsageError
from opwright.graph import compiling, cudagraph
from opwright.graph.protocol import Mode
from opwright.graph.superkernel import mode as superkernel
from opwright.spec.naming import did_you_mean

MODES = (cudagraph.MODE, compiling.MODE, superkernel.MODE)


def parse_mode(text: str) -> tuple[Mode, str]:
    """``compile:inductor`` as mode and option, the mode's first option where none is named.

    Raises `UsageError` with the nearest spelling.
    """
    name, colon, option = text.partition(":")
    known = {mode.name: mode for mode in MODES}
    if name not in known:
        guess = did_you_mean(name, known)
        raise UsageError(
            f"no graph mode is called {name!r}", hint=f"{guess}Modes are: {', '.join(known)}."
        )
    mode = known[name]
    if not colon:
        return mode, mode.options[0] if mode.options else ""
    if mode.check_option is not None:
        mode.check_option(option)
    elif option not in mode.options:
        guess = did_you_mean(option, mode.options)
        takes = f"It takes: {', '.join(mode.options)}." if mode.options else "It takes none."
        raise UsageError(f"{name} has no option {option!r}", hint=f"{guess}{takes}")
    return mode, option
