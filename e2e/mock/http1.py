"""A small HTTP/1.1 server on asyncio: whole answers, streams piece by piece, and connections that break."""
import asyncio
import json
import socket


class Exchange:
    """One request and its answer."""

    def __init__(self, method, path, headers, body, writer):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.writer = writer
        self.open = True

    def json(self):
        return json.loads(self.body or b"{}")

    async def answer(self, data, status=200, headers=()):
        body = json.dumps(data, ensure_ascii=False).encode()
        self._head(status, [("content-type", "application/json"), ("content-length", str(len(body))), *headers])
        self.writer.write(body)
        await self.writer.drain()

    async def start(self, headers=()):
        self._head(200, [("content-type", "text/event-stream"), ("cache-control", "no-cache"),
                         ("transfer-encoding", "chunked"), *headers])

    async def write(self, data):
        self.writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await self.writer.drain()

    async def end(self):
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    async def abort(self):
        """Breaks the connection off in the middle, without the end of the stream."""
        await self.writer.drain()
        self.open = False

    def _head(self, status, headers):
        lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}"] + [f"{name}: {value}" for name, value in headers]
        self.writer.write("\r\n".join([*lines, "", ""]).encode())


async def _body(reader, headers):
    if headers.get("transfer-encoding", "").lower() == "chunked":
        pieces = []
        while size := int((await reader.readline()).split(b";")[0], 16):
            pieces.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(pieces)
    return await reader.readexactly(int(headers.get("content-length", 0)))


async def _request(reader, writer):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    return Exchange(method, path.split("?")[0], headers, await _body(reader, headers), writer)


async def serve(handler, port):
    """Starts a server on the loopback and returns it and its port; `handler` answers each exchange."""
    async def connected(reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            is_open = True
            while is_open:
                exchange = await _request(reader, writer)
                await handler(exchange)
                is_open = exchange.open
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=1 << 20)
    return server, server.sockets[0].getsockname()[1]
