/** A plain file server under a sub-path, with the strictest policy that the page may need. */
import { createReadStream, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const ASSETS = process.env["INSPECTOR_ASSETS"] ?? fileURLToPath(new URL("../../crates/toolglot-cli/inspector", import.meta.url));

export const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".gz": "application/gzip",
  ".wasm": "application/wasm",
};

/** What a test answers itself, by path below the sub-path. */
export type Routes = Record<string, (method: string) => { status?: number; body: string } | undefined>;

/** Serves the assets under `/some/where/`; returns the page's address. */
export async function serve(routes: Routes = {}): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname.replace(/^\/some\/where\//, "");
    const own = routes[path]?.(request.method ?? "GET");
    const file = join(ASSETS, normalize(path === "" ? "index.html" : path));
    const headers = { "content-security-policy": POLICY, "x-content-type-options": "nosniff", "cache-control": "no-store" };
    if (own) {
      response.writeHead(own.status ?? 200, { ...headers, "content-type": "application/json" }).end(own.body);
    } else if (file.startsWith(ASSETS) && existsSync(file) && extname(file) !== "") {
      response.writeHead(200, { ...headers, "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      createReadStream(file).pipe(response);
    } else response.writeHead(404, headers).end();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no address");
  return { url: `http://127.0.0.1:${address.port}/some/where/`, server };
}
