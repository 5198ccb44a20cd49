// Package toolglot parses tool calls that language models write as text, in any dialect, while the text arrives.
//
// [Parse] parses a whole text, a [Parser] parses pieces and returns events, [Repair] repairs the arguments of a call, and
// [Detect] identifies dialects. A [Reader] holds settings for many messages.
//
// Parsing never fails: repairs and other remarks are reported as a [Diagnostic]. Errors are about invalid settings, or bugs in
// the library.
//
// The library is a WebAssembly module inside the package. The build tag toolglot_cgo selects the C library instead, found
// with pkg-config: it is faster, but does not support cross-compiling.
package toolglot

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// The kinds of errors; use [errors.Is].
var (
	// ErrInvalid is for invalid settings and invalid messages to render; the error says what to do.
	ErrInvalid = engine.ErrInvalid
	// ErrFailed is for operations that are not possible, such as rendering a message that a dialect cannot express.
	ErrFailed = engine.ErrFailed
	// ErrPanicked is for bugs in toolglot; create a new parser.
	ErrPanicked = engine.ErrPanicked
	// ErrClosed is for use after Close.
	ErrClosed = engine.ErrClosed
)

// Config has the settings for parsing. Its zero value reads all dialects, declares no tools and has all defaults.
type Config struct {
	// Tools are the declared tools: a JSON array in any vendor's format, or a value that marshals to one.
	Tools any
	// Dialects are the names of the dialects to read; if empty, all built-in dialects.
	Dialects []string
	// Prefer names the dialect to prefer if several match.
	Prefer string
	// Files are custom dialects.
	Files []DialectFile
	// Options are the parsing options.
	Options Options
}

// DialectFile is a custom dialect: its name and its TOML text.
type DialectFile struct {
	Name string `json:"name"`
	TOML string `json:"toml"`
}

// Options are parsing options; the zero value has the defaults.
type Options struct {
	// Validation determines how to check calls against the tools' schemas.
	Validation Validation `json:"validation,omitempty"`
	// Untyped determines how to read text without a declared type.
	Untyped Untyped `json:"untyped,omitempty"`
	// NullText determines how to read the bare text null if a string or null is declared.
	NullText NullText `json:"null_text,omitempty"`
	// ReasoningOpen determines whether the prompt already opened a reasoning region.
	ReasoningOpen ReasoningOpen `json:"reasoning_open,omitempty"`
	// FinishReason is why the server stopped, if known.
	FinishReason FinishReason `json:"finish_reason,omitempty"`
	// CallsInReasoning determines how to treat a call inside reasoning.
	CallsInReasoning CallsInReasoning `json:"calls_in_reasoning,omitempty"`
	// Frame determines how to treat white space between text or reasoning and markers.
	Frame Frame `json:"frame,omitempty"`
	// Evidence determines how much evidence a call needs.
	Evidence EvidenceLevel `json:"evidence,omitempty"`
	// UnknownTool determines how to treat a call to an undeclared tool.
	UnknownTool UnknownTool `json:"unknown_tool,omitempty"`
	// AcceptIncomplete returns calls cut off at the end among the calls.
	AcceptIncomplete bool `json:"accept_incomplete,omitempty"`
	// MarkedTokens says that special tokens are passed with PushSpecial and only there.
	MarkedTokens bool `json:"marked_tokens,omitempty"`
	// Repairs are [RepairsNone], [RepairsExact], [RepairsSafe], [RepairsAll] or names; prefix a name with "-" to switch it off.
	Repairs []string `json:"repairs,omitempty"`
	// Limits are the limits for one message.
	Limits *Limits `json:"limits,omitempty"`
	// IDSeed is the seed for generated call ids; the same seed gives the same ids. If it is zero, ids are derived from a hash
	// of the text, or from a random seed for a Parser.
	IDSeed uint64 `json:"id_seed,omitempty"`
}

// Limits are the limits for one message; zero means the default.
type Limits struct {
	// Held is the number of bytes held back while their meaning is undecided; default 1 MiB.
	Held int `json:"held,omitempty"`
	// Arguments is the number of bytes of the arguments of one call; default 16 MiB.
	Arguments int `json:"arguments,omitempty"`
	// Depth is the nesting depth of values; default 128.
	Depth int `json:"depth,omitempty"`
	// Calls is the number of calls in one message; default 256.
	Calls int `json:"calls,omitempty"`
}

// Message is a whole message.
type Message struct {
	// Content is the text, in order, without calls and markup.
	Content string `json:"content"`
	// Reasoning is the text of the model's reasoning.
	Reasoning string `json:"reasoning"`
	// Calls are the complete calls.
	Calls []Call `json:"calls"`
	// Incomplete are the incomplete calls.
	Incomplete []IncompleteCall `json:"incomplete"`
	// FinishReason is why the message ended.
	FinishReason FinishReason `json:"finish_reason"`
	// Dialect is the dialect of the first call, empty if there is none.
	Dialect string `json:"dialect"`
	// Diagnostics are the diagnostics in order of position.
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Call is a complete call.
type Call struct {
	// ID is the model's id, or one generated from the seed or the text; unique in the message.
	ID string `json:"id"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments is a JSON object as text.
	Arguments string `json:"arguments"`
}

// IncompleteCall is an incomplete call.
type IncompleteCall struct {
	Name string `json:"name"`
	// Arguments are the arguments received, without added closing brackets.
	Arguments string `json:"arguments"`
	// Text is the call as the model wrote it.
	Text string `json:"text"`
	// Outcome is [OutcomeTruncated] or [OutcomeBroken].
	Outcome Outcome `json:"outcome"`
}

// Diagnostic is a remark on the input, such as a repair; never an error.
type Diagnostic struct {
	// Code is the diagnostic's code.
	Code string `json:"code"`
	// Start and End are bytes of the input.
	Start int `json:"start"`
	End   int `json:"end"`
	// Message describes what happened and how it was handled.
	Message string `json:"message"`
	// Dialect is the dialect being read, empty if none.
	Dialect string `json:"dialect"`
}

// NearMiss is why text that looks like a call was not read as one.
type NearMiss struct {
	// Reason is "cut_off", "broken", "in_reasoning", "other_dialect", "in_code", "no_tools", "unknown_name", "weak_marker" or
	// "unknown_marker".
	Reason string `json:"reason"`
	// Tool is the tool that the text seems to call, empty if it names none.
	Tool string `json:"tool"`
	// Diagnostic is the reason as a message, with its position.
	Diagnostic Diagnostic `json:"diagnostic"`
}

// Repaired is the result of repairing an arguments string.
type Repaired struct {
	// Arguments is a JSON object as text, empty if the arguments cannot be read.
	Arguments string `json:"arguments"`
	// Diagnostics list what was repaired, or why it failed.
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// OK reports whether the arguments could be read.
func (r *Repaired) OK() bool { return r.Arguments != "" }

// Source is what to detect a dialect from.
type Source uint32

const (
	// SourceOutput is a model's output.
	SourceOutput Source = iota
	// SourceTemplate is a chat template.
	SourceTemplate
	// SourceModelName is a model's name.
	SourceModelName
)

// Verdict is a candidate dialect.
type Verdict struct {
	Dialect string `json:"dialect"`
	// Alike are other dialects with the same evidence.
	Alike []string `json:"alike"`
	// Score is only comparable between verdicts on the same subject.
	Score    int        `json:"score"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is a reason for a verdict.
type Evidence struct {
	What   string `json:"what"`
	Weight int    `json:"weight"`
	// Span is its position, nil if it has none.
	Span *[2]int `json:"span"`
}

// Dialect describes how a family of models writes calls.
type Dialect struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Aliases []string `json:"aliases"`
	Models  []string `json:"models"`
	Special []string `json:"special"`
}

// Reader holds settings for many messages. It is safe for concurrent use.
type Reader struct {
	compiled engine.Compiled
	cleanup  runtime.Cleanup
	close    func()
}

// NewReader returns a reader, or an error if the settings are invalid.
func NewReader(config Config) (*Reader, error) {
	set, err := config.set()
	if err != nil {
		return nil, err
	}
	compiled, err := library.Compile(set)
	if err != nil {
		return nil, wrap(err)
	}
	r := &Reader{compiled: compiled, close: sync.OnceFunc(compiled.Close)}
	r.cleanup = runtime.AddCleanup(r, func(compiled engine.Compiled) { go compiled.Close() }, compiled)
	return r, nil
}

// Close frees the reader; its parsers remain valid. Otherwise it is freed when it is garbage-collected.
func (r *Reader) Close() error {
	r.cleanup.Stop()
	r.close()
	return nil
}

func (c *Config) set() (engine.Set, error) {
	var set engine.Set
	// The order matters: files first, then the selection.
	text := ""
	add := func(name string, value any) error {
		raw, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("toolglot: %s: %w", name, err)
		}
		if text != "" {
			text += ","
		}
		text += `"` + name + `":` + string(raw)
		return nil
	}
	for _, part := range []struct {
		name  string
		given bool
		value any
	}{{"files", len(c.Files) > 0, c.Files}, {"only", len(c.Dialects) > 0, c.Dialects}, {"prefer", c.Prefer != "", c.Prefer}} {
		if !part.given {
			continue
		}
		if err := add(part.name, part.value); err != nil {
			return set, err
		}
	}
	if text != "" {
		set.Dialects = "{" + text + "}"
	}
	options, err := json.Marshal(c.Options)
	if err != nil {
		return set, fmt.Errorf("toolglot: options: %w", err)
	}
	set.Options = string(options)
	switch tools := c.Tools.(type) {
	case nil:
	case string:
		set.Tools = tools
	case []byte:
		set.Tools = string(tools)
	default:
		raw, err := json.Marshal(tools)
		if err != nil {
			return set, fmt.Errorf("toolglot: tools: %w", err)
		}
		set.Tools = string(raw)
	}
	return set, nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("toolglot: %w", err)
}

func decoded[T any](raw []byte, err error) (T, error) {
	var value T
	if err != nil {
		return value, wrap(err)
	}
	return value, wrap(json.Unmarshal(raw, &value))
}

// Parse parses a whole text.
func (r *Reader) Parse(text string) (*Message, error) {
	defer runtime.KeepAlive(r)
	return decoded[*Message](r.compiled.Parse([]byte(text)))
}

// Explain returns the steps of the parser, the events and the message of a text as JSON.
func (r *Reader) Explain(text string) (json.RawMessage, error) {
	defer runtime.KeepAlive(r)
	raw, err := r.compiled.Explain([]byte(text))
	return raw, wrap(err)
}

// NearMiss returns why no call was found in a text that looks like one; nil for a text with calls, and for prose.
func (r *Reader) NearMiss(text string) (*NearMiss, error) {
	defer runtime.KeepAlive(r)
	return decoded[*NearMiss](r.compiled.NearMiss([]byte(text)))
}

// Repair repairs the arguments of a call to a tool; if the name is empty, to the only declared tool.
func (r *Reader) Repair(tool, arguments string) (*Repaired, error) {
	defer runtime.KeepAlive(r)
	return decoded[*Repaired](r.compiled.Repair(tool, arguments))
}

// Detect returns the candidate dialects for a subject, best first.
func (r *Reader) Detect(source Source, subject string) ([]Verdict, error) {
	defer runtime.KeepAlive(r)
	return decoded[[]Verdict](r.compiled.Detect(uint32(source), subject))
}

// Dialects returns the dialects of the reader.
func (r *Reader) Dialects() ([]Dialect, error) {
	defer runtime.KeepAlive(r)
	return decoded[[]Dialect](r.compiled.Dialects())
}

// Render returns a message as text of a dialect.
func (r *Reader) Render(dialect string, message *Message) (string, error) {
	defer runtime.KeepAlive(r)
	raw, err := json.Marshal(message)
	if err != nil {
		return "", wrap(err)
	}
	text, err := r.compiled.Render(dialect, raw)
	return text, wrap(err)
}

// Parse parses a whole text. To parse many with the same settings, use a [Reader].
func Parse(text string, config Config) (*Message, error) {
	return once(config, func(r *Reader) (*Message, error) { return r.Parse(text) })
}

// Repair repairs the arguments of a call to a tool, in any notation: it returns valid JSON or none.
func Repair(tool, arguments string, config Config) (*Repaired, error) {
	return once(config, func(r *Reader) (*Repaired, error) { return r.Repair(tool, arguments) })
}

// Detect returns the candidate dialects for a model's output, its chat template or its name, best first.
func Detect(source Source, subject string) ([]Verdict, error) {
	return once(Config{}, func(r *Reader) ([]Verdict, error) { return r.Detect(source, subject) })
}

// Mint returns an id for the call at an index; the same seed and index give the same id.
func Mint(seed uint64, index int) (string, error) {
	id, err := library.Mint(seed, index)
	return id, wrap(err)
}

func once[T any](config Config, do func(*Reader) (T, error)) (T, error) {
	r, err := NewReader(config)
	if err != nil {
		var none T
		return none, err
	}
	defer func() { _ = r.Close() }()
	return do(r)
}
