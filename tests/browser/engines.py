"""Drivers for the Firefox and WebKit of a Linux distribution, each with its native protocol.

Playwright needs its own builds of these two. Of installed browsers, it drives only Chromium.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from websocket import create_connection

from ..conftest import PHONE, TIMEOUT

SECONDS = TIMEOUT / 1000
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
WEBKIT = shutil.which("WebKitWebDriver")
SCREEN = shutil.which("Xvfb")
MINIBROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)


class NoAnswerError(Exception):
    """The page did not answer, usually because the next one was just loading."""


class Engine(ABC):
    """A browser with one empty page of a phone's size. `cleanup` stops its processes."""

    needs: ClassVar[dict[str, str | Path | None]]  # path of each required program, by display name

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        with ExitStack() as cleanup:
            self._start(cleanup)
            self.cleanup = cleanup.pop_all()

    @abstractmethod
    def _start(self, cleanup: ExitStack) -> None: ...

    @abstractmethod
    def open(self, address: str) -> None:
        """Open an address, and wait until the page is loaded."""

    @abstractmethod
    def ask(self, expression: str) -> Any:
        """Evaluate a JavaScript expression; await a promise. The value must be JSON. Raises NoAnswerError."""

    @abstractmethod
    def tap(self, x: int, y: int) -> None:
        """Tap, or click without touch, at a point in the window, in CSS pixels."""

    @abstractmethod
    def type(self, text: str) -> None:
        """Press keys one after the other."""

    @abstractmethod
    def delete_cookies(self) -> None:
        """Delete all cookies."""

    @property
    @abstractmethod
    def errors(self) -> list[str]:
        """The errors of the scripts of all pages so far."""


class Firefox(Engine):
    """Firefox by WebDriver BiDi, which it serves itself. Only the older protocol needs geckodriver."""

    needs: ClassVar = {"Firefox": FIREFOX}
    SETTINGS: ClassVar = {
        "ui.useOverlayScrollbars": 1,  # as on a phone
        "layout.frame_rate": 20,  # a second; the processor draws them here
        "dom.ipc.processPrelaunch.enabled": False,  # no process for another tab
    }
    NO_ERRORS = (
        "A ServiceWorker intercepted the request and encountered an unexpected error.",  # the page was left meanwhile
        "can’t establish a connection to the server",  # said of streams while the server is down
    )

    def _start(self, cleanup: ExitStack) -> None:
        settings = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in self.SETTINGS.items())
        (self.folder / "user.js").write_text("\n".join(settings))
        command = [
            str(FIREFOX),
            "--headless",
            "--no-remote",
            "--remote-debugging-port=0",
            "--profile",
            str(self.folder),
        ]
        cleanup.enter_context(running_program(command, self.log, HOME=str(self.folder)))
        address = wait_for_output(self.log, r"WebDriver BiDi listening on (\S+)\s")
        self._socket = create_connection(f"{address}/session", timeout=SECONDS, suppress_origin=True)
        cleanup.callback(self._socket.close)
        self._asked = 0
        self._errors: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._tab = self._send("browsingContext.getTree")["contexts"][0]["context"]
        self._send("browsingContext.setViewport", context=self._tab, viewport=PHONE)

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while (message := json.loads(self._socket.recv())).get("id") != self._asked:
            entry = message["params"]
            is_error = (entry["type"], entry["level"]) == ("javascript", "error")
            if is_error and not any(text in entry["text"] for text in self.NO_ERRORS):
                self._errors.append(entry["text"])
        if message["type"] == "error":
            raise NoAnswerError(f"{method}: {message['message']}")
        return dict(message["result"])

    def open(self, address: str) -> None:
        self._send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def ask(self, expression: str) -> Any:
        script = f"(async () => JSON.stringify(await ({expression}) ?? null))()"
        answer = self._send("script.evaluate", expression=script, target={"context": self._tab}, awaitPromise=True)
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def tap(self, x: int, y: int) -> None:
        steps = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}}
        self._act(finger | {"actions": [*steps, {"type": "pointerUp", "button": 0}]})

    def type(self, text: str) -> None:
        steps = [{"type": way, "value": key} for key in text for way in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": steps})

    def delete_cookies(self) -> None:
        self._send("storage.deleteCookies")

    def _act(self, acts: dict[str, Any]) -> None:
        self._send("input.performActions", context=self._tab, actions=[acts])

    @property
    def errors(self) -> list[str]:
        self._send("session.status")  # when this is answered, all earlier events have been received
        return self._errors


class WebKit(Engine):
    """WebKitGTK's MiniBrowser by WebDriver, on a virtual screen."""

    needs: ClassVar = {"WebKitWebDriver": WEBKIT, "WebKitGTK's MiniBrowser": MINIBROWSER, "Xvfb": SCREEN}

    # WebDriver does not report errors. The page collects them, from the first `ask` on.
    LISTEN = """if (!window.heard) {
        window.heard = [];
        addEventListener("error", (event) => heard.push(event.message));
        addEventListener("unhandledrejection", (event) => heard.push(`${event.reason}`));
    }"""

    # A window with a toolbar of the usual size is wider than a phone.
    NARROW = "* { min-width: 0; min-height: 0; padding: 0; border: 0; font-size: 1px; -gtk-icon-transform: scale(0); }"

    def _start(self, cleanup: ExitStack) -> None:
        self._errors: list[str] = []
        style = self.folder / "gtk-3.0" / "gtk.css"
        style.parent.mkdir()
        style.write_text(self.NARROW)
        screen = self.folder / "screen"
        cleanup.enter_context(running_program([str(SCREEN), "-displayfd", "1", "-screen", "0", "1024x1024x24"], screen))
        display = wait_for_output(screen, r"(?m)^(\d+)$")  # after what it says of numbers that are taken
        environment = os.environ | {"DISPLAY": f":{display}", "GDK_BACKEND": "x11", "XDG_CONFIG_HOME": str(self.folder)}
        options = Options()
        options.binary_location = str(MINIBROWSER)
        options.add_argument("--automation")
        service = Service(WEBKIT, log_output=str(self.log), env=environment)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Selenium uses its own deprecated functions
            self._driver = webdriver.WebKitGTK(options=options, service=service)
        cleanup.callback(self._driver.quit)
        self._driver.set_script_timeout(SECONDS)
        self._driver.set_page_load_timeout(SECONDS)
        width, height = PHONE["width"], PHONE["height"]
        self._driver.set_window_size(width, height)
        wait_until(lambda: self.ask(f"innerWidth === {width} && innerHeight < {height}"), "the window is narrow")
        self._driver.set_window_size(width, 2 * height - self.ask("innerHeight"))
        wait_until(lambda: self.ask(f"innerHeight === {height}"), "the window is as large as a phone")

    def open(self, address: str) -> None:
        self._driver.get(address)

    def ask(self, expression: str) -> Any:
        result = f"(async () => [await ({expression}) ?? null, heard.splice(0)])()"
        script = f"{self.LISTEN}; {result}.then(arguments[0], (fault) => arguments[0]([`${{fault}}`]))"
        try:
            result, *heard = self._driver.execute_async_script(script)
        except WebDriverException as fault:
            raise NoAnswerError(fault.msg) from None
        if not heard:
            raise AssertionError(result)
        self._errors += heard[0]
        return result

    def tap(self, x: int, y: int) -> None:
        actions = ActionBuilder(self._driver, duration=0)
        actions.pointer_action.move_to_location(x, y).click()  # type: ignore[no-untyped-call]  # Selenium does not annotate it
        actions.perform()

    def type(self, text: str) -> None:
        actions = ActionBuilder(self._driver, duration=0)
        actions.key_action.send_keys(text)
        actions.perform()

    def delete_cookies(self) -> None:
        self._driver.delete_all_cookies()

    @property
    def errors(self) -> list[str]:
        self.ask("0")
        return self._errors


ENGINES: dict[str, type[Firefox | WebKit]] = {"Firefox": Firefox, "WebKit": WebKit}


@contextmanager
def running_program(command: list[str], log: Path, **environment: str) -> Iterator[None]:
    """Run a program in the block; write its output to the log."""
    with log.open("wb") as written:
        process = subprocess.Popen(command, env=os.environ | environment, stdout=written, stderr=written)  # noqa: S603  # a known program
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=SECONDS)


def wait_for_output(log: Path, pattern: str) -> str:
    """Wait until the log matches a pattern, and return its first group."""
    return wait_until(lambda: re.search(pattern, log.read_text(errors="replace")), f"{log} matches {pattern}").group(1)


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """Wait until the condition is true, and return its value. A page that does not answer is asked again."""
    end = time.monotonic() + SECONDS
    fault = ""
    while time.monotonic() < end:
        try:
            if result := condition():
                return result
        except NoAnswerError as error:
            fault = str(error)
        time.sleep(0.02)
    raise AssertionError(f"not within {SECONDS:.0f} s: {what} {fault}")
