/** Types of inputs and outputs. Positions (`start`, `end`) are byte offsets into the UTF-8 text. */

/** Why a message ended. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

/** A declared tool with its parameters as JSON Schema. */
export interface JsonSchemaTool {
  type?: string;
  name: string;
  description?: string;
  parameters?: unknown;
}

/** A declared tool, in any vendor's format. */
export type Tool =
  | { type: "function"; function: { name: string; description?: string; parameters?: unknown; strict?: boolean | null } }
  | JsonSchemaTool
  | { type?: string; name: string; description?: string; input_schema?: unknown };

/** A custom dialect: its name and its TOML text. */
export interface DialectFile {
  name: string;
  toml: string;
}

/** Limits for one message. */
export interface Limits {
  /** Bytes held back while their meaning is undecided. Default: 1 MiB. */
  held?: number;
  /** Bytes of the arguments of one call. Default: 16 MiB. */
  arguments?: number;
  /** Nesting depth of values. Default: 128. */
  depth?: number;
  /** Calls in one message. Default: 256. */
  calls?: number;
}

/** The dialects to read. */
export interface DialectChoice {
  /** The names of the dialects to read. Default: all built-in dialects. */
  dialects?: string | readonly string[] | undefined;
  /** An alias of `dialects`. */
  dialect?: string | undefined;
  /** The dialect to prefer if several match. */
  prefer?: string | undefined;
  /** Custom dialects. */
  files?: readonly DialectFile[] | undefined;
}

/** Parsing options. */
export interface Policy {
  /** How to check calls against the tools' schemas. Default: `coerce`. */
  validation?: "lenient" | "coerce" | "strict" | undefined;
  /** How to read text without a declared type. Default: `infer`. */
  untyped?: "infer" | "string" | undefined;
  /** How to read the bare text `null` if a string or null is declared. Default: `null`. */
  nullText?: "null" | "text" | undefined;
  /** Whether the prompt opened a reasoning region. */
  reasoningOpen?: boolean | "maybe" | undefined;
  /** Why the server stopped, if known. */
  finishReason?: FinishReason | undefined;
  /** How to treat a call inside reasoning. Default: `wait`. */
  callsInReasoning?: "wait" | "end" | "quote" | undefined;
  /** How to treat white space next to markers: dropped as part of them (`template`, the default) or kept (`exact`). */
  frame?: "template" | "exact" | undefined;
  /** How much evidence a call needs. Default: `balanced`. */
  evidence?: "strict" | "balanced" | "eager" | undefined;
  /** How to treat a call to an undeclared tool. Default: `call`. */
  unknownTool?: "call" | "text" | undefined;
  /** Whether to return calls cut off at the end among the calls. */
  acceptIncomplete?: boolean | undefined;
  /** Whether special tokens are passed with `pushSpecial` and only there. */
  markedTokens?: boolean | undefined;
  /** `none`, `exact`, `safe`, `all`, or names of repairs; prefix a name with `-` to switch it off. */
  repairs?: string | readonly string[] | undefined;
  limits?: Limits | undefined;
  /**
   * Seed for generated call ids: the same seed gives the same ids. By default, `parse` derives ids from a hash of the text,
   * and a `Parser` uses a random seed.
   */
  idSeed?: number | undefined;
}

/** The settings for parsing a message. */
export interface ReadOptions extends DialectChoice, Policy {
  /** The declared tools, or their JSON text. Default: none. */
  tools?: readonly Tool[] | string | undefined;
}

/** A complete call. */
export interface Call {
  /** The model's id, or a generated one; unique in the message. */
  id: string;
  name: string;
  /** A JSON object as text. */
  arguments: string;
}

/** An incomplete call. */
export interface IncompleteCall {
  name: string;
  /** The arguments received, without added closing brackets. */
  arguments: string;
  /** The call as the model wrote it. */
  text: string;
  outcome: "truncated" | "broken";
}

/** A remark on the text, such as a repair; never an error. */
export interface Diagnostic {
  /** The diagnostic's code. */
  code: string;
  start: number;
  end: number;
  /** What happened, and how it was handled. */
  message: string;
  /** The dialect being read, if any. */
  dialect: string | null;
}

/** Why text that looks like a call was not read as one. */
export interface NearMiss {
  reason:
    | "cut_off"
    | "broken"
    | "in_reasoning"
    | "other_dialect"
    | "in_code"
    | "no_tools"
    | "unknown_name"
    | "weak_marker"
    | "unknown_marker";
  /** The tool that the text seems to call, if it names one. */
  tool: string | null;
  /** The reason as a message, with its position. */
  diagnostic: Diagnostic;
}

/** A whole message. */
export interface Message {
  /** The text, in order, without calls and markup. */
  content: string;
  reasoning: string;
  /** The complete calls. */
  calls: Call[];
  incomplete: IncompleteCall[];
  finishReason: FinishReason;
  /** The dialect of the first call. */
  dialect: string | null;
  /** The diagnostics in order of position. */
  diagnostics: Diagnostic[];
}

/** The bytes of an event in the text. */
interface Span {
  start: number;
  end: number;
}

/** An event of the parser. Except for diagnostics, each event starts where the previous one ended. */
export type ParserEvent =
  | (Span & { type: "text"; text: string })
  | (Span & { type: "reasoning"; text: string })
  /** Bytes that are markup of the dialect. */
  | (Span & { type: "markup" })
  /** A call begins; `id` is the one the model wrote before the arguments. */
  | (Span & { type: "call_start"; index: number; id: string | null; name: string })
  /** The next piece of a call's arguments. Joined, the pieces of a complete call are a JSON object. */
  | (Span & { type: "arguments"; index: number; json: string })
  /** A call ends. Run it only if it is `complete` or `repaired`. */
  | (Span & { type: "call_end"; index: number; id: string | null; outcome: "complete" | "repaired" | "truncated" | "broken" })
  | (Span & { type: "diagnostic"; code: string; message: string; dialect: string | null });

/** The result of repairing an arguments string. */
export interface Repaired {
  /** A JSON object as text; null if the arguments cannot be read. */
  arguments: string | null;
  diagnostics: Diagnostic[];
}

/** A candidate dialect. */
export interface Verdict {
  dialect: string;
  /** Other dialects with the same evidence. */
  alike: string[];
  /** Only comparable between verdicts on the same subject. */
  score: number;
  evidence: { what: string; weight: number; span: [number, number] | null }[];
}

/** How a family of models writes calls. */
export interface Dialect {
  name: string;
  about: string;
  aliases: string[];
  models: string[];
  special: string[];
}

/** A step of the parser, in an explanation. */
export interface Step {
  action: string;
  start: number;
  end: number;
  dialect: string | null;
  detail: string;
}

/** How a byte of a text was read. */
export type ByteKind =
  | "text"
  | "reasoning"
  | "marker"
  | "name"
  | "id"
  | "key"
  | "value"
  | "punctuation"
  | "repaired"
  | "skipped";

/** Consecutive bytes of the same kind, and the number of their call. */
export type Stretch = Span & { kind: ByteKind; call?: number };

/** A repair: the original bytes, and their replacement in the message. */
export type Mending = Span & {
  code: string;
  class: "repair" | "value" | "policy" | "limit";
  message: string;
  before: string;
  after: string;
};

/** An event emitted after `at` bytes of the text had arrived. */
export interface Arrival {
  at: number;
  event: "text" | "reasoning" | "call_start" | "arguments" | "call_end";
  call?: number;
  /** The piece of text, reasoning or arguments; the name of a call that begins, the outcome of one that ends. */
  text: string;
}

/** A tested change with which one more call is found. If two changes are needed, the first is declaring a tool. */
export interface Remedy {
  /**
   * `tools`: declare a tool with this name; `dialect`: add this dialect; `file`: add a dialect file with this text; otherwise,
   * the value of an option. `reasoning` is `callsInReasoning`.
   */
  kind:
    | "tools"
    | "dialect"
    | "file"
    | "evidence"
    | "reasoning"
    | "reasoning_open"
    | "finish_reason"
    | "accept_incomplete"
    | "unknown_tool"
    | "validation"
    | "repairs";
  value: string;
}

/** Why there is no call, or why a call is incomplete. */
export type WhyNot = Span & {
  reason:
    | "cut_off"
    | "broken"
    | "in_reasoning"
    | "other_dialect"
    | "in_code"
    | "no_tools"
    | "unknown_name"
    | "weak_marker"
    | "unknown_marker"
    | "nothing";
  message: string;
  fix: Remedy | null;
};

/** How a text was parsed. Texts up to 32 KiB are parsed character by character, longer ones in 32768 pieces. */
export interface Inspection {
  message: Message;
  /** How the bytes were read, in order; the spans cover the whole text. */
  spans: Stretch[];
  repairs: Mending[];
  /** The steps of the parser, at most 20,000. */
  steps: Step[];
  /** The emitted events, in order. */
  arrivals: Arrival[];
  /** The number of bytes decided after each number of bytes received: `[arrived, decided]` for each change, from `[0, 0]`. */
  held: [number, number][];
  why: WhyNot[];
}

/** An inspection in the module's form, with flat arrays of numbers instead of long lists of objects. */
export interface InspectionRows extends Omit<Inspection, "spans" | "arrivals" | "held"> {
  /** For each span: its end, the index of its kind in `BYTE_KINDS`, and its call or -1. */
  spans: number[];
  arrivals: {
    /** For each arrival: the number of bytes received, the index of its event in `ARRIVAL_EVENTS`, and its call or -1. */
    rows: number[];
    text: string[];
  };
  /** For each change: the number of bytes received, and the number decided. */
  held: number[];
}

/** An example for creating a dialect file. */
export interface Example {
  /** The dialect's name. */
  name: string;
  /** A description in one sentence. */
  about?: string | undefined;
  /** The model's output. */
  text: string;
  /** The expected calls, in order. */
  calls: readonly { name: string; arguments: unknown }[];
  /** Whether prose never contains the calls' opening marker, so that calls may begin inside a line. */
  strong?: boolean | undefined;
}

/** The result of testing a dialect. */
export interface Certificate {
  /** Two calls in the dialect, with every kind of value that is preserved; null if it cannot express any. */
  example: string | null;
  /** Why there is no example. */
  why: string | null;
  /** Kinds of values that are not preserved, with the reason. */
  lost: string[];
  /** Warnings about behaviour that may be unexpected. */
  warnings: string[];
}

/** Options of a grammar. */
export interface GrammarOptions extends Pick<DialectChoice, "files"> {
  /** The declared tools, or their JSON text. */
  tools?: readonly Tool[] | string | undefined;
  /** `gbnf` for llama.cpp (the default), `lark` for llguidance, `structural-tag` for xgrammar, `json-schema` for hosted APIs. */
  form?: "gbnf" | "lark" | "structural-tag" | "json-schema" | undefined;
  /** Which calls the message contains. Default: `auto`. A tool's name, or an object with it, allows only this tool. */
  toolChoice?: "auto" | "required" | "none" | (string & {}) | { name: string } | { function: { name: string } } | undefined;
  /** Whether to allow several calls. Default: true. */
  parallel?: boolean | undefined;
  /** How to constrain arguments. Default: `schema`. Tools that are `strict` are always constrained to their schema. */
  arguments?: "free" | "schema" | undefined;
  /** Where the grammar begins: after the reasoning, before it (the default), or inside it. */
  reasoning?: "none" | "optional" | "prefilled" | undefined;
  /** Whether text may precede required calls. */
  content?: boolean | undefined;
  /** Whether to allow all spellings of the dialect's markers instead of only the first. */
  allSpellings?: boolean | undefined;
  /** Whether an unsupported schema keyword is an error instead of a warning. */
  strict?: boolean | undefined;
  /** The JSON schema for answers without calls; otherwise they are text. */
  answer?: unknown;
  /** Literals that are single tokens of the model, if known; a warning is given if the trigger is not one. */
  tokens?: readonly string[] | undefined;
  /** Whether GBNF covers only the calls, starting at the trigger. */
  lazy?: boolean | undefined;
  /** Whether the JSON schema has the strict form of OpenAI's API. */
  openai?: boolean | undefined;
}

/** A grammar, with what an engine needs to use it. */
export interface Grammar {
  /** GBNF, Lark or JSON. */
  text: string;
  /** The members for a request body. */
  body: Record<string, unknown>;
  /** The text that calls begin with; null if prose may contain it. */
  trigger: string | null;
  /** The markers that are special tokens of the dialect's models. */
  preservedTokens: string[];
  /** What the grammar does not enforce and what an engine may not handle. */
  warnings: string[];
}

/** A message to render: toolglot's own, or in the form of a chat API. */
export interface Renderable {
  content?: string | null | undefined;
  reasoning?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  calls?: readonly { id?: string; name: string; arguments: unknown }[] | undefined;
  tool_calls?: readonly { id?: string; function: { name: string; arguments: unknown } }[] | undefined;
}

/** A protocol of clients and model servers. */
export type Protocol = "chat" | "responses" | "messages" | "ollama";

/** Settings for a client and a model server. */
export interface ExchangeOptions extends DialectChoice {
  /** The client's protocol. Default: `chat`. */
  client?: Protocol | undefined;
  /** The server's protocol. Default: `chat`. */
  server?: Protocol | undefined;
  /** Parsing options. */
  policy?: Omit<Policy, "reasoningOpen" | "finishReason" | "markedTokens" | "idSeed"> | undefined;
  /** The inference engine. */
  engine?: "generic" | "vllm" | "sglang" | "llama.cpp" | "ollama" | "lmstudio" | "mlx-lm" | undefined;
  /** Whether to parse the answer even if the request declares no tools. */
  forced?: boolean | undefined;
  /** The member for reasoning in chat answers. Default: `reasoning_content`. */
  reasoningField?: "reasoning_content" | "reasoning" | "both" | undefined;
  /** Whether the prompt opened a reasoning region. */
  reasoningOpen?: boolean | undefined;
  /** The model's name on the server, if different. */
  upstreamModel?: string | undefined;
  /** The seed for call ids. Default: random. */
  seed?: number | undefined;
  /** The current time in seconds since 1970. Default: the system clock. */
  now?: number | undefined;
}
