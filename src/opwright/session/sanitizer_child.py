"""The process that NVIDIA's sanitizers watch: it loads one operator, and answers case after case.

``python -m opwright.session.sanitizer_child FILE``: the file holds the payload of a worker and the cases.
Before each case its number is printed, so that what the sanitizer prints can be told to be about it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from opwright.session.subject import set_up

MARK = "@@ opwright case "


def main(file: str) -> None:
    """Answer every case of the file; what an operator raises is no matter here."""
    asked = json.loads(Path(file).read_text(encoding="utf-8"))
    answer = set_up(asked["payload"])
    for number, case in enumerate(asked["cases"]):
        _mark(str(number))
        if answer(case)["dirty"]:
            break  # the device is of no more use in this process
    _mark("end")


def _mark(what: str) -> None:
    sys.stdout.write(f"{MARK}{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
