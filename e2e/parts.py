"""The parts of a test run: the scripted upstream, toolglot and other servers as processes, and free ports."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

E2E = pathlib.Path(__file__).parent
ROOT = E2E.parent
WORK = E2E / ".work"
TOOLGLOT = os.environ.get("TOOLGLOT", "toolglot")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def process(command, log, **how):
    """Runs a command as long as the block; what it says goes to the file `log`."""
    with open(log, "wb") as out:
        running = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, **how)
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(5)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def wait_for(url, running, log, seconds=60):
    """Waits until something answers at a URL."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if running.poll() is not None:
            break
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=5).close()
            return
        time.sleep(0.05)
    sys.exit(f"nothing answers at {url}:\n{pathlib.Path(log).read_text(errors='replace')[-3000:]}")


@contextlib.contextmanager
def upstream(texts, *more):
    """The scripted model server, with the texts of dialects; gives its URL."""
    file, port, log = WORK / "texts.json", free_port(), WORK / "upstream.log"
    file.write_text(json.dumps(texts, ensure_ascii=False))
    with process([sys.executable, E2E / "upstream.py", "--port", port, "--texts", file, *more], log) as running:
        wait_for(f"http://127.0.0.1:{port}/v1/models", running, log)
        yield f"http://127.0.0.1:{port}"


def server(url, protocol="chat"):
    """A model server in toolglot's settings."""
    return f'[[upstream]]\nurl = "{url}"\nprotocol = "{protocol}"\n'


def prompted(family, dialects):
    """The routes of the models FAMILY/DIALECT, whose server takes no tools, in toolglot's settings."""
    return "".join(f'[[route]]\nmodels = ["{family}/{dialect}"]\nmode = "auto"\nteach = "{dialect}"\n' for dialect in dialects)


@contextlib.contextmanager
def toolglot(settings, name="toolglot"):
    """The proxy with these servers and routes; gives its URL and its process."""
    port, file, log = free_port(), WORK / f"{name}.toml", WORK / f"{name}.log"
    file.write_text(f'listen = "127.0.0.1:{port}"\nlog = "json"\n{settings}')
    with process([TOOLGLOT, "serve", "--config", file], log) as running:
        wait_for(f"http://127.0.0.1:{port}/health", running, log)
        yield f"http://127.0.0.1:{port}", running
