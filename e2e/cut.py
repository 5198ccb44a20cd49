"""Calls that are not finished, before real SDKs that run tools: nothing may run, and a server's limit is no error.

  e2e/run cut    TOOLGLOT names the binary

A scripted model server cuts calls off, natively and as text; the proxy stands between. What each SDK ran is counted.
"""
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
WORK = HERE / ".work"
HALF = '{"command":"rm -rf /home/u/old'


def native(*pieces):
    head = {"index": 0, "id": "a", "type": "function", "function": {"name": "bash", "arguments": ""}}
    return [{"tool_calls": [head]}, *({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces)]


def text(*pieces):
    return [{"content": piece} for piece in pieces]


def hermes(arguments):
    return text("<tool_call>\n", '{"name": "bash", "arguments": ' + arguments)


#: The deltas of an answer, and what is to come of them: how often the tool runs, whether there is an error.
SCRIPTS = {
    "native whole": (native('{"command":', '"ls"}'), True),
    "native half": (native(HALF[:12], HALF[12:]), False),
    "native half a key": (native('{"command":"ls",', '"n'), False),
    "native without its brace": (native('{"command":"ls"'), False),
    "native without arguments": (native(), False),
    "native empty": (native("{}"), False),
    "native broken": (native('{"command": ', "rm -rf /x, or}"), False),
    "hermes whole": (hermes('{"command": "ls"}}\n</tool_call>'), True),
    "hermes half": (hermes(HALF), False),
    "hermes without its closer": (hermes('{"command": "ls"}}'), False),
    "qwen half": (text("<tool_call>\n<function=bash>\n<parameter=command>\n", "rm -rf /home/u/old"), False),
    "qwen without its closer": (text("<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n"), False),
}
#: Scripts that are a whole call where no limit ended the answer.
WHOLE_UNLESS_CUT = {"native empty", "native without arguments", "hermes without its closer", "qwen without its closer"}
FINISHES = ("length", "stop", "tool_calls")
PROTOCOLS = ("chat", "responses", "messages")


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.say(404, b"{}", "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions" or "|" not in body.get("model", ""):
            return self.say(404, b"{}", "application/json")
        script, finish = body["model"].split("|")
        def chunk(delta, reason):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            return f"data: {json.dumps(whole)}\n\n"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        counted = json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage})
        frames = [chunk(delta, None) for delta in SCRIPTS[script][0]] + [chunk({}, finish), f"data: {counted}\n\n", "data: [DONE]\n\n"]
        self.say(200, "".join(frames).encode(), "text/event-stream")

    def say(self, status, body, kind):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def free():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def proxy(upstream):
    port = free()
    command = [os.environ["TOOLGLOT"], "serve", "--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{upstream}"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
            return process, port
        except OSError:
            time.sleep(0.05)
    process.terminate()
    sys.exit("the proxy did not start")


def ask(command, jobs):
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def wrong(script, finish, said):
    """What is wrong with what came of an answer, if anything is."""
    limit = finish == "length"
    whole = SCRIPTS[script][1] or script in WHOLE_UNLESS_CUT and not limit
    # The tool requires an argument, so an empty object may be a call that the SDK refuses.
    empty = script in ("native empty", "native without arguments") and not limit
    if empty:
        return None if said["ran"] <= 1 and not said["errors"] else "an error"
    if whole:
        # After a limit, the AI SDK reports a whole call and does not run it.
        ran = said["ran"] == 1 or limit and said["calls"] == 1
        return None if ran and not said["errors"] else "it did not run once"
    if said["ran"] or said["calls"]:
        return "a call that is not finished ran"
    if script == "native broken":
        return None if said["errors"] else "no error"
    if limit and (said["errors"] or said["finish"] != "length"):
        return "a server's limit is no error"
    return None if limit or said["errors"] else "no error"


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    process, port = proxy(server.server_port)
    node = [WORK / "cut" / "node" / "node_modules" / ".bin" / "node", WORK / "cut" / "node" / "ai_sdk.mjs"]
    python = [WORK / "clients" / "python" / "bin" / "python", HERE / "cut" / "clients.py"]
    faults, asked = 0, 0
    try:
        for name, command, versions in (("AI SDK", node, (5, 6, 7)), ("openai and anthropic", python, (None,))):
            jobs = [{"version": version, "protocol": protocol, "base_url": f"http://127.0.0.1:{port}", "model": f"{script}|{finish}"}
                    for version in versions for protocol in PROTOCOLS for script in SCRIPTS for finish in FINISHES]
            for job, said in zip(jobs, ask(command, jobs), strict=True):
                asked += 1
                if why := wrong(*job["model"].split("|"), said):
                    faults += 1
                    print(f"{name} {job['version'] or ''} {job['protocol']}, {job['model']}: {why}: {said}")
    finally:
        process.terminate()
        server.shutdown()
    print(f"cut: {asked - faults} of {asked} as they should be")
    sys.exit(bool(faults))


main()
