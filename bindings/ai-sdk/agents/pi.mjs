// An extension of pi: a provider whose models write calls as text. pi asks a server on loopback, which is this process; it
// asks the model server through toolglot.
import { createServer } from "node:http";
import { Readable } from "node:stream";

import { createFetch } from "toolglot";

const upstream = process.env.SCRIPTED_URL;
const read = process.env.DIRECT ? fetch : createFetch();

/** Starts a server that hands requests on to `base`. */
async function relay(base) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = { "content-type": "application/json", authorization: request.headers.authorization ?? "" };
    const answer = await read(base + request.url, { method: request.method, headers, body: body.length ? body.toString() : undefined });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    Readable.fromWeb(answer.body).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}

export default async function (pi) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, contextWindow: 64000, maxTokens: 4000 };
  pi.registerProvider("local", { name: "Local", baseUrl: await relay(upstream), apiKey: "none", api: "openai-completions", models: [model] });
}
