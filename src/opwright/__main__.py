"""``python -m opwright``."""

from __future__ import annotations

from opwright.cli.main import main

if __name__ == "__main__":
    main(prog_name="opwright")
