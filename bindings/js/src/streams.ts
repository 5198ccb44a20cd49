/// <reference lib="esnext.disposable" preserve="true" />
/** Web streams: text to events, and answers of model servers to answers for clients. */

import { engine } from "./engine.js";
import { Handle } from "./handle.js";
import { Parser } from "./parser.js";
import { checkExchange, dialectsOf, exchangeText } from "./settings.js";
import type { ParserEvent, ExchangeOptions, FinishReason, Protocol, ReadOptions } from "./types.js";

/**
 * Converts a stream of text or bytes to events.
 *
 * @example
 * for await (const event of response.body.pipeThrough(new ParserStream({ tools }))) …
 */
export class ParserStream extends TransformStream<string | Uint8Array, ParserEvent> {
  readonly #parser: Parser;

  constructor(options: ReadOptions = {}) {
    const parser = new Parser(options);
    super({
      transform(piece, controller) {
        for (const event of parser.push(piece)) controller.enqueue(event);
      },
      flush(controller) {
        for (const event of parser.finish()) controller.enqueue(event);
      },
    });
    this.#parser = parser;
  }

  /** Sets why the server ended the message; call it before the stream ends. */
  setFinishReason(reason: FinishReason): void {
    this.#parser.setFinishReason(reason);
  }

  /** The message so far; complete after the end of the stream. */
  message(): ReturnType<Parser["message"]> {
    return this.#parser.message();
  }
}

/**
 * A client's request to a model server. In the answer, calls that the model wrote as text become native calls, and invalid
 * arguments of native calls are repaired; everything else is unchanged.
 *
 * @example
 * const exchange = new Exchange(await request.text());
 * const answer = await fetch(url, { method: "POST", body: exchange.body });
 * return new Response(answer.body.pipeThrough(exchange.stream()), answer);
 */
export class Exchange {
  readonly #handle: Handle;
  /** The request body for the model server. */
  readonly body: string;

  constructor(request: string | Uint8Array | object, options: ExchangeOptions = {}) {
    checkExchange("Exchange", options);
    const text = typeof request === "string" || request instanceof Uint8Array ? request : JSON.stringify(request);
    const home = engine();
    const words = [dialectsOf(home, options), ...home.put(exchangeText(options), text)];
    this.#handle = new Handle(home, "tg_exchange_free", home.make("tg_exchange_new", ...words));
    this.body = home.ask("tg_exchange_body", this.#handle.value);
  }

  #turn(): Handle {
    const { home, value } = this.#handle;
    return new Handle(home, "tg_turn_free", home.make("tg_turn_new", value));
  }

  /** Returns a stream that converts the server's event stream to the client's. Use one for each answer. */
  stream(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
    const turn = this.#turn();
    const { home } = turn;
    const give = (status: number, controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      home.done(status);
      const bytes = home.writtenBytes();
      if (bytes.length > 0) controller.enqueue(bytes);
    };
    return new TransformStream({
      transform(piece, controller) {
        const [at, size] = home.put(piece) as [number, number];
        give(home.call("tg_turn_push", turn.value, at, size, home.out), controller);
      },
      flush(controller) {
        give(home.call("tg_turn_finish", turn.value, 0, 0, home.out), controller);
        turn.release();
      },
    });
  }

  /** Frees the exchange at the end of a block. Otherwise it is freed when it is garbage-collected. */
  [Symbol.dispose](): void {
    this.#handle.release();
  }

  /** Converts a whole answer to the client's. */
  whole(answer: string | Uint8Array): string {
    const turn = this.#turn();
    try {
      return turn.home.ask("tg_turn_whole", turn.value, ...turn.home.put(answer));
    } finally {
      turn.release();
    }
  }
}

const PATHS: readonly [string, Protocol][] = [
  ["/api/chat", "ollama"],
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/messages", "messages"],
];

/** The content type of streams; Ollama's are lines of JSON. */
const STREAMS = ["text/event-stream", "application/x-ndjson"];

/**
 * Returns a `fetch` for any client of a model server that adapts requests and returns answers with native calls. Other
 * requests are passed on unchanged.
 *
 * @example
 * const client = new OpenAI({ baseURL, fetch: createFetch() });
 */
export function createFetch(
  options: Omit<ExchangeOptions, "client" | "server"> & { fetch?: typeof fetch | undefined } = {},
): typeof fetch {
  const { fetch: given, ...exchanges } = options;
  checkExchange("createFetch", options, "fetch");
  return async (input, init) => {
    const send = given ?? globalThis.fetch;
    const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
    const protocol = PATHS.find(([path]) => url.pathname.endsWith(path))?.[1];
    const body = init?.body;
    if (!protocol || typeof body !== "string") return send(input, init);
    const exchange = new Exchange(body, { ...exchanges, client: protocol, server: protocol });
    const headers = new Headers(init?.headers);
    headers.delete("content-length");
    const answer = await send(input, { ...init, headers, body: exchange.body });
    if (!answer.ok || !answer.body) return answer;
    const fresh = new Headers(answer.headers);
    fresh.delete("content-length");
    fresh.delete("content-encoding");
    const { status, statusText } = answer;
    const type = answer.headers.get("content-type") ?? "";
    const streams = STREAMS.some((name) => type.includes(name));
    const content = streams ? answer.body.pipeThrough(exchange.stream()) : exchange.whole(await answer.text());
    return new Response(content, { status, statusText, headers: fresh });
  };
}
