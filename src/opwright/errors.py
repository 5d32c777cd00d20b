"""The one error tree. Each class has an exit code of its own, and each message ends in what to do.

OpwrightError                1
├── UsageError               2   the command line asks for something that makes no sense
├── FoundFault               3   a check found a fault (not raised by checks: the command's exit code)
├── NotEvidence              4   nothing failed, but not everything that was asked for could be checked
├── SelfTestFailed           5   a planted defect was missed here, or a correct operator got a finding
├── Regression               6   an operator has become slower by more than the bound
├── SpecError               10   an operator description is wrong
├── DiscoveryError          11   an operator or a file was not found
├── ToolchainError          20   a compiler or another tool is missing or unfit
├── CompileError            21   a source does not compile
├── LinkError               22   objects do not link, or a symbol is missing
├── TimedOut                23   a tool, a build, or the wait for somebody else's build, took too long
├── StoreError              30   the store cannot be read or written
├── LoadError               31   a finished binary does not load
├── ReferenceFailed         40   the operator's reference raises
├── ContractError           41   a call that the operator's contract refuses
├── WorkerError             42   the process that runs operators cannot be started or kept
├── DeviceError             43   a device is missing, or does not suit the target
├── EndedEarly              44   a command's process ended before its run was finished
└── RecordError             50   a record cannot be read or has another version
"""

from __future__ import annotations


class OpwrightError(Exception):
    """Base of every error that Opwright raises on purpose.

    ``what`` says what happened and to what; ``hint`` says what to do next.
    """

    exit_code = 1

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}\n{self.hint}" if self.hint else self.what


class UsageError(OpwrightError):
    """The command line asks for something that makes no sense."""

    exit_code = 2


class FoundFault(OpwrightError):
    """A check found a fault; commands end with this code after printing their findings."""

    exit_code = 3


class NotEvidence(OpwrightError):
    """Nothing failed, but something that was asked for could not be checked."""

    exit_code = 4


class SelfTestFailed(OpwrightError):
    """A planted defect was missed on this machine, or a correct operator got a finding."""

    exit_code = 5


class Regression(OpwrightError):
    """A measurement says that an operator has become slower by more than the bound."""

    exit_code = 6


class SpecError(OpwrightError):
    """An operator description is wrong."""

    exit_code = 10


class DiscoveryError(OpwrightError):
    """An operator, or the file that describes it, was not found."""

    exit_code = 11


class ToolchainError(OpwrightError):
    """A compiler or another tool is missing or unfit."""

    exit_code = 20


class CompileError(OpwrightError):
    """A source does not compile. ``log_path`` holds the compiler's whole output."""

    exit_code = 21

    def __init__(self, what: str, *, hint: str = "", log_path: str = "") -> None:
        super().__init__(what, hint=hint)
        self.log_path = log_path


class LinkError(CompileError):
    """Objects do not link, or a symbol is missing."""

    exit_code = 22


class TimedOut(OpwrightError):
    """A tool, a build, or the wait for somebody else's build, took too long."""

    exit_code = 23


class StoreError(OpwrightError):
    """The store cannot be read or written."""

    exit_code = 30


class LoadError(OpwrightError):
    """A finished binary does not load."""

    exit_code = 31


class ReferenceFailed(OpwrightError):
    """The operator's reference raises."""

    exit_code = 40


class ContractError(OpwrightError):
    """A call that the operator's contract refuses."""

    exit_code = 41


class WorkerError(OpwrightError):
    """The process that runs operators cannot be started or kept."""

    exit_code = 42


class DeviceError(OpwrightError):
    """A device is missing, or does not suit the target."""

    exit_code = 43


class EndedEarly(OpwrightError):
    """The process of a command ended before its run was finished: a description did that, or the system."""

    exit_code = 44


class RecordError(OpwrightError):
    """A record cannot be read, or has a version that this Opwright does not know."""

    exit_code = 50
