/** Typed calls: tools with schemas of zod, valibot or another library that supports Standard Schema. */

import { ToolglotError } from "./engine.js";
import { checkNames } from "./names.js";
import type { Call, JsonSchemaTool, Message } from "./types.js";

/** A validation issue. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type SchemaResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A schema of any library that supports Standard Schema; see standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of a valid value. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** A tool with a schema for its parameters. */
export interface ToolDefinition<Schema extends StandardSchema = StandardSchema> {
  readonly description?: string | undefined;
  readonly parameters: Schema;
  /** The parameters as JSON Schema, for libraries that cannot export it, such as valibot without `@valibot/to-json-schema`. */
  readonly jsonSchema?: object | undefined;
}

type Definitions = Record<string, ToolDefinition>;

/** A call with valid arguments. */
export interface ValidCall<Name extends string, Arguments> {
  readonly valid: true;
  readonly id: string;
  readonly name: Name;
  /** The arguments as returned by the schema library. */
  readonly arguments: Arguments;
}

/** A call with invalid arguments or an undeclared tool; do not run it. */
export interface InvalidCall {
  readonly valid: false;
  readonly id: string;
  readonly name: string;
  /** The arguments, a JSON object as text. */
  readonly json: string;
  readonly issues: readonly SchemaIssue[];
}

/** A call to one of the tools, discriminated by `valid` and `name`. */
export type TypedCall<Tools extends Definitions> =
  | InvalidCall
  | { [Name in keyof Tools & string]: ValidCall<Name, SchemaOutput<Tools[Name]["parameters"]>> }[keyof Tools & string];

const KNOWN = new Set(["description", "parameters", "jsonSchema"]);
const TARGET = { target: "draft-2020-12" };

/**
 * Declared tools, and calls typed by their schemas.
 *
 * @example
 * const weather = new ToolSet({ get_weather: { parameters: z.object({ city: z.string() }) } });
 * for (const call of await weather.calls(parse(text, { tools: weather.tools })))
 *   if (call.valid && call.name === "get_weather") call.arguments.city;
 */
export class ToolSet<const Tools extends Definitions> {
  /** The tools, for options and requests. */
  readonly tools: JsonSchemaTool[];
  readonly #definitions: ReadonlyMap<string, ToolDefinition>;

  constructor(definitions: Tools) {
    this.#definitions = new Map(Object.entries(definitions));
    this.tools = [...this.#definitions].map(([name, definition]) => declared(name, definition));
  }

  /** Validates the calls of a message, in order. */
  calls(message: Pick<Message, "calls">): Promise<TypedCall<Tools>[]> {
    return Promise.all(message.calls.map((call) => this.check(call)));
  }

  /** Validates a call. */
  async check({ id, name, arguments: json }: Call): Promise<TypedCall<Tools>> {
    const definition = this.#definitions.get(name);
    if (!definition) return { valid: false, id, name, json, issues: [{ message: `no tool \`${name}\` is declared` }] };
    const result = await definition.parameters["~standard"].validate(JSON.parse(json));
    if (result.issues) return { valid: false, id, name, json, issues: result.issues };
    return { valid: true, id, name, arguments: result.value } as TypedCall<Tools>;
  }
}

function declared(name: string, definition: ToolDefinition): JsonSchemaTool {
  checkNames(`the tool \`${name}\``, definition, KNOWN);
  if (typeof definition.parameters?.["~standard"]?.validate !== "function")
    throw new ToolglotError("invalid", `the parameters of \`${name}\` are no Standard Schema; use zod 3.24, valibot 1 or later`);
  const parameters = definition.jsonSchema ?? jsonSchema(definition.parameters);
  const { description } = definition;
  return { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) };
}

/** Returns the library's JSON Schema. Without one, types are inferred before validation. */
function jsonSchema(schema: StandardSchema): object | undefined {
  const { jsonSchema: convert } = schema["~standard"] as { jsonSchema?: { input?: (options: typeof TARGET) => object } };
  const { toJsonSchema } = schema as { toJsonSchema?: () => object };
  return convert?.input ? convert.input(TARGET) : typeof toJsonSchema === "function" ? toJsonSchema.call(schema) : undefined;
}
