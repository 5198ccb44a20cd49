/** What goes in and what comes out. Places (`start`, `end`) count bytes of the text in UTF-8. */

/** Why a message ended. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

/** A declared tool with its parameters as JSON Schema. */
export interface JsonSchemaTool {
  type?: string;
  name: string;
  description?: string;
  parameters?: unknown;
}

/** A declared tool, in the form of any vendor's requests. */
export type Tool =
  | { type: "function"; function: { name: string; description?: string; parameters?: unknown; strict?: boolean | null } }
  | JsonSchemaTool
  | { type?: string; name: string; description?: string; input_schema?: unknown };

/** A dialect of your own: its name and its TOML text. */
export interface DialectFile {
  name: string;
  toml: string;
}

/** Bounds on what one message may make the parser hold or say. */
export interface Limits {
  /** Bytes held back while it is open what they are; 1 MiB unless told otherwise. */
  held?: number;
  /** Bytes that one call's arguments may take; 16 MiB unless told otherwise. */
  arguments?: number;
  /** Depth to which values may nest; 128 unless told otherwise. */
  depth?: number;
  /** Calls in one message; 256 unless told otherwise. */
  calls?: number;
}

/** What may be read. */
export interface DialectChoice {
  /** The names of the dialects to read; all that are built in if none is named. */
  dialects?: string | readonly string[] | undefined;
  /** Another spelling of `dialects`. */
  dialect?: string | undefined;
  /** The dialect that wins where several read the same text. */
  prefer?: string | undefined;
  /** Dialects of your own. */
  files?: readonly DialectFile[] | undefined;
}

/** How text is read: everything on which users disagree. */
export interface Policy {
  /** How calls are checked against the tools' schemas; `coerce` unless told otherwise. */
  validation?: "lenient" | "coerce" | "strict" | undefined;
  /** What text means where no schema gives its type; `infer` unless told otherwise. */
  untyped?: "infer" | "string" | undefined;
  /** What the bare text `null` means where a string or null is declared; `null` unless told otherwise. */
  nullText?: "null" | "text" | undefined;
  /** The prompt already opened a reasoning region. */
  reasoningOpen?: boolean | "maybe" | undefined;
  /** Why the server stopped, if it said so. */
  finishReason?: FinishReason | undefined;
  /** What a call inside reasoning is; `wait` unless told otherwise. */
  callsInReasoning?: "wait" | "end" | "quote" | undefined;
  /** White space beside markers: part of them, as templates write it, or `exact` text; `template` unless told otherwise. */
  frame?: "template" | "exact" | undefined;
  /** How much evidence a call needs; `balanced` unless told otherwise. */
  evidence?: "strict" | "balanced" | "eager" | undefined;
  /** What becomes of a call whose tool is not declared; `call` unless told otherwise. */
  unknownTool?: "call" | "text" | undefined;
  /** A call that the end cut off is returned among the calls. */
  acceptIncomplete?: boolean | undefined;
  /** Special tokens come in with `pushSpecial`, and nothing else can be one. */
  markedTokens?: boolean | undefined;
  /** `none`, `exact`, `safe`, `all`, or names of repairs, with `-` before those that may not be made. */
  repairs?: string | readonly string[] | undefined;
  limits?: Limits | undefined;
  /**
   * Seed for generated call ids, used where the model supplies none: the same number gives the same ids. Left out, `parse`
   * makes them from a hash of the text, and a `Parser` draws a number when it is created.
   */
  idSeed?: number | undefined;
}

/** What a message is read with. */
export interface ReadOptions extends DialectChoice, Policy {
  /** The declared tools, or their JSON text; none if left out. */
  tools?: readonly Tool[] | string | undefined;
}

/** A finished call. */
export interface Call {
  /** The model's own id, or one made from the seed; unique in the message. */
  id: string;
  name: string;
  /** The text of one JSON object. */
  arguments: string;
}

/** A call that began and did not finish; nothing of it is lost. */
export interface IncompleteCall {
  name: string;
  /** The arguments as far as they came: nothing is closed that the model left open. */
  arguments: string;
  /** The call as the model wrote it. */
  text: string;
  outcome: "truncated" | "broken";
}

/** Something worth knowing about the text; never an error. */
export interface Diagnostic {
  /** The name of what happened. */
  code: string;
  start: number;
  end: number;
  /** What happened and what was made of it. */
  message: string;
  /** The dialect that was being read, if one was. */
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
  /** The tool that would be called, if the text says which. */
  tool: string | null;
  /** The reason in words, with its place. */
  diagnostic: Diagnostic;
}

/** A whole message. */
export interface Message {
  /** The text, in order, without calls and markup. */
  content: string;
  reasoning: string;
  /** The finished calls. */
  calls: Call[];
  incomplete: IncompleteCall[];
  finishReason: FinishReason;
  /** The dialect of the first call. */
  dialect: string | null;
  /** What was remarkable, ordered by place. */
  diagnostics: Diagnostic[];
}

/** The bytes of the text that an event stands for. */
interface Span {
  start: number;
  end: number;
}

/** One thing the parser found. The spans of all events but diagnostics tile the text. */
export type ParserEvent =
  | (Span & { type: "text"; text: string })
  | (Span & { type: "reasoning"; text: string })
  /** Bytes that belong to the dialect. */
  | (Span & { type: "markup" })
  /** A call begins; `id` is the one the model wrote before the arguments. */
  | (Span & { type: "call_start"; index: number; id: string | null; name: string })
  /** The next piece of a call's arguments; the pieces of a call joined are one JSON object. */
  | (Span & { type: "arguments"; index: number; json: string })
  /** A call is over; only a `complete` or `repaired` one may be run. */
  | (Span & { type: "call_end"; index: number; id: string | null; outcome: "complete" | "repaired" | "truncated" | "broken" })
  | (Span & { type: "diagnostic"; code: string; message: string; dialect: string | null });

/** What became of a string of arguments. */
export interface Repaired {
  /** The text of one JSON object; null if nothing could be recognised. */
  arguments: string | null;
  diagnostics: Diagnostic[];
}

/** A dialect that something speaks for. */
export interface Verdict {
  dialect: string;
  /** Other dialects that the same evidence speaks for as much. */
  alike: string[];
  /** Compares verdicts on one subject, nothing else. */
  score: number;
  evidence: { what: string; weight: number; span: [number, number] | null }[];
}

/** How one family of models writes calls. */
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

/** What a byte of a text became. */
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

/** Bytes in a row that became the same, and the number of the call they belong to. */
export type Stretch = Span & { kind: ByteKind; call?: number };

/** A deviation that was read all the same: the bytes as they stand, and what stands for them in the message. */
export type Mending = Span & {
  code: string;
  class: "repair" | "value" | "policy" | "limit";
  message: string;
  before: string;
  after: string;
};

/** Something that went out when `at` bytes of the text had arrived. */
export interface Arrival {
  at: number;
  event: "text" | "reasoning" | "call_start" | "arguments" | "call_end";
  call?: number;
  /** The piece of text, reasoning or arguments; the name of a call that begins, the outcome of one that ends. */
  text: string;
}

/** A change under which the text has one call more; it was tried. Where that takes two, declaring a tool is the first. */
export interface Remedy {
  /**
   * `tools`: declare a tool of this name; `dialect`: read this one too; `file`: add this dialect file, whose text it is; else
   * an option. `reasoning` is `callsInReasoning`.
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

/** Why there is no call, or why one is not finished. */
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

/** The story of a text. A text of up to 32 KiB is read character by character, a longer one in 32768 pieces. */
export interface Inspection {
  message: Message;
  /** What the bytes became, in order: together they are the whole text. */
  spans: Stretch[];
  repairs: Mending[];
  /** What the parser tried, as far as the first twenty thousand steps. */
  steps: Step[];
  /** What went out, in order. */
  arrivals: Arrival[];
  /** How many bytes were decided when so many had arrived: `[arrived, decided]` for each change, from `[0, 0]` on. */
  held: [number, number][];
  why: WhyNot[];
}

/** An inspection as the module says it: what there is much of as numbers in a row, which are fast to read. */
export interface InspectionRows extends Omit<Inspection, "spans" | "arrivals" | "held"> {
  /** For each stretch its end, the place of its kind in `BYTE_KINDS`, and its call or -1. */
  spans: number[];
  arrivals: {
    /** For each arrival how many bytes had come, the place of its event in `ARRIVAL_EVENTS`, and its call or -1. */
    rows: number[];
    text: string[];
  };
  /** For each change how many bytes had come, and how many were decided. */
  held: number[];
}

/** What an example means, for a dialect file that reads it. */
export interface Example {
  /** The dialect's name. */
  name: string;
  /** A sentence about it. */
  about?: string | undefined;
  /** What the model wrote. */
  text: string;
  /** The calls that the text means, in its order. */
  calls: readonly { name: string; arguments: unknown }[];
  /** Prose never contains what the calls open with: a call may stand in the middle of a line. */
  strong?: boolean | undefined;
}

/** What a dialect can carry. */
export interface Certificate {
  /** Two calls as the dialect writes them, with every kind of value that survives; null if it cannot write even these. */
  example: string | null;
  /** Why there is no example. */
  why: string | null;
  /** Kinds of values that do not come back as they were, with the reason. */
  lost: string[];
  /** What works, but may surprise. */
  warnings: string[];
}

/** Which grammar is asked for. */
export interface GrammarOptions extends Pick<DialectChoice, "files"> {
  /** The declared tools, or their JSON text. */
  tools?: readonly Tool[] | string | undefined;
  /** `gbnf` (llama.cpp) unless told otherwise; `lark` (llguidance), `structural-tag` (xgrammar), `json-schema` (hosted APIs). */
  form?: "gbnf" | "lark" | "structural-tag" | "json-schema" | undefined;
  /** Which calls the message has; `auto` unless told otherwise. A tool's name, or an object that names one, is that tool alone. */
  toolChoice?: "auto" | "required" | "none" | (string & {}) | { name: string } | { function: { name: string } } | undefined;
  /** Whether there may be several calls; true unless told otherwise. */
  parallel?: boolean | undefined;
  /** How far arguments are held; `schema` unless told otherwise. A tool that is `strict` is held to its schema in any case. */
  arguments?: "free" | "schema" | undefined;
  /** Where the grammar begins: behind the reasoning, before it (the default), or inside it. */
  reasoning?: "none" | "optional" | "prefilled" | undefined;
  /** Text may stand before calls that are demanded. */
  content?: boolean | undefined;
  /** All spellings of the dialect's markers, not only the first. */
  allSpellings?: boolean | undefined;
  /** A keyword of a schema that no grammar holds is an error, not a warning. */
  strict?: boolean | undefined;
  /** The JSON schema of an answer without calls, instead of text. */
  answer?: unknown;
  /** Literals that are single tokens of the model, if known: a trigger that is not among them is warned about. */
  tokens?: readonly string[] | undefined;
  /** GBNF of the calls alone, which begins at the trigger. */
  lazy?: boolean | undefined;
  /** The JSON schema in the strict form of OpenAI's API. */
  openai?: boolean | undefined;
}

/** A grammar, and what an engine takes beside it. */
export interface Grammar {
  /** GBNF, Lark, or the text of a JSON value. */
  text: string;
  /** The members of a request body that carry it. */
  body: Record<string, unknown>;
  /** The text with which calls begin; null if prose may contain it. */
  trigger: string | null;
  /** The markers that are special tokens of the dialect's models. */
  preservedTokens: string[];
  /** What the grammar leaves out, and what an engine may stumble over. */
  warnings: string[];
}

/** A message to render: toolglot's own, or as a chat API has it. */
export interface Renderable {
  content?: string | null | undefined;
  reasoning?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  calls?: readonly { id?: string; name: string; arguments: unknown }[] | undefined;
  tool_calls?: readonly { id?: string; function: { name: string; arguments: unknown } }[] | undefined;
}

/** A protocol that clients and model servers speak. */
export type Protocol = "chat" | "responses" | "messages" | "ollama";

/** What is known of a client and a model server. */
export interface ExchangeOptions extends DialectChoice {
  /** What the client speaks; `chat` unless told otherwise. */
  client?: Protocol | undefined;
  /** What the server speaks; `chat` unless told otherwise. */
  server?: Protocol | undefined;
  /** How text is read. */
  policy?: Omit<Policy, "reasoningOpen" | "finishReason" | "markedTokens" | "idSeed"> | undefined;
  /** What serves the model. */
  engine?: "generic" | "vllm" | "sglang" | "llama.cpp" | "ollama" | "lmstudio" | "mlx-lm" | undefined;
  /** Text is read for calls although the request declares no tools. */
  forced?: boolean | undefined;
  /** Where chat clients find reasoning; `reasoning_content` unless told otherwise. */
  reasoningField?: "reasoning_content" | "reasoning" | "both" | undefined;
  /** The prompt already opened a reasoning region. */
  reasoningOpen?: boolean | undefined;
  /** The model's name at the server, where it is another. */
  upstreamModel?: string | undefined;
  /** What ids of calls are made from; a random number unless told otherwise. */
  seed?: number | undefined;
  /** Seconds since 1970; the clock unless told otherwise. */
  now?: number | undefined;
}
