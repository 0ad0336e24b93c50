"""A server, commands that are typed against it, and the page that shows them."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

START_SECONDS = 60
COMMAND_SECONDS = 900
COLUMNS = 100


class Wrong(Exception):
    """A step did not do what it should."""


class Transcript:
    """One story: every command is run by bash, in a directory of its own, and kept with its answer."""

    def __init__(self, title, about):
        self.page = [f"# {title}", "", textwrap.fill(about.strip(), 125), ""]
        self.home = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.home.name)
        tools = self.dir / "bin"
        tools.mkdir()
        (tools / "mainspring").symlink_to(os.environ["MAINSPRING_BINARY"])
        self.env = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": self.home.name,
            "COLUMNS": str(COLUMNS),
            "USER": "ann",
            "LANG": "C.UTF-8",
        }
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.home.cleanup()

    def start(self, at=None, worker=()):
        """A server and a worker. `at`: where their clock begins; `worker`: further options of the worker."""
        clock = ["faketime", "-f", at] if at else []
        server = ["mainspring", "server", "--data", "data", "--listen", "127.0.0.1:0"]
        self.spawn([*clock, *server])
        said = self.until(r"listening on (http://127\.0\.0\.1:\d+)")
        self.env["MAINSPRING_SERVER"] = said[1]
        self.spawn([*clock, "mainspring", "worker", "--slots", "8", *worker])
        self.until_true("mainspring worker list -o name | grep -q .")

    def spawn(self, command):
        with open(self.dir / "server.log", "a") as log:
            # In a process group of its own: `faketime` starts the program as a child.
            started = subprocess.Popen(
                command, cwd=self.dir, env=self.env, stdout=log, stderr=log, start_new_session=True
            )
            self.processes.append(started)

    def until(self, pattern):
        """What the processes have written since they were started, as soon as it matches."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and all(process.poll() is None for process in self.processes):
            found = re.search(pattern, (self.dir / "server.log").read_text())
            if found:
                return found
            time.sleep(0.05)
        raise Wrong(f"nobody wrote /{pattern}/: {(self.dir / 'server.log').read_text()}")

    def until_true(self, command):
        """Waits until a command, which is not shown, succeeds."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self.call(command)[0] == 0:
                return
            time.sleep(0.1)
        raise Wrong(f"`{command}` does not come true: {(self.dir / 'server.log').read_text()}")

    def stop(self):
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes.clear()
        (self.dir / "server.log").write_text("")

    def say(self, text):
        """Words between the commands."""
        self.page += ["", textwrap.fill(text, 125), ""]

    def quiet(self, command):
        """A command that is not shown."""
        code, said = self.call(command)
        if code:
            raise Wrong(f"`{command}` ended with {code}:\n{said}")
        return said

    def type(self, command, status=0, contains=(), lacks=(), shown=None):
        """Runs it, checks how it ended and what it said, and keeps both. `shown`: at most so many lines are kept."""
        code, said = self.call(command)
        lines = said.rstrip("\n").split("\n") if said else []
        if shown and len(lines) > shown:
            half = shown // 2
            lines = lines[:half] + [f"… {len(lines) - 2 * half} lines …"] + lines[-half:]
        self.page += ["", "```console", f"$ {command}", *[line.rstrip() for line in lines], "```"]
        print(f"$ {command}")
        print("\n".join(lines), flush=True)
        if code != status:
            raise Wrong(f"`{command}` ended with {code}, not {status}:\n{said}")
        for part in contains:
            if not re.search(part, said):
                raise Wrong(f"`{command}` does not say /{part}/:\n{said}")
        for part in lacks:
            if re.search(part, said):
                raise Wrong(f"`{command}` says /{part}/:\n{said}")
        return said

    def call(self, command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.dir,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_SECONDS,
        )
        return done.returncode, done.stdout.decode()

    def curl(self, status, call, check=lambda answer: True):
        """`curl` with the answer and its status; `check` looks at the JSON. The page has it with line breaks."""
        command = f"curl -s -w '\\n-> %{{http_code}}\\n' {call}"
        said = self.type(command, contains=[rf"-> {status}$"])
        text, code = said.rsplit("\n->", 1)
        answer = json.loads(text)
        if not check(answer):
            raise Wrong(f"`{command}`: not the expected answer: {text}")
        lines = json.dumps(answer, indent=2).split("\n") if len(text) > COLUMNS else [text]
        self.page[-1 - len(said.rstrip("\n").split("\n")) : -1] = [*lines, f"->{code}".rstrip()]
        return answer

    def write(self, path):
        text = "\n".join(self.page).replace(self.env["MAINSPRING_SERVER"], "http://127.0.0.1:7070")
        text = re.sub(r"\n{3,}", "\n\n", text.replace(self.home.name, "/home/ann"))
        path.write_text(text.rstrip("\n") + "\n")


def run(stories, arguments):
    """Those that are named, or all; with `--write` their pages are stored."""
    write = "--write" in arguments
    wanted = [argument for argument in arguments if argument != "--write"] or list(stories)
    unknown = [name for name in wanted if name not in stories]
    if unknown:
        sys.exit(f"transcripts: there is no story {unknown[0]}; there are {', '.join(stories)}")
    for name in wanted:
        print(f"-- {name}", flush=True)
        began = time.monotonic()
        try:
            with stories[name]() as story:
                if write:
                    folder = pathlib.Path("docs/transcripts")
                    folder.mkdir(exist_ok=True)
                    story.write(folder / f"{name}.md")
        except Wrong as wrong:
            sys.exit(f"transcripts: {name}: {wrong}")
        print(f"-- {name}: as it should be, {time.monotonic() - began:.0f} s", flush=True)
