// Cline's runtime with a handler of its own registry: its client of OpenAI's protocol, with toolglot in the place of `fetch`.
import { ClineCore } from "@cline/core";
import { createHandler, registerHandler } from "@cline/llms";
import { createFetch } from "toolglot";

registerHandler("toolglot", (config) =>
  createHandler({ ...config, providerId: "openai-compatible", fetch: process.env.DIRECT ? config.fetch : createFetch() }),
);

const cline = await ClineCore.create({});
const started = await cline.start({
  config: {
    providerId: "toolglot",
    modelId: "scripted",
    apiKey: "none",
    baseUrl: process.env.SCRIPTED_URL,
    cwd: process.cwd(),
    mode: "act",
    enableTools: true,
    enableSpawnAgent: false,
    enableAgentTeams: false,
    systemPrompt: "You run commands.",
  },
  prompt: process.argv[2],
  interactive: false,
});
console.log(started.result?.text);
await cline.dispose();
process.exit();
