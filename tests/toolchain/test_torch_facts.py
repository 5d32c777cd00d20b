"""What torch is, without importing it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from opwright.errors import ToolchainError
from opwright.toolchain.torch_facts import facts_at, torch_facts

VERSION = """from typing import Optional
__all__ = ['__version__', 'cuda', 'hip']
__version__ = '2.5.1+das.opt1.dtk25041'
debug = False
cuda: Optional[str] = None
git_version = 'abc'
hip: Optional[str] = '6.1.25'
"""


def made_up_torch(root: Path, cmake: str = "") -> Path:
    (root / "include").mkdir(parents=True)
    (root / "version.py").write_text(VERSION)
    (root / "share/cmake/Torch").mkdir(parents=True)
    (root / "share/cmake/Torch/TorchConfig.cmake").write_text(cmake)
    return root


def test_the_facts_are_those_of_the_torch_that_is_imported() -> None:
    import torch

    facts = torch_facts()
    assert facts.version == torch.__version__
    assert facts.cxx11_abi == torch.compiled_with_cxx11_abi()
    assert facts.root == Path(torch.__file__).parent
    assert (facts.cuda or None, facts.hip or None) == (torch.version.cuda, torch.version.hip)
    assert ".".join(map(str, facts.release)) == torch.__version__.partition("+")[0]
    assert (facts.include_dirs[0] / "torch/csrc").is_dir()
    assert (facts.library_dir / "libc10.so").exists()


def test_torch_is_not_imported_for_them() -> None:
    code = (
        "import sys\nfrom opwright.toolchain.torch_facts import torch_facts\n"
        "print(torch_facts().version, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [torch_facts().version, "False"]


def test_an_older_vendor_torch_is_read(tmp_path: Path) -> None:
    flag = 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")'
    facts = facts_at(made_up_torch(tmp_path / "torch", flag))
    assert (facts.version, facts.release) == ("2.5.1+das.opt1.dtk25041", (2, 5, 1))
    assert (facts.cxx11_abi, facts.shim, facts.cuda, facts.hip) == (False, "", "", "6.1.25")
    assert facts_at(made_up_torch(tmp_path / "new")).cxx11_abi


def test_a_torch_without_headers_or_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="is not a whole torch"):
        facts_at(tmp_path)
    root = made_up_torch(tmp_path / "torch")
    (root / "include").rmdir()
    with pytest.raises(ToolchainError, match="has no headers"):
        facts_at(root)
