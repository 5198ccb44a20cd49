// Runs a WebAssembly module once, so that all dialects are compiled and the tables made that reading makes when it first
// needs them, and writes a module that begins where that one is.
//
//   node snapshot.mjs MODULE OUT
//
// Nothing but the memory differs: the module has no imports, and behind each call its only global, the stack's pointer,
// is as before. So the new module is the old one with other data and a memory that is as large as it has become.
import { readFileSync, writeFileSync } from "node:fs";

const SECTION = { memory: 5, global: 6, dataCount: 12, data: 11 };
const PAGE = 65536;
// Shorter runs of zeros cost less than the head of another segment.
const GAP = 16;

function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

function number(value) {
  const bytes = [];
  do {
    const more = value > 127;
    bytes.push((value & 127) | (more ? 128 : 0));
    value >>>= 7;
  } while (value > 0);
  return Buffer.from(bytes);
}

// A place in the memory, as the signed number that `i32.const` takes.
function signed(value) {
  const bytes = [];
  for (;;) {
    const low = value & 127;
    value >>= 7;
    const over = (value === 0 && !(low & 64)) || (value === -1 && low & 64);
    bytes.push(over ? low : low | 128);
    if (over) return Buffer.from(bytes);
  }
}

function sections(module) {
  const found = [];
  for (let at = 8; at < module.length; ) {
    const [size, start] = readNumber(module, at + 1);
    found.push({ id: module[at], body: module.subarray(start, start + size) });
    at = start + size;
  }
  return found;
}

// The parts of the memory that are not zero.
function* segments(memory) {
  let at = 0;
  while (at < memory.length) {
    while (at < memory.length && memory[at] === 0) at++;
    let end = at;
    for (let zeros = 0, next = at; next < memory.length && zeros <= GAP; next++) {
      zeros = memory[next] === 0 ? zeros + 1 : 0;
      if (zeros === 0) end = next + 1;
    }
    if (end > at) yield [at, memory.subarray(at, end)];
    at = end + 1;
  }
}

const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url));

// Reads a message that has a bit of everything, without tools and with some.
function warmUp(instance) {
  const put = (bytes) => {
    const at = instance.tg_alloc(bytes.length);
    new Uint8Array(instance.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  };
  const out = instance.tg_buffer_new();
  const [declared, text] = [put(example("tools.json")), put(example("mixed.txt"))];
  const tools = instance.tg_tools_new(...declared, out);
  if (tools === 0) throw new Error("the tools of the example could not be read");
  for (const handle of [0, tools])
    if (instance.tg_parse(0, handle, 0, 0, ...text, out) !== 0) throw new Error("the example could not be read");
  instance.tg_tools_free(tools);
  for (const place of [declared, text]) instance.tg_dealloc(...place);
  instance.tg_buffer_free(out);
}

function ready(module) {
  const compiled = new WebAssembly.Module(module);
  if (WebAssembly.Module.imports(compiled).length > 0) throw new Error("the module has imports");
  const instance = new WebAssembly.Instance(compiled, {}).exports;
  warmUp(instance);
  return Buffer.from(instance.memory.buffer);
}

const [, , from, to] = process.argv;
const module = readFileSync(from);
const memory = ready(module);
const parts = [...segments(memory)];
const data = Buffer.concat([
  number(parts.length),
  ...parts.flatMap(([at, bytes]) => [Buffer.from([0, 0x41]), signed(at), Buffer.from([0x0b]), number(bytes.length), bytes]),
]);
const written = [module.subarray(0, 8)];
for (const { id, body } of sections(module)) {
  if (id === SECTION.dataCount) throw new Error("the module copies data by itself, which a snapshot would do twice");
  let bytes = body;
  if (id === SECTION.memory) bytes = Buffer.concat([Buffer.from([1, 0]), number(memory.length / PAGE)]);
  if (id === SECTION.data) bytes = data;
  written.push(Buffer.from([id]), number(bytes.length), bytes);
}
writeFileSync(to, Buffer.concat(written));
