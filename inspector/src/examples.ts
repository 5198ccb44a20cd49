/** Texts that go wrong elsewhere, one click each: what happened, and what is made of it. */
import type { Tool } from "toolglot/bare";
import type { Choices } from "./session";

export interface Example {
  name: string;
  about: string;
  text: string;
  tools?: Tool[];
  dialects?: string[];
  choices?: Choices;
}

const tool = (name: string, description: string, properties: object, required: string[] = []): Tool => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, required } },
});
const text = { type: "string" };

export const WEATHER = tool("get_weather", "Tells the weather of a city", { city: text, days: { type: "integer" } }, ["city"]);
const WRITE = tool("write_file", "Writes a file", { path: text, content: text }, ["path", "content"]);
const READ = tool("read_file", "Reads the first lines of a file", { path: text, lines: { type: "integer" } }, ["path"]);
const SEARCH = tool("search", "Searches the project", { query: text, whole_word: { type: "boolean" }, globs: { type: "array", items: text } }, ["query"]);
const RUN = tool("run", "Runs a command", { command: text, timeout: { type: ["integer", "null"] } }, ["command"]);
const DIAL = tool("dial", "Rings somebody up", { number: text, pin: text }, ["number"]);
const NOW = tool("now", "Tells the time", {});

export const EXAMPLES: Example[] = [
  {
    name: "A turn of an agent",
    about: "Reasoning, text, and two calls in two dialects, one of them not quite JSON.",
    tools: [READ, SEARCH],
    text: `<think>The port comes out as 0. I should read the parser and find who calls it.</think>
I'll look at the parser first.

<tool_call>
<function=read_file>
<parameter=path>
src/config.rs
</parameter>
<parameter=lines>
40
</parameter>
</function>
</tool_call>

Then at every caller:

<tool_call>
{"name": "search", "arguments": {"query": "parse_port", "whole_word": True, "globs": ["src/**", "tests/**",]}}
</tool_call>
`,
  },
  {
    name: "The call came as text",
    about: "The server has no parser for this model: the call stands in the content, and the finish reason says stop.",
    tools: [WEATHER],
    choices: { finishReason: "stop" },
    text: 'One moment.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen", "days": 2}}\n</tool_call>',
  },
  {
    name: "The opening tag is missing",
    about: "The server swallowed the first special token; an orphan closer is left at the end.",
    tools: [SEARCH],
    text: "Let me find the notes.\n\n<function=search>\n<parameter=query>\n*.md\n</parameter>\n</function>\n</tool_call>",
  },
  {
    name: "A call inside reasoning that never closes",
    about: "The model thinks, calls, and stops. Nobody closes the reasoning, and the call is meant.",
    tools: [WEATHER],
    text: '<think>I need the weather in Turin before I can answer.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Turin"}}\n</tool_call>',
  },
  {
    name: "A rehearsal in the reasoning",
    about: "The same call twice: once as a draft, once for real. Running the draft would run it twice.",
    tools: [RUN],
    text: '<think>I could do this:\n<tool_call>\n{"name": "run", "arguments": {"command": "make clean"}}\n</tool_call>\nYes, that is right.</think>Cleaning up.\n<tool_call>\n{"name": "run", "arguments": {"command": "make clean"}}\n</tool_call>',
  },
  {
    name: "Arguments that are not JSON",
    about: "Single quotes, Python's None, a comment, a comma too many, a brace too few.",
    tools: [RUN],
    text: "<tool_call>\n{'name': 'run', 'arguments': {'command': 'grep -n \"todo\" *.rs', 'timeout': None, # no hurry\n}\n</tool_call>",
  },
  {
    name: "Quotes inside a string",
    about: "The model forgot to escape the quotes of the code it writes.",
    tools: [WRITE],
    text: '<tool_call>\n{"name": "write_file", "arguments": {"path": "hello.py", "content": "print("hello, world")\n"}}\n</tool_call>',
  },
  {
    name: "A Windows path",
    about: "Backslashes that JSON does not know are kept, as the path means them.",
    tools: [READ],
    text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "C:\\data\\projects\\setup.cfg"}}\n</tool_call>',
  },
  {
    name: "Numbers as text",
    about: "Elements carry no types; the tool's schema says what is a number and what is not.",
    tools: [WEATHER],
    text: "<tool_call>\n<function=get_weather>\n<parameter=city>\n1984\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
  },
  {
    name: "A PIN with leading zeros",
    about: "A declared string is never turned into a number, whatever it looks like.",
    tools: [DIAL],
    text: "<tool_call>\n<function=dial>\n<parameter=number>\n0047123456\n</parameter>\n<parameter=pin>\n0042\n</parameter>\n</function>\n</tool_call>",
  },
  {
    name: "Indentation in a file",
    about: "The spaces at both ends of a value are part of it; only the dialect's own line breaks are not.",
    tools: [WRITE],
    text: "<tool_call>\n<function=write_file>\n<parameter=path>\nloop.py\n</parameter>\n<parameter=content>\n    for x in items:\n        use(x)   \n\n</parameter>\n</function>\n</tool_call>",
  },
  {
    name: "The closing tag is part of the value",
    about: "The file that is written contains the very marker that ends it.",
    tools: [WRITE],
    text: '<tool_call>\n<function=write_file>\n<parameter=path>\ntags.py\n</parameter>\n<parameter=content>\nCLOSE = "</parameter>"\nprint(CLOSE)\n</parameter>\n</function>\n</tool_call>',
  },
  {
    name: "The wrong tag closes",
    about: "One parameter is closed by another tag; the next one must not be swallowed.",
    tools: [WRITE],
    text: '<invoke name="write_file">\n<parameter name="path">notes.txt</path>\n<parameter name="content">buy milk</parameter>\n</invoke>',
  },
  {
    name: "Cut off by the token limit",
    about: "Half a command is no command. It is shown, and not among the calls.",
    tools: [RUN],
    choices: { finishReason: "length" },
    text: '<tool_call>\n{"name": "run", "arguments": {"command": "rm -rf ./build',
  },
  {
    name: "An example in a code block",
    about: "The model explains how a call looks. It must not be run.",
    tools: [WEATHER],
    text: 'A call looks like this:\n\n```\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lima"}}\n</tool_call>\n```\n\nShall I make one?',
  },
  {
    name: "No tools are declared",
    about: "Python syntax could be any code; it is a call only where its function is a declared tool.",
    text: '[get_weather(city="Oslo", days=3)]',
  },
  {
    name: "Another dialect than expected",
    about: "The parser was told to read one dialect, and the model writes another.",
    tools: [WEATHER],
    dialects: ["kimi_k2"],
    text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Quito"}}\n</tool_call>',
  },
  {
    name: "Bare JSON in the middle of a sentence",
    about: "Weak evidence: JSON in prose is often data. An option says how much evidence a call needs.",
    tools: [WEATHER],
    text: 'I would call {"name": "get_weather", "arguments": {"city": "Porto"}} now.',
  },
  {
    name: "Special tokens were stripped",
    about: "Harmony without its markers, as servers send it that skip special tokens.",
    tools: [WEATHER],
    text: 'analysisThe user wants the weather.\nassistantcommentary to=functions.get_weather json{"city": "Paris"}',
  },
  {
    name: "Other bars than those of the template",
    about: "The model writes look-alikes of its own markers.",
    tools: [WEATHER],
    text: '<||DSML||tool_calls>\n<||DSML||invoke name="get_weather">\n<||DSML||parameter name="city" string="true">Wien</||DSML||parameter>\n</||DSML||invoke>\n</||DSML||tool_calls>',
  },
  {
    name: "A call without arguments",
    about: "Nothing stands between the tags, and the call still has the arguments {}.",
    tools: [NOW],
    text: '<tool_call>\n{"name": "now"}\n</tool_call>',
  },
  {
    name: "Two calls in one pair of tags",
    about: "Two objects behind each other: two calls, not one with broken arguments.",
    tools: [WEATHER],
    text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n{"name": "get_weather", "arguments": {"city": "Basel"}}\n</tool_call>',
  },
  {
    name: "A name that is not declared",
    about: "The model invented a prefix. A spelling that fits exactly one tool is read; others are left to you.",
    tools: [WEATHER],
    text: '<tool_call>\n{"name": "functions.get-weather", "arguments": {"city": "Accra"}}\n</tool_call>\n<tool_call>\n{"name": "forecast", "arguments": {"city": "Accra"}}\n</tool_call>',
  },
  {
    name: "Entities in a value",
    about: "Models that write XML may escape; whether that was meant cannot be seen, so it is kept.",
    tools: [RUN],
    text: "<tool_call>\n<function=run>\n<parameter=command>\nmake &amp;&amp; make test 2&gt;&amp;1\n</parameter>\n</function>\n</tool_call>",
  },
  {
    name: "Text around a call",
    about: "Every byte is accounted for: what is no call reaches the client as it came. 日本語 and 🛠️ too.",
    tools: [WEATHER],
    text: 'Åpner kartet… 🛠️\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "札幌"}}\n</tool_call>\n  もう一度 👋🏽\n',
  },
];

/** The sample that each dialect writes for the gallery. */
export const SAMPLE = {
  reasoning: "Two look-ups will do.",
  content: "Let me look.",
  calls: [
    { name: "get_weather", arguments: { city: "Paris", days: 3 } },
    { name: "read_note", arguments: { title: "a < b" } },
  ],
};
export const SAMPLE_TOOLS = [WEATHER, tool("read_note", "Reads a note", { title: text }, ["title"])];
