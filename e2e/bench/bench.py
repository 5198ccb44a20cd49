"""What a proxy adds: time to the first piece, time per piece, CPU, memory; direct, a bare relay, toolglot and others.

  e2e/run bench [--litellm] [--rounds N] [--quick] [--update]
  e2e/run bench --chunks [--rounds N] [--update]      each server's chunks, toolglot beside the relay

All of them stand before the same paced model server and get the same requests, in turns, so that what else the machine does
hits them alike. Portkey is among them; LiteLLM, which takes minutes to install, on request. --update writes the table into
bench/results/benchmarks.md. The server's pieces carry the time they were sent; "added" is what a piece takes through a proxy less what
it takes without. CPU is the process's own, user and system, from /proc: what all rounds took by what all rounds passed on,
since the system counts in steps of 10 ms. Chunks are measured by the process's CPU clock, which counts nanoseconds.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import parts  # noqa: E402

LOAD = parts.WORK / "bench/target/release/toolglot-load"
PAGE = parts.ROOT / "bench/results/benchmarks.md"
BEGIN, END = "<!-- what the proxy adds -->", "<!-- end of what the proxy adds -->"
STREAMS, PIECES, PAUSE = 8, 500, 5000
CHUNKS_BEGIN, CHUNKS_END = "<!-- what each server's chunks cost -->", "<!-- end of what each server's chunks cost -->"
FLAT = 40_000
# The JSON around a piece, by server, and the parts that change in every chunk.
ENVELOPES = {
    "plain": "what a chunk must have, nothing new",
    "llama_server": "llama-server; `created` moves on",
    "llama_timings": "the same with `timings_per_token`",
    "vllm": "vLLM; nothing new",
    "vllm_usage": "the same with `continuous_usage_stats`",
    "vllm_logprobs": "the same with `logprobs`",
    "sglang": "SGLang; `created` moves on, `role` is `null`",
    "sglang_usage": "the same with `continuous_usage_stats`",
    "ollama": "Ollama; `created` moves on, `role` in every chunk",
    "lm_studio": "LM Studio; `role` in every chunk",
    "openai": "OpenAI; `obfuscation`",
}
TICK = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Contender:
    name: str
    port: int
    pid: int | None = None
    headers: str = ""
    kind: str = ""
    first: list = dataclasses.field(default_factory=list)
    middle: dict = dataclasses.field(default_factory=dict)
    late: dict = dataclasses.field(default_factory=dict)
    cpu: dict = dataclasses.field(default_factory=dict)
    memory: dict = dataclasses.field(default_factory=dict)

    def load(self, streams, times, pieces, pause, kind, envelope="plain"):
        """Lets clients take streams; returns what they measured."""
        command = [LOAD, "load", self.port, streams, times, pieces, pause, self.kind or kind, envelope]
        environment = os.environ | {"BENCH_HEADERS": self.headers}
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
        if done.returncode:
            sys.exit(f"{self.name}, {kind}: {done.stderr[-1000:]}")
        return json.loads(done.stdout)


def family(pid):
    """A process and all that come from it."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in pathlib.Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def cpu(pid):
    """User and system seconds of a process and its children."""
    user = system = 0
    for one in family(pid):
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(") ", 1)[1].split()
            user, system = user + int(words[11]), system + int(words[12])
    return user / TICK, system / TICK


def memory(pid):
    """Resident MiB."""
    kib = 0
    for one in family(pid):
        with contextlib.suppress(OSError):
            lines = pathlib.Path(f"/proc/{one}/status").read_text().splitlines()
            kib += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return kib / 1024


@contextlib.contextmanager
def watched(contender, streams):
    """Notes the most memory that a contender has meanwhile."""
    done = threading.Event()

    def watch():
        while not done.wait(0.05):
            contender.memory[streams] = max(contender.memory.get(streams, 0), memory(contender.pid))

    watcher = threading.Thread(target=watch)
    if contender.pid:
        watcher.start()
    yield
    done.set()
    if contender.pid:
        watcher.join()


def measure(contender, kind, quick):
    pieces = PIECES // (5 if quick else 1)
    contender.first.append(contender.load(STREAMS, 10, 3, 2000, kind)["first_p50"])
    before = cpu(contender.pid) if contender.pid else (0, 0)
    with watched(contender, STREAMS):
        taken = contender.load(STREAMS, 1, pieces, PAUSE, kind)
    after = cpu(contender.pid) if contender.pid else (0, 0)
    contender.middle.setdefault(kind, []).append(taken["piece_p50"])
    contender.late.setdefault(kind, []).append(taken["piece_p99"])
    user, system, thousands = contender.cpu.get(kind, (0, 0, 0))
    contender.cpu[kind] = (user + after[0] - before[0], system + after[1] - before[1], thousands + taken["pieces"] / 1000)


def toolglot(stack, server):
    url, running = stack.enter_context(parts.toolglot(parts.server(f"http://127.0.0.1:{server}"), "bench"))
    return int(url.rsplit(":", 1)[1]), running.pid


def relay(stack, server):
    port = parts.free_port()
    running = stack.enter_context(parts.process([LOAD, "relay", port, server], parts.WORK / "relay.log"))
    return port, running.pid


def portkey(stack, server):
    port, log, node = parts.free_port(), parts.WORK / "portkey.log", parts.WORK / "bench/node"
    command = [node / "node_modules/.bin/node", node / "node_modules/@portkey-ai/gateway/build/start-server.js",
               f"--port={port}", "--headless"]
    running = stack.enter_context(parts.process(command, log))
    parts.wait_for(f"http://127.0.0.1:{port}/", running, log)
    return port, running.pid


def litellm(stack, server):
    port, log, file = parts.free_port(), parts.WORK / "litellm.log", parts.WORK / "litellm.json"
    to = {"model": "openai/bench-*", "api_base": f"http://127.0.0.1:{server}/v1", "api_key": "none"}
    file.write_text(json.dumps({"model_list": [{"model_name": "bench-*", "litellm_params": to}],
                                "general_settings": {"master_key": "sk-bench"}}))
    command = [parts.WORK / "bench/python/bin/litellm", "--config", file, "--host", "127.0.0.1", "--port", port, "--num_workers", 1]
    running = stack.enter_context(parts.process(command, log, env=os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}))
    parts.wait_for(f"http://127.0.0.1:{port}/health/liveliness", running, log, 120)
    return port, running.pid


def contenders(stack, flags):
    server = parts.free_port()
    stack.enter_context(parts.process([LOAD, "server", server], parts.WORK / "server.log"))
    time.sleep(0.2)
    headers = f"x-portkey-provider: openai\r\nx-portkey-custom-host: http://127.0.0.1:{server}/v1\r\n"
    yield Contender("direct", server)
    yield Contender("bare byte relay", *relay(stack, server))
    yield Contender("toolglot", *toolglot(stack, server))
    yield Contender("toolglot, no tools declared", *toolglot(stack, server), kind="plain")
    yield Contender("Portkey 1.15.2", *portkey(stack, server), headers=headers)
    if flags.litellm:
        yield Contender("LiteLLM 1.106.2", *litellm(stack, server))


def table(found):
    direct, *others = found
    relayed = others[0]
    lines = ["| | first piece, added | per piece, added: p50 | p99 | with a call: p50 | p99 | CPU per 1,000 pieces: user | all "
             "| ratio to relay | with a call: user | all | ratio to relay | MiB at 8 streams | at 200 |", "|---" * 14 + "|"]

    def milli(micros):
        return f"{micros / 1000:.3f} ms"

    def added(what, one, kind):
        mine, base = getattr(one, what), getattr(direct, what)
        return f"{statistics.median(mine[kind]) - statistics.median(base[kind]):.0f} µs" if kind in mine else ""

    def spent(one, kind):
        """User seconds per 1,000 pieces, all seconds, and their ratio to the relay's."""
        if kind not in one.cpu:
            return [""] * 3
        user, system, thousands = one.cpu[kind]
        base = sum(relayed.cpu[kind][:2]) / relayed.cpu[kind][2]
        every = (user + system) / thousands
        return [f"{user / thousands:.4f} s", f"{every:.4f} s", f"{every / base:.1f}" if base else ""]

    for one in others:
        first = statistics.median(one.first) - statistics.median(direct.first)
        lines.append(" | ".join(["| " + one.name, milli(first), *(added(what, one, kind) for kind in ("text", "call") for what in ("middle", "late")),
                                 *spent(one, "text"), *spent(one, "call"), f"{one.memory[STREAMS]:.0f}", f"{one.memory[200]:.0f} |"]))
    base = [statistics.median(direct.first), statistics.median(direct.middle["text"]), statistics.median(direct.late["text"])]
    return lines + ["", f"Direct, for comparison: {milli(base[0])} to the first piece, {base[1]:.0f} µs per piece, p99 {base[2]:.0f} µs."]


def nanoseconds(pid):
    """The CPU clock of a process, its ended threads included: the number of such a clock is made as the C library makes it."""
    scheduled = 2
    return time.clock_gettime_ns(~pid << 3 | scheduled)


def spend(contender, *asked):
    """Seconds of CPU for what is asked, and how many pieces that were."""
    before = nanoseconds(contender.pid)
    taken = contender.load(*asked)
    return (nanoseconds(contender.pid) - before) / 1e9, taken["pieces"]


def chunks(stack, rounds):
    """The table of each server's chunks: paced as text and as a call, and at full speed."""
    server = parts.free_port()
    stack.enter_context(parts.process([LOAD, "server", server], parts.WORK / "server.log"))
    time.sleep(0.2)
    both = [Contender("bare byte relay", *relay(stack, server)), Contender("toolglot", *toolglot(stack, server))]
    ways = [(STREAMS, 1, PIECES, PAUSE, "text"), (STREAMS, 1, PIECES, PAUSE, "call"), (1, 10, FLAT, 0, "text")]
    spent = {}
    for one in both:
        one.load(2, 5, 20, 1000, "call")
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for envelope in ENVELOPES:
            for way in ways:
                for one in both:
                    seconds, pieces = spend(one, *way, envelope)
                    before = spent.get((envelope, way, one.name), (0, 0))
                    spent[envelope, way, one.name] = (before[0] + seconds, before[1] + pieces)
    lines = ["| chunks of | text, paced: relay | toolglot | ratio | with a call | full speed: relay | toolglot | ratio |", "|---" * 8 + "|"]
    for envelope, what in ENVELOPES.items():
        def micros(way, one):
            seconds, pieces = spent[envelope, way, one.name]
            return seconds / pieces * 1e6

        def ratio(way):
            base, own = (micros(way, one) for one in both)
            return f"{own / base:.1f}" if base else ""

        text, call, flat = ways
        lines.append(" | ".join(["| " + what, *(f"{micros(text, one):.0f} µs" for one in both), ratio(text), ratio(call),
                                 *(f"{micros(flat, one):.2f} µs" for one in both), ratio(flat) + " |"]))
    return lines


def write(begin, lines, end):
    before, rest = PAGE.read_text().split(begin)
    PAGE.write_text("\n".join([before + begin, "", *lines, "", end + rest.split(end)[1]]))


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--litellm", action="store_true")
    flags.add_argument("--rounds", type=int, default=5)
    flags.add_argument("--quick", action="store_true")
    flags.add_argument("--update", action="store_true")
    flags.add_argument("--chunks", action="store_true")
    flags = flags.parse_args()
    with contextlib.ExitStack() as stack:
        if flags.chunks:
            lines = chunks(stack, flags.rounds)
            print("\n".join(lines))
            return write(CHUNKS_BEGIN, lines, CHUNKS_END) if flags.update else None
        found = list(contenders(stack, flags))
        for one in found:
            one.load(2, 5, 20, 1000, "call")
        for number in range(flags.rounds):
            print(f"round {number + 1} of {flags.rounds}", file=sys.stderr)
            for kind in ("text", "call"):
                for one in found:
                    if not (one.kind and kind == "call"):
                        measure(one, kind, flags.quick)
        for one in found:
            with watched(one, 200):
                one.load(200, 1, 20, 250_000, "call")
    lines = table(found)
    print("\n".join(lines))
    if flags.update:
        write(BEGIN, lines, END)


if __name__ == "__main__":
    main()
