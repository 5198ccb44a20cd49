/* toolglot: reads the tool calls that language models write as text.
 *
 * Texts are a pointer and a number of bytes, UTF-8, nothing terminates them. A handle that a `_new` function returned is
 * freed with its `_free` function, which takes null too. Functions that can fail return a status; what they write, or
 * why they failed, stands in the buffer that is handed to them, which may be null. Handles may move between threads;
 * dialects, tools, renderers and exchanges may be used by several at once, the others by one at a time.
 *
 * This file is made by cbindgen. Do not change it. */


#ifndef TOOLGLOT_H
#define TOOLGLOT_H

#include <stddef.h>
#include <stdint.h>

// Changes whenever a program that was built for an earlier header would go wrong.
#define TG_ABI_VERSION 1

// How a function ended.
enum tg_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // As it should.
  TG_STATUS_OK = 0,
  // What was handed in cannot be used; the buffer says why.
  TG_STATUS_INVALID = 1,
  // What was handed in is fine but cannot be done; the buffer says why.
  TG_STATUS_FAILED = 2,
  // A fault of toolglot's; the handle can only be freed.
  TG_STATUS_PANICKED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tg_status tg_status;
#else
typedef int32_t tg_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a record says, and which of its texts are there.
enum tg_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Text for the reader: `text`.
  TG_KIND_TEXT = 0,
  // Text of the model's reasoning: `text`.
  TG_KIND_REASONING = 1,
  // Bytes that belong to the dialect: markers, closers, wrappers.
  TG_KIND_MARKUP = 2,
  // A call begins: `index`, `name`, and `id` if the model wrote one before the arguments.
  TG_KIND_CALL_START = 3,
  // A piece of a call's arguments: `index`, and JSON in `text`; the pieces of a call joined are one JSON object.
  TG_KIND_ARGUMENTS = 4,
  // A call is over: `index`, the outcome (`complete`, `repaired`, `truncated`, `broken`) in `name`, `id` if there is one.
  TG_KIND_CALL_END = 5,
  // Something worth knowing: the code in `name`, words in `text`, the dialect in `id` if there is one.
  TG_KIND_DIAGNOSTIC = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tg_kind tg_kind;
#else
typedef uint32_t tg_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a dialect is recognised by.
enum tg_source
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // What a model wrote.
  TG_SOURCE_OUTPUT = 0,
  // A chat template.
  TG_SOURCE_TEMPLATE = 1,
  // A model's name.
  TG_SOURCE_MODEL = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tg_source tg_source;
#else
typedef uint32_t tg_source;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Bytes that a function hands out: a result, or on failure the reason.
typedef struct tg_buffer tg_buffer;

// Dialects that may be read; cheap to share between parsers, also of different threads.
typedef struct tg_dialects tg_dialects;

// A client's request to a model server.
typedef struct tg_exchange tg_exchange;

// A parser: one message after the other, one thread at a time.
typedef struct tg_parser tg_parser;

// Writes messages in one dialect.
typedef struct tg_renderer tg_renderer;

// Tools that may be called; cheap to share between parsers, also of different threads.
typedef struct tg_tools tg_tools;

// One answer of the model server, on its way to the client.
typedef struct tg_turn tg_turn;

// A text of a record: UTF-8, not terminated, good until the next call with the same parser.
typedef struct {
  // The first byte; null where the record has no such text.
  const uint8_t *data;
  // The number of bytes.
  size_t len;
} tg_text;

// One event. The spans of all events but diagnostics tile the input: each starts where the one before ended.
typedef struct {
  // What the event says.
  tg_kind kind;
  // The call's number in the message, from 0.
  uint32_t index;
  // The first byte of the input that the event stands for.
  uint64_t start;
  // The byte behind the last.
  uint64_t end;
  // Text, reasoning, JSON, or the words of a diagnostic.
  tg_text text;
  // A tool's name, a call's outcome, or a diagnostic's code.
  tg_text name;
  // A call's id, or a diagnostic's dialect.
  tg_text id;
} tg_event;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns `TG_ABI_VERSION` of the library; compare it with the header's before anything else.
uint32_t tg_abi_version(void);

// Returns memory for `len` bytes, or null; for hosts that have to put text into the memory of a WebAssembly module.
uint8_t *tg_alloc(size_t len);

// Gives back what `tg_alloc` returned, with the same `len`.
void tg_dealloc(uint8_t *data, size_t len);

// Returns an empty buffer.
tg_buffer *tg_buffer_new(void);

// Returns the buffer's first byte; good until the buffer is handed to another function.
const uint8_t *tg_buffer_data(const tg_buffer *buffer);

// Returns the number of bytes in the buffer, which nothing terminates.
size_t tg_buffer_len(const tg_buffer *buffer);

// Frees a buffer; null is fine.
void tg_buffer_free(tg_buffer *buffer);

// Returns dialects: all that are built in, unless a JSON object says otherwise with `files` (`[{"name", "toml"}]`), `only`
// (names) or `prefer` (a name), done in the order they stand in. Null on failure, with the reason in `out`.
tg_dialects *tg_dialects_new(const uint8_t *choice,
                             size_t len,
                             tg_buffer *out);

// Frees dialects; parsers that were made with them go on.
void tg_dialects_free(tg_dialects *dialects);

// Writes the dialects as a JSON array of `{"name", "about", "aliases", "models", "special"}`.
tg_status tg_dialects_list(const tg_dialects *of, tg_buffer *out);

// Returns the tools of a JSON array, in the form of any vendor's requests. Null on failure, with the reason in `out`.
tg_tools *tg_tools_new(const uint8_t *json,
                       size_t len,
                       tg_buffer *out);

// Frees tools; parsers that were made with them go on.
void tg_tools_free(tg_tools *tools);

// Reads a whole text and writes the message as JSON: `content`, `reasoning`, `calls`, `incomplete`, `finish_reason`,
// `dialect`, `diagnostics`. Dialects may be null for all, tools for none, options empty.
tg_status tg_parse(const tg_dialects *of,
                   const tg_tools *with,
                   const uint8_t *options,
                   size_t options_len,
                   const uint8_t *input,
                   size_t input_len,
                   tg_buffer *out);

// As `tg_parse`, but writes `steps`, `events` and `message`: why the text was read so.
tg_status tg_explain(const tg_dialects *of,
                     const tg_tools *with,
                     const uint8_t *options,
                     size_t options_len,
                     const uint8_t *input,
                     size_t input_len,
                     tg_buffer *out);

// As `tg_parse`, but writes why no call was found in a text that looks like one, or `null`: `reason`, `tool`, `diagnostic`.
tg_status tg_near_miss(const tg_dialects *of,
                       const tg_tools *with,
                       const uint8_t *options,
                       size_t options_len,
                       const uint8_t *input,
                       size_t input_len,
                       tg_buffer *out);

// As `tg_parse`, but writes what became of every byte and when: `message`, `spans`, `repairs`, `steps`, `arrivals`, `held`,
// `why`. What there is much of is numbers in a row: of a span its end, the place of its kind in text, reasoning, marker, name,
// id, key, value, punctuation, repaired, skipped, and its call or -1; of an arrival (`rows`, beside `text`) how many bytes had
// come, the place of its event in text, reasoning, call_start, arguments, call_end, and its call or -1. For people who look: it
// takes several times as long.
tg_status tg_inspect(const tg_dialects *of,
                     const tg_tools *with,
                     const uint8_t *options,
                     size_t options_len,
                     const uint8_t *input,
                     size_t input_len,
                     tg_buffer *out);

// Reads the `arguments` string of a call of `tool` (empty: of the only one that is declared) and writes
// `{"arguments", "diagnostics"}`; the arguments are the text of a JSON object, or null if nothing could be recognised.
tg_status tg_repair(const tg_dialects *of,
                    const tg_tools *with,
                    const uint8_t *tool,
                    size_t tool_len,
                    const uint8_t *options,
                    size_t options_len,
                    const uint8_t *arguments,
                    size_t arguments_len,
                    tg_buffer *out);

// Writes the dialects that a subject speaks for, the best first: `[{"dialect", "alike", "score", "evidence"}]`.
tg_status tg_detect(const tg_dialects *of,
                    const tg_tools *with,
                    uint32_t source,
                    const uint8_t *subject,
                    size_t subject_len,
                    tg_buffer *out);

// Writes an id for the call at `index` that carries none: the same seed and index give the same id.
tg_status tg_mint(uint64_t seed, uint32_t index, tg_buffer *out);

// Returns a parser. Dialects may be null for all, tools for none, options empty. Null on failure, with the reason in `out`.
tg_parser *tg_parser_new(const tg_dialects *of,
                         const tg_tools *with,
                         const uint8_t *options,
                         size_t options_len,
                         tg_buffer *out);

// Frees a parser.
void tg_parser_free(tg_parser *parser);

// Puts messages together from now on, for `tg_parser_message`.
tg_status tg_parser_collect(tg_parser *parser);

// Reads on from bytes: UTF-8 that may be cut anywhere. Then `tg_parser_events` has what was found.
tg_status tg_parser_push(tg_parser *parser, const uint8_t *data, size_t len);

// Reads on from one special token.
tg_status tg_parser_push_special(tg_parser *parser, const uint8_t *data, size_t len);

// Ends the message; the next push begins another.
tg_status tg_parser_finish(tg_parser *parser);

// Returns the events of the last push or finish; good until the next call with the parser.
const tg_event *tg_parser_events(const tg_parser *parser);

// Returns the number of these events.
size_t tg_parser_event_count(const tg_parser *parser);

// Says why the server ended the message (`stop`, `tool_calls`, `length`, `content_filter`); before `tg_parser_finish`.
tg_status tg_parser_set_finish_reason(tg_parser *parser,
                                      const uint8_t *name,
                                      size_t len);

// Writes the name of the dialect of the message's first call, or nothing, until the next message begins.
tg_status tg_parser_dialect(const tg_parser *parser, tg_buffer *out);

// Writes the message so far as `tg_parse` does; `tg_parser_collect` has to come before the first push.
tg_status tg_parser_message(const tg_parser *parser, tg_buffer *out);

// Returns a renderer of the dialect `name`. Null on failure, with the reason in `out`.
tg_renderer *tg_renderer_new(const tg_dialects *of,
                             const tg_tools *with,
                             const uint8_t *name,
                             size_t len,
                             tg_buffer *out);

// Frees a renderer.
void tg_renderer_free(tg_renderer *renderer);

// Writes the text in which a model says a message: JSON as `tg_parse` writes it, or as a chat API has it.
tg_status tg_renderer_render(const tg_renderer *renderer, const uint8_t *json, size_t len, tg_buffer *out);

// Reads a client's request of a model server. Settings are a JSON object: `client` and `server` (`chat`, `responses`,
// `messages`), `options`, `engine`, `forced`, `reasoning_field`, `reasoning_open`, `upstream_model`, `history_ids`, `seed`,
// `now`. Null on failure, with the reason or the body of an error for the client in `out`.
tg_exchange *tg_exchange_new(const tg_dialects *of,
                             const uint8_t *settings,
                             size_t settings_len,
                             const uint8_t *body,
                             size_t body_len,
                             tg_buffer *out);

// Frees a request; its turns go on.
void tg_exchange_free(tg_exchange *exchange);

// Writes the body for the model server.
tg_status tg_exchange_body(const tg_exchange *exchange, tg_buffer *out);

// Returns the way of one answer to a request.
tg_turn *tg_turn_new(const tg_exchange *exchange, tg_buffer *out);

// Frees a turn.
void tg_turn_free(tg_turn *turn);

// Takes bytes of the server's stream and writes those of the client's.
tg_status tg_turn_push(tg_turn *turn, const uint8_t *data, size_t len, tg_buffer *out);

// Ends the stream and writes what is left of the client's; `why` says what cut it, and is empty if it ended as it should.
tg_status tg_turn_finish(tg_turn *turn,
                         const uint8_t *why,
                         size_t len,
                         tg_buffer *out);

// Takes a whole answer and writes the client's; on failure the body of an error for the client.
tg_status tg_turn_whole(tg_turn *turn, const uint8_t *data, size_t len, tg_buffer *out);

// Writes the text of a dialect file that reads an example as what it means: a JSON object with `name` (the dialect's), `text`
// (what the model wrote), `calls` (`[{"name", "arguments"}]`), and, if wanted, `about` and `strong` (prose never contains what
// the calls open with). An example that allows none fails.
tg_status tg_sketch(const uint8_t *json,
                    size_t len,
                    tg_buffer *out);

// Tries the dialect `name`: writes two calls with a value of every kind and reads them back. Writes `{"example", "why", "lost",
// "warnings"}`: the calls as text, or why there is none, what does not survive, and what may surprise.
tg_status tg_certify(const tg_dialects *of,
                     const uint8_t *name,
                     size_t len,
                     tg_buffer *out);

// Writes the grammar that holds a model to the dialect `name` and to tools (a JSON array in the form of any vendor's requests):
// `{"text", "body", "trigger", "preserved_tokens", "warnings"}`. The text is the grammar, the body has the members of a request
// that carry it. Options are a JSON object with the flags of `toolglot grammar`: `form` (`gbnf`, `lark`, `structural-tag`,
// `json-schema`), `tool_choice`, `parallel`, `arguments`, `reasoning`, `content`, `all_spellings`, `strict`, `answer`, `tokens`,
// `lazy`, `openai`. What the dialect cannot express, or no grammar holds, fails.
tg_status tg_grammar(const tg_dialects *of,
                     const uint8_t *name,
                     size_t name_len,
                     const uint8_t *tools,
                     size_t tools_len,
                     const uint8_t *options,
                     size_t options_len,
                     tg_buffer *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TOOLGLOT_H */
