from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from made_timing import TIMING
from opwright.cli.main import main
from opwright.errors import DiscoveryError, RecordError, UsageError
from opwright.session import timing_run
from opwright.spec.target import Target


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command asks for; it is told a timing that was made by hand."""
    said: list[Any] = []

    def show(*arguments: Any) -> Any:
        said.append(arguments)
        return TIMING

    monkeypatch.setattr(timing_run, "show_timing", show)
    return said


def test_what_is_timed_is_shown_and_written(asked: list[Any], tmp_path: Path) -> None:
    (tmp_path / "shapes.json").write_text('[{"batch": [4], "hidden": 8}]')
    shapes = ["--shapes", str(tmp_path / "shapes.json")]
    written = ["--json", str(tmp_path / "timing.json")]
    result = CliRunner().invoke(
        main, ["timing", "bias_gelu", "--target", "simulated", *shapes, *written]
    )
    assert result.exit_code == 0, result.output
    assert asked == [("bias_gelu", Target("simulated"), ({"batch": (4,), "hidden": 8},))]
    assert "earlier work and the call" in result.stdout
    assert json.loads((tmp_path / "timing.json").read_text())["case"] == TIMING.case


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        (("swish", "--target", "emulated"), UsageError, "nothing can be shown on the target"),
        (("nothing_here",), DiscoveryError, "nothing_here"),
        (("swish", "--json", "/nowhere/at/all.json"), RecordError, "cannot be written"),
        (("swish", "--shapes", "/nowhere.json"), UsageError, "cannot be read as JSON"),
    ],
)
def test_what_makes_no_sense_is_refused_with_why(
    arguments: tuple[str, ...], error: Any, why: str
) -> None:
    result = CliRunner().invoke(main, ["timing", *arguments])
    assert result.exit_code == error.exit_code
    assert why in " ".join(result.stderr.split())
    assert result.stdout == ""
