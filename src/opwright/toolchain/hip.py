"""HIP's compiler (hipcc of ROCm or DTK, or a clang++) for device code, the host's compiler for the rest."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.log import waiting
from opwright.process import run_command
from opwright.spec.target import Target
from opwright.toolchain import cpu, hip_compilers
from opwright.toolchain.base import Job, Step, Tools

kind = "hip"

driver_environment = (*hip_compilers.VARIABLES, *cpu.driver_environment)
driver_names = (*hip_compilers.NAMES, *cpu.driver_names)
environment = (
    *cpu.environment,
    *("HIPFLAGS", "HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND", "HIP_CLANG_PATH"),
    *("DEVICE_LIB_PATH", "HIP_DEVICE_LIB_PATH", "HIP_LIB_PATH", "ROCM_PATH", "HIP_PATH"),
)
not_there = cpu.not_there
traced_programs = cpu.traced_programs

SUFFIXES = (".hip", ".cu")  # hipcc takes CUDA's spelling where the source keeps to what both have
CONSTANTS_SUFFIX = ".cl"
CONSTANTS_NAME = "opwright_amd_constants"

_HOST = "host"
_CLANG = "clang"
_RUNTIME = "HIP runtime"
_PROBE_SECONDS = 60.0
_COMPILE_FLAGS = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-DNDEBUG")
_AS_NVCC_DOES = ("-include", "hip/hip_runtime.h")
# With these, clang turns a unit of constants into what it can link into device code of any version.
_BITCODE = (
    *("--target=amdgcn-amd-amdhsa", "-nogpulib", "-emit-llvm"),
    *("-Xclang", "-mcode-object-version=none"),
)


def find_driver(environment: Mapping[str, str]) -> tuple[str, ...]:
    """See `Toolchain`. HIPCXX wins, then a vendor's hipcc, then the newest clang++ on PATH."""
    if named := hip_compilers.named_compiler(environment):
        return named
    unfit = []
    for compiler in hip_compilers.candidates(environment):
        if why := hip_compilers.why_unfit(compiler):
            unfit.append(f"{compiler}: {why}")
        else:
            return (str(compiler),)
    raise ToolchainError(
        "no compiler for HIP: no hipcc in HIP_PATH, ROCM_HOME, ROCM_PATH, /opt/dtk*, /opt/rocm* or on "
        f"PATH, and no clang++ that would do{''.join(f'; {why}' for why in unfit)}",
        hint=hip_compilers.INSTALL,
    )


def find_tools(driver: tuple[str, ...], environment: Mapping[str, str]) -> Tools:
    """See `Toolchain`. Behind hipcc are a clang and a linker of its own, which it names itself."""
    command = [*started(driver), "--version"]
    with waiting(f"asking {driver[0]} which compiler it is"):
        said = run_command(command, env=environment, timeout_seconds=_PROBE_SECONDS)
        if not said.ok:
            raise ToolchainError(
                f"the HIP compiler does not run: {said.describe()}", hint=hip_compilers.INSTALL
            )
        host = cpu.find_tools(cpu.find_driver(environment), environment)
    programs = [("compiler", Path(driver[0]).resolve()), (_HOST, _started_last(host, environment))]
    programs += _behind(driver, environment)
    home = Path(driver[0]).parent.parent
    programs += [
        (_RUNTIME, path)
        for folder in ("lib", "lib64")
        if (path := home / folder / "libamdhip64.so").is_file()
    ][:1]
    lines = said.stdout.strip().splitlines()
    named = [line for line in lines if re.search(r"HIP version|clang version", line)] or lines[:1]
    return Tools(driver, (*programs, *_hosts(host)), f"{'; '.join(named)}; {host.version}")


def _behind(driver: tuple[str, ...], environment: Mapping[str, str]) -> list[tuple[str, Path]]:
    """clang, linker and bundler that the driver starts, as far as it can name them."""
    found = []
    for name in (_CLANG, *hip_compilers.BESIDE):
        command = [*started(driver), f"-print-prog-name={name}"]
        said = run_command(command, env=environment, timeout_seconds=_PROBE_SECONDS)
        path = Path(said.stdout.strip())
        if said.ok and path.is_absolute() and path.is_file():
            found.append((name, path.resolve()))
    return found


def _started_last(host: Tools, environment: Mapping[str, str]) -> Path:
    """The compiler itself, without a launcher in front of it."""
    name = [word for word in host.driver if not word.startswith("-")][-1]
    return Path(shutil.which(name, path=environment.get("PATH")) or name)


def _hosts(host: Tools) -> list[tuple[str, Path]]:
    return [(f"host {role}", path) for role, path in host.programs]


def started(driver: tuple[str, ...]) -> list[str]:
    """The driver's words for a command: hipcc takes itself for NVIDIA's where it finds an nvcc."""
    if hip_compilers.is_clang(driver[0]):
        return list(driver)
    return ["env", "HIP_PLATFORM=amd", *driver]


def architecture(target: Target) -> str:
    """See `Toolchain`. Said by the session, which may ask the device: never ``native``."""
    return target.architecture or ""


def compile_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`. Units that are no device code are the host compiler's alone."""
    suffix = Path(step.name).suffix
    if suffix == CONSTANTS_SUFFIX:
        return _constants_command(job, step)
    if suffix not in SUFFIXES:
        return cpu.compile_command(_host_job(job), step)
    return [*_front(job, step), "-c", str(step.source), "-o", str(step.output)]


def preprocess_command(job: Job, step: Step) -> list[str]:
    """See `Toolchain`."""
    suffix = Path(step.name).suffix
    if suffix == CONSTANTS_SUFFIX:
        return [*_constants_command(job, step), "-E", "-P"]
    if suffix not in SUFFIXES:
        return cpu.preprocess_command(_host_job(job), step)
    return [*_front(job, step), "-E", "-P", str(step.source), "-o", str(step.output)]


def link_command(job: Job, objects: tuple[Path, ...], output: Path) -> list[str]:
    """See `Toolchain`. hipcc links the runtime that it knows; what clang++ links is told here."""
    driver = job.tools.driver
    if job.request.name == CONSTANTS_NAME:
        return [_clang(job), *_BITCODE, "-x", "ir", "-c", *map(str, objects), "-o", str(output)]
    request = job.request
    if hip_compilers.is_clang(driver[0]):
        runtime = dict(job.tools.programs).get(_RUNTIME)
        request = replace(
            request,
            library_dirs=(*request.library_dirs, *((runtime.parent,) if runtime else ())),
            libraries=(*request.libraries, "amdhip64"),
        )
    tools = job.tools._replace(driver=tuple(started(driver)))
    return cpu.link_command(job._replace(request=request, tools=tools), objects, output)


def _host_job(job: Job) -> Job:
    """The job for the host compiler: without what only clang understands for HIP."""
    host = str(dict(job.tools.programs)[_HOST])
    flags = tuple(flag for flag in job.request.compile_flags if not _is_for_device(flag))
    request = replace(job.request, target=Target("cpu"), compile_flags=flags)
    return job._replace(request=request, tools=job.tools._replace(driver=(host,)))


def _front(job: Job, step: Step) -> list[str]:
    request = job.request
    unit = hashlib.sha256(step.name.encode()).hexdigest()[:16]
    return [
        *started(job.tools.driver),
        *("-x", "hip", f"--offload-arch={request.target.architecture}"),
        *_COMPILE_FLAGS,
        *(_AS_NVCC_DOES if Path(step.name).suffix == ".cu" else ()),
        f"-cuid={unit}",  # else made of absolute paths
        *(f"-ffile-prefix-map={folder}={name}" for folder, name in job.prefix_map),
        *cpu.words(job, "CPPFLAGS", "HIPFLAGS"),
        *(f"-D{name}={value}" if value else f"-D{name}" for name, value in request.defines),
        *(f"-I{folder}" for folder in request.include_dirs),
        *(flag for flag in request.compile_flags if flag != "-fopenmp"),
        *("-MD", "-MF", str(step.depfile)),
    ]


def _constants_command(job: Job, step: Step) -> list[str]:
    language = ("-x", "cl", "-cl-std=CL2.0", "-O2")
    files = ("-MD", "-MF", str(step.depfile), "-c", str(step.source), "-o", str(step.output))
    return [_clang(job), *_BITCODE, *language, *files]


def _clang(job: Job) -> str:
    programs = dict(job.tools.programs)
    return str(programs.get(_CLANG, programs["compiler"]))


def _is_for_device(flag: str) -> bool:
    """Whether only HIP's compiler takes a flag."""
    return (
        re.match(r"--(rocm|hip|offload|gpu)|-mcode-object|-f(no-)?(gpu|hip|cuda)", flag) is not None
    )
