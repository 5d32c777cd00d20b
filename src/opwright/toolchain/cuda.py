"""CUDA's compiler for device code, and the host's C++ compiler for the rest and for the link."""

from __future__ import annotations

import re
import shutil
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.log import waiting
from opwright.process import run_command
from opwright.spec.target import Target
from opwright.toolchain import cpu
from opwright.toolchain.base import Job, Step, Tools
from opwright.toolchain.torch_facts import torch_facts

kind = "cuda"

driver_environment = ("CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN", *cpu.driver_environment)
driver_names = ("nvcc", *cpu.driver_names)
environment = (*cpu.environment, "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
not_there = cpu.not_there
traced_programs = rf"nvcc|cicc|cudafe\+\+|ptxas|fatbinary|nvlink|{cpu.traced_programs}"

# Of units that are device code; those for HIP run over CUDA's runtime.
SUFFIXES = frozenset({".cu", ".hip"})

_HOST = "host compiler"
_STATIC_RUNTIME = ("cudart_static", "dl", "rt", "pthread")
_PROBE_SECONDS = 60.0
_COMPILE_FLAGS = (
    *("-DNDEBUG", "--expt-relaxed-constexpr"),
    "-Xcompiler=-fPIC,-fvisibility=hidden",
)
# Flags that one of the two compilers does not know.
_NVCC_ONLY = re.compile(
    r"--|-lineinfo|-G$|-use_fast_math|-X|-arch|-gencode|-maxrregcount|-rdc|-dlto"
)
_HOST_ONLY = re.compile(r"-[fmWp]")
_INSTALL = "Install the CUDA toolkit, or `pip install nvidia-cuda-nvcc`, or set CUDA_HOME."


def find_driver(environment: Mapping[str, str]) -> tuple[str, ...]:
    """See `Toolchain`. The first nvcc of `find_nvcc` whose toolkit has torch's CUDA major number."""
    found = find_nvcc(environment)
    if not found:
        raise ToolchainError(
            "no nvcc: CUDA_HOME and CUDA_PATH name none, and none is on PATH, in /usr/local/cuda* or in "
            "this Python's packages",
            hint=_INSTALL,
        )
    wanted = _major(torch_facts().cuda)
    if not wanted:  # this torch has no CUDA: the library is for another machine
        return (str(found[0]),)
    releases = {nvcc: release_of(nvcc) for nvcc in found}
    for nvcc, release in releases.items():
        if _major(release) in ("", wanted):
            return (str(nvcc),)
    said = ", ".join(f"{nvcc} (CUDA {release})" for nvcc, release in releases.items())
    raise ToolchainError(
        f"torch is built with CUDA {torch_facts().cuda}, and no nvcc here has its major number: {said}",
        hint=f"Set CUDA_HOME to a toolkit of CUDA {wanted}, or `pip install nvidia-cuda-nvcc=={wanted}.*`.",
    )


def find_nvcc(environment: Mapping[str, str]) -> list[Path]:
    """Every nvcc that is there, the first one that counts first; scripts that call it are followed.

    Raises `ToolchainError` where a variable names a toolkit without one.
    """
    found: dict[Path, None] = {}
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home := environment.get(variable):
            nvcc = Path(home) / "bin" / "nvcc"
            if not nvcc.is_file():
                raise ToolchainError(
                    f"{variable} names {home}, which has no bin/nvcc",
                    hint=f"Correct or unset {variable}. {_INSTALL}",
                )
            found[nvcc] = None
    found.update(dict.fromkeys(_usual_places(environment)))
    return list(dict.fromkeys(_followed(nvcc) for nvcc in found))


def _usual_places(environment: Mapping[str, str]) -> Iterator[Path]:
    if on_path := shutil.which("nvcc", path=environment.get("PATH")):
        yield Path(on_path)
    homes = sorted(Path("/usr/local").glob("cuda*"))
    homes += sorted(Path(sysconfig.get_path("purelib"), "nvidia").glob("cu*"))
    yield from (nvcc for home in homes if (nvcc := home / "bin" / "nvcc").is_file())


def _followed(nvcc: Path) -> Path:
    """The program itself, where a small script only hands over to it."""
    with nvcc.open("rb") as file:
        text = file.read(4096)
    called = re.search(rb'^exec (/\S+/nvcc) "\$@"$', text, re.MULTILINE)
    if text.startswith(b"#!") and called and Path(called[1].decode()).is_file():
        nvcc = Path(called[1].decode())
    return nvcc.resolve()


def release_of(nvcc: Path) -> str:
    """``13.0``, as the toolkit's own header has it; empty where there is none."""
    try:
        text = (home_of(nvcc) / "include" / "cuda.h").read_text(errors="replace")
    except OSError:
        return ""
    number = re.search(r"^#define CUDA_VERSION (\d+)", text, re.MULTILINE)
    return f"{int(number[1]) // 1000}.{int(number[1]) % 1000 // 10}" if number else ""


def home_of(nvcc: Path) -> Path:
    """The toolkit's folder."""
    return nvcc.parent.parent


def find_tools(driver: tuple[str, ...], environment: Mapping[str, str]) -> Tools:
    """See `Toolchain`. The host compiler is asked for, too, and has to be one that nvcc takes."""
    nvcc = Path(driver[0])
    with waiting(f"asking {nvcc} which compiler it is"):
        said = run_command([*driver, "--version"], env=environment, timeout_seconds=_PROBE_SECONDS)
        if not said.ok:
            raise ToolchainError(f"nvcc does not run: {said.describe()}", hint=_INSTALL)
        host = cpu.find_tools(_find_host(environment), environment)
    home = home_of(nvcc)
    _require_accepted(home, host)
    programs = [("nvcc", nvcc), (_HOST, Path(host.driver[-1]))]
    parts = ("bin/cudafe++", "bin/ptxas", "bin/fatbinary", "nvvm/bin/cicc", "bin/nvcc.profile")
    programs += [(path.name, path) for part in parts if (path := home / part).is_file()]
    release = re.search(r"release .*", said.stdout)
    version = f"nvcc {release[0] if release else said.stdout.strip()}; {host.version}"
    return Tools(driver, (*programs, *host.programs), version)


def _find_host(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What NVCC_CCBIN names, else the host's own compiler; nvcc starts no launcher in front of it."""
    named = environment.get("NVCC_CCBIN")
    found = cpu.find_driver({**environment, "CXX": named} if named else environment)
    return tuple(word for word in found if not word.startswith("-"))[-1:]


def _require_accepted(home: Path, host: Tools) -> None:
    """Refuse a host compiler that the toolkit's own header refuses, before every unit fails over it."""
    try:
        text = (home / "include" / "crt" / "host_config.h").read_text(errors="replace")
    except OSError:
        return
    clang = "clang" in host.version
    limit = r"clang version must be less than (\d+)" if clang else r"gcc versions later than (\d+)"
    stated = re.search(limit, text)
    version = re.search(r"(\d+)\.\d+", host.version.rpartition(")")[2] or host.version)
    if stated is None or version is None:
        return
    newest = int(stated[1]) - 1 if clang else int(stated[1])
    if int(version[1]) > newest:
        name = f"{'clang++' if clang else 'g++'}-{newest}"
        raise ToolchainError(
            f"nvcc in {home} takes no host compiler newer than {name}, and {host.driver[0]} is {host.version}",
            hint=f"Install {name}, and name it: NVCC_CCBIN={name}.",
        )


def architecture(target: Target) -> str:
    """See `Toolchain`. Said by the session, which may ask the device: never ``native``."""
    return target.architecture or ""


def compile_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`. Units that are no device code are the host compiler's alone."""
    if Path(step.name).suffix not in SUFFIXES:
        return cpu.compile_command(_host_job(job), step)
    return [*_front(job, step), "-c", str(step.source), "-o", str(step.output)]


def preprocess_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`."""
    if Path(step.name).suffix not in SUFFIXES:
        return cpu.preprocess_command(_host_job(job), step)
    return [*_front(job, step), "-E", "-Xcompiler=-P", str(step.source), "-o", str(step.output)]


def link_command(job: Job, objects: tuple[Path, ...], output: Path) -> list[str]:
    """See `Toolchain`. CUDA's runtime is linked in, so that the library asks for no version of it.

    What is linked with torch's own CUDA library shares the runtime with it.
    """
    home = home_of(Path(job.tools.driver[0]))
    libraries = next((path for name in ("lib64", "lib") if (path := home / name).is_dir()), home)
    shared = "c10_cuda" in job.request.libraries
    request = replace(
        job.request,
        library_dirs=(*job.request.library_dirs, libraries),
        libraries=(*job.request.libraries, *(("cudart",) if shared else _STATIC_RUNTIME)),
    )
    return cpu.link_command(_host_job(job._replace(request=request)), objects, output)


def _host_job(job: Job) -> Job:
    """The job for the host compiler: without what only nvcc understands."""
    host = str(dict(job.tools.programs)[_HOST])
    flags = tuple(flag for flag in job.request.compile_flags if not _NVCC_ONLY.match(flag))
    toolkit = home_of(Path(job.tools.driver[0])) / "include"
    request = replace(
        job.request,
        target=Target("cpu"),
        compile_flags=flags,
        include_dirs=(*job.request.include_dirs, toolkit),
    )
    return job._replace(request=request, tools=job.tools._replace(driver=(host,)))


def _front(job: Job, step: Step) -> list[str]:
    request = job.request
    standard = () if any(f.startswith("-std=") for f in request.compile_flags) else ("-std=c++17",)
    maps = (f"-Xcompiler=-ffile-prefix-map={folder}={name}" for folder, name in job.prefix_map)
    return [
        *job.tools.driver,
        f"-ccbin={dict(job.tools.programs)[_HOST]}",
        *("-x", "cu"),
        *_COMPILE_FLAGS,
        *standard,
        *_architectures(request.target),
        *(("-D__HIPCC__=1",) if ("OPWRIGHT_HIP_OVER_CUDA", "1") in request.defines else ()),
        *maps,
        *(f"-D{name}={value}" if value else f"-D{name}" for name, value in request.defines),
        *(f"-I{folder}" for folder in request.include_dirs),
        *(
            f"-Xcompiler={flag}" if _HOST_ONLY.match(flag) else flag
            for flag in request.compile_flags
        ),
        *("-MD", "-MF", str(step.depfile)),
    ]


def _architectures(target: Target) -> Iterator[str]:
    """Machine code for each architecture, and PTX of the last, which later chips translate."""
    names = [name.removeprefix("sm_") for name in (target.architecture or "").split(",")]
    yield from (f"-gencode=arch=compute_{name},code=sm_{name}" for name in names)
    if not names[-1].endswith(("a", "f")):  # code for one chip's own instructions has no successor
        yield f"-gencode=arch=compute_{names[-1]},code=compute_{names[-1]}"


def _major(release: str) -> str:
    return release.partition(".")[0]
