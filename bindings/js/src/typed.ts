/** Tools whose parameters are schemas of zod, valibot or another library of Standard Schema: calls with types. */

import { ToolglotError } from "./engine.js";
import { checkNames } from "./names.js";
import type { Call, JsonSchemaTool, Message } from "./types.js";

/** Something that a schema does not allow. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type SchemaResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A schema of any library that follows Standard Schema; see standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema's library returns for a value that it allows. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** A tool whose parameters are a schema of a library. */
export interface ToolDefinition<Schema extends StandardSchema = StandardSchema> {
  readonly description?: string | undefined;
  readonly parameters: Schema;
  /** The parameters as JSON Schema, for libraries whose schemas have none, such as valibot without `@valibot/to-json-schema`. */
  readonly jsonSchema?: object | undefined;
}

type Definitions = Record<string, ToolDefinition>;

/** A call whose arguments the tool's schema allows. */
export interface ValidCall<Name extends string, Arguments> {
  readonly valid: true;
  readonly id: string;
  readonly name: Name;
  /** What the schema's library made of the arguments. */
  readonly arguments: Arguments;
}

/** A call whose arguments the schema does not allow, or whose tool is not declared: not to be run. */
export interface InvalidCall {
  readonly valid: false;
  readonly id: string;
  readonly name: string;
  /** The arguments as the text of one JSON object. */
  readonly json: string;
  readonly issues: readonly SchemaIssue[];
}

/** A call of one of the tools, by `valid` and then by `name`. */
export type TypedCall<Tools extends Definitions> =
  | InvalidCall
  | { [Name in keyof Tools & string]: ValidCall<Name, SchemaOutput<Tools[Name]["parameters"]>> }[keyof Tools & string];

const KNOWN = new Set(["description", "parameters", "jsonSchema"]);
const TARGET = { target: "draft-2020-12" };

/**
 * Declared tools, and calls with the types of their schemas.
 *
 * @example
 * const weather = new ToolSet({ get_weather: { parameters: z.object({ city: z.string() }) } });
 * for (const call of await weather.calls(parse(text, { tools: weather.tools })))
 *   if (call.valid && call.name === "get_weather") call.arguments.city;
 */
export class ToolSet<const Tools extends Definitions> {
  /** The tools as options and requests take them. */
  readonly tools: JsonSchemaTool[];
  readonly #definitions: ReadonlyMap<string, ToolDefinition>;

  constructor(definitions: Tools) {
    this.#definitions = new Map(Object.entries(definitions));
    this.tools = [...this.#definitions].map(([name, definition]) => declared(name, definition));
  }

  /** Checks the calls of a message, in its order. */
  calls(message: Pick<Message, "calls">): Promise<TypedCall<Tools>[]> {
    return Promise.all(message.calls.map((call) => this.check(call)));
  }

  /** Checks one call. */
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

/** The JSON Schema that the library makes; without one, values are read as what they look like and then validated. */
function jsonSchema(schema: StandardSchema): object | undefined {
  const { jsonSchema: convert } = schema["~standard"] as { jsonSchema?: { input?: (options: typeof TARGET) => object } };
  const { toJsonSchema } = schema as { toJsonSchema?: () => object };
  return convert?.input ? convert.input(TARGET) : typeof toJsonSchema === "function" ? toJsonSchema.call(schema) : undefined;
}
