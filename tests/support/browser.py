"""A headless Chromium, driven by the DevTools protocol over two pipes: nothing but Python and the browser."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find():
    """The browser's path; None if there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """Pages of files, one tab at a time. Use as a context manager."""

    def __init__(self, program=None):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def keep_pipes():  # the protocol's pipes are descriptors 3 and 4
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(
            [program or find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=keep_pipes, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session = None
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    def _read(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """The result of a command; what happens meanwhile goes to `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def _wait_for(self, event):
        deadline = time.monotonic() + 60
        while not any(e["method"] == event for e in self.events):
            if time.monotonic() > deadline:
                raise TimeoutError(event)
            answer = self._read()
            if "method" in answer:
                self.events.append(answer)

    def open(self, path, width=1280, height=900, dark=False, fragment="", mobile=False):
        """A file in a new tab; returns when it has loaded. The tab before it is closed."""
        before = self._session and self._target
        self._session = None
        self._target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        if before:
            session, self._session = self._session, None
            self.call("Target.closeTarget", targetId=before)
            self._session = session
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", media="",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self.url = "file://" + os.path.abspath(path)
        self.call("Page.navigate", url=self.url + fragment)
        self._wait_for("Page.loadEventFired")
        return self

    def js(self, expression):
        """The value of an expression in the page, waited for if it is a promise."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression[:200]}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def press(self, key, code=None, number=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number)

    def complaints(self):
        """Messages of the console, exceptions and violations of the page's policy since it was opened."""
        self.js("0")
        told = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Log.entryAdded":
                told.append(parameters["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                told.append(str(parameters["args"]))
            elif event["method"] == "Runtime.exceptionThrown":
                told.append(str(parameters["exceptionDetails"]))
        return told

    def requests(self):
        """What was asked for, the page itself left out."""
        self.js("0")
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        pages = {"about:blank", *(e["params"]["documentURL"] for e in self.events if e["method"] == "Network.requestWillBeSent")}
        return [u for u in urls if u not in pages and u.split("#")[0] not in pages and not u.startswith("data:")]

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
