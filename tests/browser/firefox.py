"""Firefox without a window, spoken to over WebDriver BiDi: what a page says and asks for.

Playwright drives a Firefox of its own making only; this is the one that a distribution has.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

EVENTS = ["log.entryAdded", "network.beforeRequestSent", "network.fetchError"]
SECONDS = 120


def found() -> str | None:
    """Return the path of the browser that FIREFOX names, or else of Debian's."""
    names = (os.environ.get("FIREFOX"), "firefox-esr", "firefox")
    return next(filter(None, map(shutil.which, filter(None, names))), None)


class Firefox:
    """One page at a time; ``said`` is what its console got, ``asked`` what it asked for."""

    def __init__(self, socket: Any):
        self.socket, self.numbers = socket, count(1)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.left: set[str] = set()  # tabs whose last events may still come
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=EVENTS)
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> Any:
        """Send one command and return its result; note the events that come before it."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (message := json.loads(self.socket.recv())).get("id") != number:
            self._note(message)
        if message["type"] == "error":
            raise AssertionError(f"{method}: {message['message']}")
        return message["result"]

    def _note(self, event: dict[str, Any]) -> None:
        params = event["params"]
        if params.get("context", params.get("source", {}).get("context")) in self.left:
            return
        if event["method"] == "network.beforeRequestSent":
            self.asked.append(params["request"]["url"])
        elif event["method"] == "network.fetchError":
            self.said.append(f"{params['errorText']}: {params['request']['url']}")
        elif params["level"] in ("error", "warn"):
            self.said.append(f"{params['level']}: {params['text']}")

    def open(self, address: str) -> None:
        """Open a page in a tab of its own and wait until it has loaded; forget the last one."""
        old, self.tab = self.tab, self.call("browsingContext.create", type="tab")["context"]
        self.left.add(old)
        self.call("browsingContext.close", context=old)
        self.said.clear()
        self.asked.clear()
        self.call("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def see(self, text: str) -> Any:
        """Return what an expression of JavaScript gives, as soon as it is something."""
        until = time.monotonic() + SECONDS
        given = {"target": {"context": self.tab}, "awaitPromise": True}
        while time.monotonic() < until:
            came = self.call("script.evaluate", expression=text, **given)
            assert came["type"] == "success", came["exceptionDetails"]["text"]
            if value := came["result"].get("value"):
                return value
            time.sleep(0.1)
        raise AssertionError(f"for {SECONDS} s nothing came of: {text}")


@contextmanager
def firefox(path: str, folder: Path) -> Iterator[Firefox]:
    """Start the browser with a new profile in a folder; it is closed at the end."""
    import websocket  # comes with JupyterLab

    log, profile = folder / "log", folder / "profile"
    profile.mkdir()
    command = [path, "--headless", "--no-remote", "--profile", str(profile)]
    with log.open("w") as said:
        process = subprocess.Popen([*command, "--remote-debugging-port=0"], stderr=said)
    try:
        until = time.monotonic() + SECONDS
        while not (told := re.search(r"BiDi listening on (ws://\S+)", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        address = f"{told[1]}/session"
        socket = websocket.create_connection(address, SECONDS, suppress_origin=True)
        yield Firefox(socket)
        socket.close()
    finally:
        process.terminate()
        process.wait()
