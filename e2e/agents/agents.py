"""Coding agents before a server that reads no calls, and before one that refuses tools: each has to run a command and finish.

  e2e/run agents [--only AGENT]

The scripted upstream writes the call of the agent's own shell tool as text, in one dialect after the other. The command leaves
a file behind; it has to be there, its output has to come back in the next request, and the agent has to say what it is told then.
"""
import argparse
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import parts  # noqa: E402
import upstream  # noqa: E402

BIN = parts.WORK / "agents/node/node_modules/.bin"
DIALECTS = ["hermes", "qwen3_coder", "glm45"]
TASK = "Find out what the weather is."
CODEX = """model_provider = "toolglot"
[model_providers.toolglot]
name = "toolglot"
base_url = "{url}/v1"
env_key = "TOOLGLOT_KEY"
wire_api = "responses"
"""
CONTINUE = """name: test
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: {model}
    apiBase: {url}/v1
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
"""


@dataclasses.dataclass
class Place:
    """Where an agent runs: a home of its own, and an empty folder to work in."""
    url: str
    model: str
    home: pathlib.Path
    folder: pathlib.Path

    def file(self, path, text):
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(url=self.url, model=self.model))
        return path


def claude(place):
    settings = {"ANTHROPIC_BASE_URL": place.url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"}
    return ["claude", "-p", TASK, "--model", place.model, "--allowedTools", "Bash", "--max-turns", "4"], settings


def codex(place):
    place.file(".codex/config.toml", CODEX)
    command = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", place.model, TASK]
    return command, {"TOOLGLOT_KEY": "none"}


def continue_cli(place):
    config = place.file("config.yaml", CONTINUE)
    return ["cn", "--config", config, "--auto", "-p", TASK], {"CONTINUE_TELEMETRY_ENABLED": "0"}


AGENTS = {"Claude Code (messages)": claude, "Codex (responses)": codex, "Continue (chat)": continue_cli}


def run(agent, model, url, witness):
    """Lets an agent do its task; returns what went wrong, or None, and the seconds it took."""
    home = parts.WORK / "agents/home"
    shutil.rmtree(home, ignore_errors=True)
    place = Place(url, model, home, home / "work")
    place.folder.mkdir(parents=True)
    witness.unlink(missing_ok=True)
    (program, *words), settings = agent(place)
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(home), "TERM": "dumb", **settings}
    begun = time.monotonic()
    try:
        done = subprocess.run([str(BIN / program), *map(str, words)], cwd=place.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        said = f"not done after 120 s: {late.stdout}"
    (parts.WORK / f"agent-{program}-{model.replace('/', '-')}.log").write_text(said)
    wrong = "its command did not run" if not witness.exists() else None if upstream.ANSWER in said else "it did not finish"
    return wrong and f"{wrong}: {said[-600:]}", time.monotonic() - begun


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--only", default="")
    flags = flags.parse_args()

    witness = parts.WORK / "agents/witness"
    failed = passed = 0
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(parts.upstream({}, "--command", f"echo sunny | tee {witness}"))
        url, _ = stack.enter_context(parts.toolglot(parts.server(server) + parts.prompted("told", DIALECTS), "agents"))
        models = [f"{family}/{dialect}" for family in ("agent", "told") for dialect in DIALECTS]
        for name, agent in AGENTS.items():
            for model in models if flags.only in name else []:
                wrong, seconds = run(agent, model, url, witness)
                print(f"{name}, {model}: {wrong or 'ran its command and finished'}, {seconds:.1f} s", flush=True)
                passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
