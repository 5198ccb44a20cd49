// A model server that knows no tools: it writes the call of the agent's own shell tool as text, then says what it saw.
import { createServer } from "node:http";

import { Renderer } from "toolglot";

/** Returns a value for a parameter: the command, or something of its type. */
function value(name, schema, command) {
  if (name === "command") return command;
  if (name === "commands") return schema.items?.type === "object" ? [{ command }] : [command];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return schema.enum?.[0] ?? { string: "Looks at the weather", boolean: false, integer: 1000, number: 1000, array: [], object: {} }[type];
}

/** Returns the call of the tool that runs commands. */
function shellCall(tools, command) {
  for (const { function: tool } of tools) {
    const { properties = {}, required = [] } = tool.parameters ?? {};
    if (!("command" in properties || "commands" in properties)) continue;
    const names = new Set([...required, "command" in properties ? "command" : "commands"]);
    return { name: tool.name, arguments: Object.fromEntries([...names].map((name) => [name, value(name, properties[name] ?? {}, command)])) };
  }
  throw new Error(`no tool runs commands: ${tools.map((tool) => tool.function.name)}`);
}

const text = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? ""));

/**
 * Starts the server. `seen.results` are the results of tools that came back.
 *
 * @param {{ dialect: string, command: string, answer: string }} script
 */
export async function scripted({ dialect, command, answer }) {
  const seen = { requests: 0, results: [] };
  const say = ({ messages, tools = [] }) => {
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => text(content));
    if (results.length) {
      seen.results = results;
      return answer;
    }
    if (!tools.length) return "Weather";
    const call = shellCall(tools, command);
    return new Renderer(dialect).render({ content: "Let me look.\n", calls: [call] });
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (!request.url.endsWith("/chat/completions")) return void response.writeHead(404).end("{}");
    const asked = JSON.parse(body);
    seen.requests++;
    const said = say(asked);
    const head = { id: "1", created: 1, model: asked.model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (!asked.stream) {
      const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish_reason = null, more = {}) =>
      response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`);
    send({ role: "assistant", content: "" });
    for (const content of said.match(/[^]{1,4}/gu)) send({ content });
    send({}, "stop", { usage });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, seen, close: () => (server.closeAllConnections(), server.close()) };
}
