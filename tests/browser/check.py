"""Hostile pages in a real Chromium. Three times the same page: from another site, from another port of the same name, and
from a name that was led to this machine (DNS rebinding). Then once more with everything that gives the browser away
removed on the way, which has to work: the page really does what it claims to do."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

SERVER = os.environ["MAINSPRING_SERVER"]
PORT = urlsplit(SERVER).port
DIR = Path(sys.argv[1])
HERE = Path(__file__).parent
WAIT_SECONDS = 60


def require(holds, what):
    if not holds:
        sys.exit(f"browser: {what}")


def get(path):
    with urllib.request.urlopen(SERVER + path, timeout=30) as answer:
        return answer.read().decode()


def refused(code):
    found = re.search(rf'requests_refused_total{{code="{code}"}} (\d+)', get("/metrics"))
    return int(found.group(1)) if found else 0


class Page(BaseHTTPRequestHandler):
    """A server of somebody else. What it does not know it passes on, as if its name now led to the real server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="text/html"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def content(self):
        if "chunked" in self.headers.get("transfer-encoding", ""):
            sys.exit("browser: a chunked body")
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def do_GET(self):
        if self.path == "/attack":
            return self.answer(200, self.server.page())
        return self.pass_on(b"")

    def do_POST(self):
        body = self.content()
        if self.path == "/report":
            self.server.reported(json.loads(body))
            return self.answer(200, self.server.next.encode(), "text/plain")
        return self.pass_on(body)

    def do_OPTIONS(self):
        self.pass_on(b"")

    def pass_on(self, body):
        if not self.server.relays:
            return self.answer(404, b"")
        request = urllib.request.Request(SERVER + self.path, data=body or None, method=self.command)
        for name, value in self.headers.items():
            name = name.lower()
            hides = self.server.hides and (name in ("host", "origin", "content-type") or name.startswith("sec-fetch"))
            if name not in ("connection", "content-length", "accept-encoding") and not hides:
                request.add_header(name, value)
        if self.server.hides and body:
            request.add_header("content-type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                self.answer(answer.status, answer.read(), "application/json")
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read(), "application/json")


class Site(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, name, targets, witness, relays=False, hides=False):
        super().__init__((address, 0), Page)
        self.origin = f"http://{name}:{self.server_port}"
        self.targets, self.witness, self.relays, self.hides = targets, witness, relays, hides
        self.next = ""
        self.read = None
        self.done = threading.Event()
        witness.mkdir()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def page(self):
        page = (HERE / "attack.html").read_text(encoding="utf-8")
        page = page.replace("TARGETS", json.dumps(self.targets)).replace("WITNESS", json.dumps(str(self.witness)))
        return page.encode()

    def reported(self, read):
        self.read = read
        self.done.set()


def chromium(*arguments, **more):
    command = [
        os.environ["MAINSPRING_CHROMIUM"],
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        # The server has to refuse, not the browser: it must not keep pages away from local addresses by itself.
        "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
        "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebind.example 127.0.0.1",
        f"--user-data-dir={DIR}/profile",
        *arguments,
    ]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, **more)


def main():
    local = [f"http://localhost:{PORT}", f"http://127.0.0.1:{PORT}"]
    sites = [
        Site("127.0.0.1", "evil.example", local, DIR / "cross-site"),
        Site("127.0.0.1", "localhost", local, DIR / "same-site"),
        Site("127.0.0.1", "rebind.example", [""], DIR / "rebind", relays=True),
        Site("127.0.0.1", "rebind.example", [""], DIR / "hidden", relays=True, hides=True),
    ]
    for site, following in zip(sites, sites[1:]):
        site.next = following.origin + "/attack"
    browser = chromium("--remote-debugging-port=0", sites[0].origin + "/attack", stdout=subprocess.DEVNULL)
    try:
        for site in sites[:-1]:
            require(site.done.wait(WAIT_SECONDS), f"no report from {site.origin}")
            require(site.read == [], f"a page of {site.origin} could read {site.read}")
        counts = {code: refused(code) for code in ("HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED")}
        hidden = sites[-1]
        require(hidden.done.wait(WAIT_SECONDS), f"no report from {hidden.origin}")
        require({"json", "read", "metrics"} <= set(hidden.read), f"the control could read only {hidden.read}")
        until = time.monotonic() + WAIT_SECONDS
        while not {"text", "json", "untyped"} <= {file.name for file in hidden.witness.iterdir()}:
            require(time.monotonic() < until, f"the control ran only {list(hidden.witness.iterdir())}")
            time.sleep(0.05)
    finally:
        browser.kill()
        browser.wait()

    tasks = json.loads(get("/v1/tasks?limit=1000"))["tasks"]
    # The tasks of the control have run, so anything that came before them would have run too.
    argv = [task["payload"]["argv"][1] for task in (json.loads(get(f"/v1/tasks/{task['task_id']}")) for task in tasks)]
    require(all(path.startswith(str(sites[-1].witness)) for path in argv), f"pages have submitted {argv}")
    for site in sites[:-1]:
        require(not list(site.witness.iterdir()), f"a page of {site.origin} has run {list(site.witness.iterdir())}")
    require(counts["HOST_NOT_ALLOWED"] >= 5, f"the rebound name was refused {counts} times")
    require(counts["ORIGIN_NOT_ALLOWED"] >= 20, f"other origins were refused {counts} times")

    # The page of the server itself reads what it shows.
    shown = chromium("--virtual-time-budget=5000", "--dump-dom", f"http://localhost:{PORT}/docs", stdout=subprocess.PIPE)
    text = shown.communicate(timeout=WAIT_SECONDS)[0].decode()
    require("/v1/tasks:batch" in text, f"the server's own page does not work: {text[:2000]}")
    print(f"browser: refused {counts}; nothing ran")


main()
