"""A scripted model server: speaks Chat Completions, Messages and Responses, and answers as the model's name says.

  python3 e2e/upstream.py --port 18400 --texts FILE

  model `native/NAME`   the variant NAME of mock/PROTOCOL.toml: a call, faultless (`good`) or broken in one way
  model `text/DIALECT`  calls as text, as a model of that dialect writes them (FILE is what mock/texts.py made)
  model `file/PATH`     the text of that file
  model `prompt/DIALECT` as `text`, of a server that takes no tools: they have to stand in the prompt
  model `agent/DIALECT` a call of the shell tool that the request declares, with the command of --command, as text; a request
                        without such a tool gets a short text
  model `told/DIALECT`  as `agent`, of a server that takes no tools

A request that brings tool results is checked (mock/history.py): what is wrong with it comes back as an error 400, else a
text says the weather. The field `pace_ms`, in the request or after `@` in the model's name, is the time between two pieces.
"""
import argparse
import asyncio
import json
import pathlib
import signal

from mock import history, http1, prompted, texts, variants, wire

PROTOCOLS = {"/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses"}
ANSWER = "It is sunny, and stays so."


class Server:
    def __init__(self, written, command):
        self.written = written
        self.command = command
        self.variants = variants.load()

    async def handle(self, exchange):
        protocol = PROTOCOLS.get(exchange.path)
        if exchange.method == "GET":
            return await exchange.answer({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        if protocol is None:
            return await self.refuse(exchange, f"nothing is at {exchange.path}", 404)
        request = exchange.json()
        name, _, pace = request["model"].partition("@")
        pace = float(pace or request.get("pace_ms") or 0) / 1000
        kind = "stream" if request.get("stream") else "whole"
        try:
            if history.is_follow_up(protocol, request):
                history.check(protocol, request, self.due_calls(protocol, kind, name))
                return await self.say(exchange, protocol, kind, {"text": ANSWER}, pace)
            family, _, name = name.partition("/")
            if family in prompted.FAMILIES:
                return await self.say(exchange, protocol, kind, {"text": self.prompted(protocol, family, name, request)}, pace)
            if family == "native":
                variant = self.variants[protocol, kind, name]
                return await self.play(exchange, variant, pace)
            text = self.text(family, name, request)
            await self.say(exchange, protocol, kind, {"text": text}, pace)
        except history.Wrong as wrong:
            await self.refuse(exchange, str(wrong))
        except (KeyError, OSError) as missing:
            await self.refuse(exchange, f"there is no {missing!r} for {kind} {protocol}")

    def text(self, family, name, request):
        if family == "text":
            return self.written[name]["answer"]
        if family == "agent":
            return texts.shell(name, request.get("tools"), self.command)
        return pathlib.Path(name).read_text()

    def prompted(self, protocol, family, name, request):
        if family == "told":
            return prompted.command(name, request, self.command) or ANSWER
        turn = self.written[name]
        return ANSWER if prompted.is_follow_up(request, turn["calls"]) else turn["answer"]

    def due_calls(self, protocol, kind, model):
        """The calls that the history has to have, if the model's name tells."""
        family, _, name = model.partition("/")
        if family == "native":
            return self.variants[protocol, kind, name].expected()["calls"]
        return self.written[name]["calls"] if family == "text" else None

    async def say(self, exchange, protocol, kind, turn, pace):
        if kind == "whole":
            return await exchange.answer(wire.WHOLE[protocol](turn))
        await self.send(exchange, wire.encode(wire.STREAM[protocol](turn)), pace)

    async def play(self, exchange, variant, pace):
        if variant.kind == "whole":
            return await exchange.answer(variant.body())
        await self.send(exchange, variant.stream(), pace, "broken_off" in variant.framing)

    async def send(self, exchange, pieces, pace, breaks_off=False):
        await exchange.start()
        for piece in pieces:
            await exchange.write(piece)
            if pace:
                await asyncio.sleep(pace)
        await (exchange.abort() if breaks_off else exchange.end())

    async def refuse(self, exchange, message, status=400):
        error = {"type": "invalid_request_error", "message": message, "param": None, "code": None}
        await exchange.answer({"type": "error", "error": error}, status, [("x-should-retry", "false")])


async def run(port, server):
    server, port = await http1.serve(server.handle, port)
    print(json.dumps({"port": port}), flush=True)
    stop = asyncio.get_running_loop().create_future()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, lambda: stop.done() or stop.set_result(None))
    await stop


if __name__ == "__main__":
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--port", type=int, default=0)
    flags.add_argument("--texts", type=pathlib.Path, help="what mock/texts.py made")
    flags.add_argument("--command", default="echo sunny", help="what agents are made to run")
    flags = flags.parse_args()
    written = json.loads(flags.texts.read_text()) if flags.texts else {}
    asyncio.run(run(flags.port, Server(written, flags.command)))
