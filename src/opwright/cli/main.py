"""``opwright``: commands are imported when they are called for, and every error ends here."""

from __future__ import annotations

import difflib
import errno
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from opwright import __version__
from opwright.errors import EndedEarly, OpwrightError

# name -> the module whose ``command`` it is
COMMANDS = {
    "new": "opwright.cli.new",
    "check": "opwright.cli.check",
    "build": "opwright.cli.build",
    "bench": "opwright.cli.bench",
    "compare": "opwright.cli.compare",
    "timing": "opwright.cli.timing",
    "graph": "opwright.cli.graph",
    "selftest": "opwright.cli.selftest",
    "doctor": "opwright.cli.doctor",
    "cache": "opwright.cli.cache",
    "exit-codes": "opwright.cli.exit_codes",
}

# Those that run users' descriptions, which may do anything to their process.
SUPERVISED = ("check", "build", "bench", "timing", "graph", "selftest")


class Commands(click.Group):
    """The command group. It catches what commands raise, once for all of them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Be the program: what may end its process on the way runs in a child of it."""
        name = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        if name not in SUPERVISED:
            return self.main(*args, **kwargs)
        from opwright.cli import failure
        from opwright.cli.supervision import supervised

        try:
            code = supervised(lambda: self.main(*args, **kwargs))
        except OpwrightError as error:
            code = failure.show_error(error)
        sys.exit(code)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, in the order of a user's way from the first to the last."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; a name that is nearly one is guessed."""
        if cmd_name not in COMMANDS:
            near = difflib.get_close_matches(cmd_name, COMMANDS, n=1)
            guess = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{guess}")
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for, and turn whatever it raises into words and a code."""
        from opwright.cli import failure
        from opwright.cli.terminal import survive_any_encoding

        survive_any_encoding()
        # torch says so in every process where NumPy is not installed; nothing here needs it.
        warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt as stop:
            from opwright.cli.supervision import Stopped

            stopped = isinstance(stop, Stopped)  # the process is about to end of that signal
            code = failure.INTERRUPT_CODE if stopped else failure.show_interrupt()
        except OpwrightError as error:
            code = failure.show_error(error)
        except SystemExit as end:  # no command of ours ends so
            code = failure.show_error(left_early(end))
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise  # click ends quietly: the reader has seen enough
            code = failure.show_crash(error)
        raise click.exceptions.Exit(code)


def left_early(end: SystemExit) -> EndedEarly:
    """What to say of a command that something else has left."""
    return EndedEarly(
        f"something called sys.exit({end.code!r}) before the run was finished",
        hint="Look for exit calls in what the description has imported.",
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Take a custom PyTorch operator from source to evidence.

    Opwright builds an operator, breaks it in every way it knows, and writes down what was proved
    and what was not. `opwright new my_op` starts one; `opwright check my_op` checks it.
    """
