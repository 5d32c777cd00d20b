"""A real browser without a screen, spoken to by pipes: pages are opened, asked, and looked at."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 60.0
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"),
)


def find_browser() -> str | None:
    """The path of the first one that is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One tab. Every request that it makes is noted in ``requests``."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._rest = b""
        self._last = 0
        self._session: str | None = None
        self.requests: list[str] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self._ask(f"{domain}.enable")

    def open(self, page: Path, width: int, *, dark: bool = False) -> None:
        """Show a page in a window of so many CSS pixels, and wait until all of it is there."""
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])
        self.requests.clear()
        self._ask("Page.navigate", url=page.as_uri())
        until = time.monotonic() + _SECONDS
        while self.value("document.readyState + location.href") != f"complete{page.as_uri()}":
            assert time.monotonic() < until, f"{page} was not loaded"

    def value(self, expression: str) -> Any:
        """What a JavaScript expression comes to in the page, by way of JSON."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, file: Path) -> None:
        """The whole page as PNG, however long."""
        shot = self._ask("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return dict(answer["result"])
        raise AssertionError(f"the browser ended during {method}")

    def _messages(self) -> Iterator[dict[str, Any]]:
        while True:
            while b"\0" in self._rest:
                message, _, self._rest = self._rest.partition(b"\0")
                yield json.loads(message)
            ready, _, _ = select.select([self._from], [], [], _SECONDS)
            assert ready, "the browser does not answer"
            read = os.read(self._from, 1 << 20)
            if not read:
                return
            self._rest += read


@contextmanager
def running_browser(path: str, folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in an empty folder; it ends with the block."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()

    # It reads commands from descriptor 3 and writes answers to 4.
    script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
    command = ["bash", "-c", script, "bash", path, *_OPTIONS, f"--user-data-dir={folder}"]
    process = subprocess.Popen(
        command,
        pass_fds=(theirs_in, theirs_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)},
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_out, ours_in)
    finally:
        os.close(ours_out)  # it ends when nobody speaks to it
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(ours_in)
