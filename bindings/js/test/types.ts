// What users write compiles, and calls have the types of their schemas.
import { parse, Parser, ToolSet, type ParserEvent } from "toolglot";
import { z } from "zod";

const tools = new ToolSet({
  get_weather: { parameters: z.object({ city: z.string(), days: z.number() }) },
  ls: { parameters: z.object({ path: z.string().optional() }) },
});
for (const call of await tools.calls(parse("", { tools: tools.tools, dialect: "hermes" }))) {
  if (!call.valid) call.json.length;
  else if (call.name === "get_weather") call.arguments.days.toFixed();
  else {
    const name: "ls" = call.name;
    const path: string | undefined = call.arguments.path;
    void [name, path];
  }
}
// @ts-expect-error there is no such tool
if ((await tools.calls({ calls: [] })).some((call) => call.valid && call.name === "rm")) throw 0;
{
  using parser = new Parser();
  const events: ParserEvent[] = parser.push("x");
  for await (const event of parser.read(new Response("").body ?? [])) events.push(event);
}
// @ts-expect-error there is no such option
parse("", { dialets: "hermes" });
