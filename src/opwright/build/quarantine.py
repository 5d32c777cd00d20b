"""Set aside what does not load, so that it is never found again and can still be looked at."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.build.store import Store
from opwright.files import digest_file
from opwright.log import log
from opwright.records.artifact import Artifact


def quarantine(artifact: Artifact, why: str) -> Path:
    """Set a library that does not load aside, so that the next build makes it again; returns where to.

    ``why`` is written down beside it, and whether the file is still the one that was built.
    """
    folder = artifact.folder
    intact = artifact.library.is_file() and digest_file(artifact.library) == artifact.digest
    state = "the file is as it was built" if intact else "the file is damaged"
    aside = folder.parent.parent / ".quarantine" / f"{folder.parent.name}-{os.urandom(4).hex()}"
    store = Store(folder.parent.parent.parent)
    with store.writing():
        aside.parent.mkdir(exist_ok=True, mode=0o700)
        try:
            folder.rename(aside)
        except FileNotFoundError:
            return aside  # somebody else has set it aside
        (aside / "why.txt").write_text(f"{why}\n{state}\n")
    log("store.quarantine", f"{artifact.name}: set aside ({state}): {why}", folder=str(aside))
    return aside
