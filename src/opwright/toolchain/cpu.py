"""The host's C++ compiler: g++, clang++, or what CXX names."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from opwright.errors import ToolchainError
from opwright.log import waiting
from opwright.process import run_command
from opwright.spec.target import Target
from opwright.toolchain.base import Job, Step, Tools

kind = "cpu"

driver_environment = ("CXX", "PATH")
driver_names = ("c++", "g++", "clang++")

environment = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_RUN_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "SOURCE_DATE_EPOCH",
    "CPPFLAGS",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
)

traced_programs = r"cc1(plus)?|clang.*|as|(.*-)?ld([.-].*)?|.*lld.*|gold|mold"

_INSTALL = "Install one (`apt-get install g++` or `dnf install gcc-c++`), or name one in CXX."
_PROBE_SECONDS = 60.0
# Two builds in one process share no statics (gnu_unique), and nothing that they do not export.
_COMPILE_FLAGS = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-O2", "-DNDEBUG")
_LINK_FLAGS = ("-shared", "-Wl,-z,defs", "-Wl,--as-needed")


def find_driver(environment: Mapping[str, str]) -> tuple[str, ...]:
    """See `Toolchain`. CXX wins, then the first of c++, g++ and clang++ on PATH."""
    path = environment.get("PATH")
    named = environment.get("CXX", "")
    if named.strip() and (found := shutil.which(named, path=path)):
        return (found,)  # whole: a path may hold spaces
    words = _split(environment, "CXX")
    if words:
        found = shutil.which(words[0], path=path)
        if not found:
            quote = "Quote a path with spaces inside CXX. " if len(words) > 1 else ""
            raise ToolchainError(
                f"CXX names {words[0]!r}, and there is no such program on PATH",
                hint=f"Correct or unset CXX. {quote}{_INSTALL}",
            )
        return (found, *words[1:])
    for name in driver_names:
        if found := shutil.which(name, path=path):
            return (found,)
    raise ToolchainError(
        f"no C++ compiler: CXX is not set, and none of {', '.join(driver_names)} is on PATH",
        hint=_INSTALL,
    )


def find_tools(driver: tuple[str, ...], environment: Mapping[str, str]) -> Tools:
    """See `Toolchain`. A program that the driver cannot name (clang has no cc1plus) is left out."""
    path = environment.get("PATH")
    with waiting(f"asking {driver[0]} which compiler it is"):
        said = run_command([*driver, "--version"], env=environment, timeout_seconds=_PROBE_SECONDS)
        if not said.ok:
            raise ToolchainError(f"the C++ compiler does not run: {said.describe()}", hint=_INSTALL)
        _require_cxx(driver, environment, said.stdout)
    programs = [("compiler", Path(driver[0]).resolve())]
    programs += [  # ccache g++: the second word is a program, too
        (f"compiler {word}", Path(found).resolve())
        for word in driver[1:]
        if not word.startswith("-") and (found := shutil.which(word, path=path))
    ]
    for role, name in (("cc1plus", "cc1plus"), ("assembler", "as"), ("linker", "ld")):
        answer = run_command(
            [*driver, f"-print-prog-name={name}"], env=environment, timeout_seconds=_PROBE_SECONDS
        )
        found = shutil.which(answer.stdout.strip() or name, path=path) if answer.ok else None
        if found:
            programs.append((role, Path(found).resolve()))
    first = said.stdout.strip().partition("\n")[0]
    version = re.sub(r"^\S+ (?=\()", "", first)  # without the name it was called by
    return Tools(driver, tuple(programs), version)


def _require_cxx(driver: tuple[str, ...], environment: Mapping[str, str], version: str) -> None:
    """Refuse what is no compiler, and one for C, before either fails over every line of a source."""
    asked = [*driver, "-###", "-shared", *_split(environment, "LDFLAGS"), "-x", "c++", os.devnull]
    said = run_command(asked, env=environment, timeout_seconds=_PROBE_SECONDS)
    name = shlex.join(driver)
    named = f"CXX names {name}, which" if environment.get("CXX") else name
    first = version.strip().partition("\n")[0]
    if not said.ok and not re.search(r"c\+\+|g\+\+|gcc|clang|\bcc\b", first, re.IGNORECASE):
        raise ToolchainError(
            f"{named} is no C++ compiler: it says that it is {first or 'nothing'}",
            hint=f"Correct or unset CXX. {_INSTALL}",
        )
    plan = said.stdout + said.stderr
    if "cc1plus" in plan and not re.search(r"-l(std)?c\+\+|lib(std)?c\+\+", plan):
        raise ToolchainError(
            f"{named} compiles C++, but links no C++ library",
            hint="Name the compiler for C++: g++ in place of gcc, clang++ in place of clang.",
        )


def architecture(target: Target) -> str:
    """See `Toolchain`. Without an architecture: the compiler's default for this kind of machine."""
    machine = platform.machine()
    if target.architecture is None:
        return machine
    if target.architecture != "native":
        return f"{machine} {target.architecture}"
    return f"{machine} native: {_cpu_features()}"


def _cpu_features() -> str:
    """The first processor's model and features, which are what ``-march=native`` looks at."""
    wanted = re.compile(
        r"^(vendor_id|cpu family|model|stepping|flags|CPU \w+|Features)\s*:\s*(.*)$", re.MULTILINE
    )
    try:
        with Path("/proc/cpuinfo").open() as file:
            first = file.read(16_384).partition("\n\n")[0]
    except OSError:
        return platform.processor() or "unknown"
    return " ".join(" ".join(sorted(value.split())) for _, value in wanted.findall(first))


def compile_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`."""
    return [*_front(job, step), "-c", str(step.source), "-o", str(step.output)]


def preprocess_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`. ``-P`` leaves out line markers, and with them absolute paths."""
    return [*_front(job, step), "-E", "-P", str(step.source), "-o", str(step.output)]


def link_command(job: Job, objects: tuple[Path, ...], output: Path) -> list[str]:
    """See `Toolchain`. What a library lacks is an error here, not when somebody loads it."""
    request = job.request
    return [
        *job.tools.driver,
        *_LINK_FLAGS,
        *words(job, "LDFLAGS"),
        *(str(path) for path in objects),
        *(f"-L{folder}" for folder in request.library_dirs),
        *request.link_flags,
        *(f"-l{name}" for name in request.libraries),
        *("-o", str(output)),
    ]


def _front(job: Job, step: Step) -> list[str]:
    request = job.request
    march = request.target.architecture
    unique = () if "clang" in job.tools.version else ("-fno-gnu-unique",)
    return [
        *job.tools.driver,
        *_COMPILE_FLAGS,
        *unique,
        *((f"-march={march}",) if march else ()),
        f"-frandom-seed={step.name}",
        *(f"-ffile-prefix-map={folder}={name}" for folder, name in job.prefix_map),
        *words(job, "CPPFLAGS", "CFLAGS", "CXXFLAGS"),
        *(f"-D{name}={value}" if value else f"-D{name}" for name, value in request.defines),
        *(f"-I{folder}" for folder in request.include_dirs),
        *request.compile_flags,
        *("-MD", "-MF", str(step.depfile)),
    ]


def not_there(error: str) -> str:
    """See `Toolchain`. The compiler is the target's own: what it does not know is not there."""
    del error
    return ""


def words(job: Job, *names: str) -> list[str]:
    """The words of the environment variables ``names``, as a shell would read them."""
    return [word for name in names for word in _split(job.environment, name)]


def _split(environment: Mapping[str, str], name: str) -> list[str]:
    """The words of a variable, as a shell would read them."""
    text = environment.get(name, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ToolchainError(
            f"{name} is not a list of words as a shell reads them ({str(error).lower()}): {text}",
            hint=f"Correct or unset {name}.",
        ) from None
