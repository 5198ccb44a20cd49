/** A session as a link's fragment, which no server sees. */
import { EMPTY, type Session } from "./session";

/** Returns the fragment of a session: its JSON, deflated, in base64 for URLs. */
export async function toFragment(session: Session): Promise<string> {
  const kept = Object.fromEntries(Object.entries(session).filter(([, value]) => Object.keys(value).length > 0));
  const stream = new Blob([JSON.stringify(kept)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (let at = 0; at < bytes.length; at += 4096) letters += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return `s=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** Reads a fragment; null if it holds no session. */
export async function fromFragment(fragment: string): Promise<Session | null> {
  const packed = new URLSearchParams(fragment.replace(/^#/, "")).get("s");
  if (!packed) return null;
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(await new Response(stream).text()));
  } catch {
    return null;
  }
}

/** Takes what has the type that it should have; a link may come from anybody. */
export function checked(value: unknown): Session {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const text = (it: unknown) => (typeof it === "string" ? it : "");
  const list = (it: unknown) => (Array.isArray(it) ? it : []);
  const files = list(given["files"]).filter((it) => typeof it?.name === "string" && typeof it?.toml === "string");
  const choices = typeof given["choices"] === "object" && given["choices"] !== null ? given["choices"] : EMPTY.choices;
  const tools = typeof given["tools"] === "object" && given["tools"] !== null ? JSON.stringify(given["tools"], null, 2) : text(given["tools"]);
  return {
    text: text(given["text"]),
    tools,
    dialects: list(given["dialects"]).filter((it) => typeof it === "string"),
    choices: choices as Session["choices"],
    files: files.map(({ name, toml }) => ({ name, toml })),
  };
}
