# SPDX-License-Identifier: BSD-3-Clause
"""Headless Chromium over its DevTools pipe: no port, no other library. One browser, one page after the other."""
from __future__ import annotations

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--disable-extensions", "--disable-default-apps", "--hide-scrollbars", "--remote-debugging-pipe"]
ANSWER_SECONDS = 60  # a command that takes longer hangs


def program() -> str | None:
    return shutil.which("chromium")


class Page:
    """A tab. `errors` and `requests` fill as commands are answered; what the page's policy stopped was no request."""

    def __init__(self, browser: "Browser", session: str):
        self.browser = browser
        self.session = session
        self.errors: list[str] = []
        self.requests: dict[str, str] = {}
        self.loaded = False
        browser.pages[session] = self

    def send(self, method: str, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def on_event(self, method: str, event: dict):
        if method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.errors.append("console: " + " ".join(str(a.get("value", a)) for a in event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.errors.append(event["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests[event["requestId"]] = event["request"]["url"]
        elif method == "Network.loadingFailed" and event.get("blockedReason") == "csp":
            self.requests.pop(event["requestId"], None)
        elif method == "Page.loadEventFired":
            self.loaded = True

    def open(self, file: pathlib.Path):
        self.loaded = False
        self.send("Page.navigate", url=file.resolve().as_uri())
        self.browser.run_until(lambda: self.loaded)

    def run(self, script: str):
        """The value of an expression (JSON), awaited."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def theme(self, name: str):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def key(self, key: str):
        text = {"text": key} if len(key) == 1 else {}
        code = {"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **(text if kind == "keyDown" else {}))

    def mouse(self, kind: str, x: float, y: float, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, file: str, whole: bool = True):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])


class Browser:
    def __init__(self, width: int = 1300, height: int = 900):
        self.pages: dict[str, Page] = {}
        self.answers: dict[int, dict] = {}
        self.number = 0
        self.buffer = b""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def descriptors():  # Chromium reads commands from 3 and writes answers to 4
            spare = [os.dup(to_read), os.dup(to_write)]
            high = [os.dup2(fd, 200 + i) for i, fd in enumerate(spare)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program(), *FLAGS, f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=descriptors)
        os.close(to_read)
        os.close(to_write)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self.send("Browser.close")
        except (RuntimeError, OSError):
            pass
        os.close(self.write_end)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        self.profile.cleanup()

    def page(self) -> Page:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(domain + ".enable")
        return page

    def send(self, method: str, session: str | None = None, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        self.run_until(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def run_until(self, done):
        deadline = time.monotonic() + ANSWER_SECONDS
        while not done():
            ready, _, _ = select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise RuntimeError("Chromium does not answer")
            chunk = os.read(self.read_end, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium ended")
            self.buffer += chunk
            *messages, self.buffer = self.buffer.split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers[message["id"]] = message
                elif message.get("sessionId") in self.pages:
                    self.pages[message["sessionId"]].on_event(message["method"], message["params"])
