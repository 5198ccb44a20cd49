// Package toolglot reads the tool calls that language models write as text, in whatever dialect, while the text arrives.
//
// [Parse] reads a whole text, a [Parser] reads pieces and gives events, [Repair] reads the arguments of a call alone,
// [Detect] tells dialects apart. A [Reader] keeps the settings of many messages ready.
//
// Reading never fails: what was remarkable is a [Diagnostic]. Errors are about settings, and about a library that broke.
//
// The library is a WebAssembly module inside the package. With the build tag toolglot_cgo it is the C library instead,
// which pkg-config has to know: faster, and not for cross-compiling.
package toolglot

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// What an error is about; use [errors.Is].
var (
	// ErrInvalid is for settings, and for messages to render, that cannot be used; the error says what to do.
	ErrInvalid = engine.ErrInvalid
	// ErrFailed is for what cannot be done, such as a message that a dialect cannot express.
	ErrFailed = engine.ErrFailed
	// ErrPanicked is for a fault of toolglot's; the parser it happened to has to be made anew.
	ErrPanicked = engine.ErrPanicked
	// ErrClosed is for what is used after Close.
	ErrClosed = engine.ErrClosed
)

// Config is what messages are read with. Its zero value reads all dialects, declares no tools and has all defaults.
type Config struct {
	// Tools are the declared tools: a JSON array in the form of any vendor's requests, or what marshals to one.
	Tools any
	// Dialects are the names of those to read; all that are built in if there are none.
	Dialects []string
	// Prefer names the dialect that wins where several read the same text.
	Prefer string
	// Files are dialects of your own.
	Files []DialectFile
	// Options are everything on which users disagree.
	Options Options
}

// DialectFile is a dialect of your own: its name and its TOML text.
type DialectFile struct {
	Name string `json:"name"`
	TOML string `json:"toml"`
}

// Options are choices for reading; the zero value is the default of each.
type Options struct {
	// Validation is how calls are checked against the tools' schemas.
	Validation Validation `json:"validation,omitempty"`
	// Untyped is what text means where no schema gives its type.
	Untyped Untyped `json:"untyped,omitempty"`
	// NullText is what the bare text null means where a string or null is declared.
	NullText NullText `json:"null_text,omitempty"`
	// ReasoningOpen says whether the prompt already opened a reasoning region.
	ReasoningOpen ReasoningOpen `json:"reasoning_open,omitempty"`
	// FinishReason is why the server stopped, if it said so.
	FinishReason FinishReason `json:"finish_reason,omitempty"`
	// CallsInReasoning is what a call inside reasoning is.
	CallsInReasoning CallsInReasoning `json:"calls_in_reasoning,omitempty"`
	// Frame is what white space between text or reasoning and markers is.
	Frame Frame `json:"frame,omitempty"`
	// Evidence is how much a call needs.
	Evidence EvidenceLevel `json:"evidence,omitempty"`
	// UnknownTool is what becomes of a call whose tool is not declared.
	UnknownTool UnknownTool `json:"unknown_tool,omitempty"`
	// AcceptIncomplete puts a call that the end cut off among the calls.
	AcceptIncomplete bool `json:"accept_incomplete,omitempty"`
	// MarkedTokens says that special tokens come in with PushSpecial, and that nothing else can be one.
	MarkedTokens bool `json:"marked_tokens,omitempty"`
	// Repairs are [RepairsNone], [RepairsExact], [RepairsSafe], [RepairsAll] or names, with "-" before those that may not be
	// made.
	Repairs []string `json:"repairs,omitempty"`
	// Limits bound what one message may make the parser hold or say.
	Limits *Limits `json:"limits,omitempty"`
	// IDSeed is the seed for generated call ids, used where the model supplies none; the same seed gives the same ids.
	// Zero is none: ids then come from a hash of the text, those of a Parser from a number that it draws when it is created.
	IDSeed uint64 `json:"id_seed,omitempty"`
}

// Limits bound one message; zero is the default.
type Limits struct {
	// Held is the number of bytes held back while it is open what they are; 1 MiB.
	Held int `json:"held,omitempty"`
	// Arguments is the number of bytes that one call's arguments may take; 16 MiB.
	Arguments int `json:"arguments,omitempty"`
	// Depth is how deep values may nest; 128.
	Depth int `json:"depth,omitempty"`
	// Calls is the number of calls in one message; 256.
	Calls int `json:"calls,omitempty"`
}

// Message is a whole message.
type Message struct {
	// Content is the text, in order, without calls and markup.
	Content string `json:"content"`
	// Reasoning is the text of the model's reasoning.
	Reasoning string `json:"reasoning"`
	// Calls are the finished calls.
	Calls []Call `json:"calls"`
	// Incomplete are calls that began and did not finish.
	Incomplete []IncompleteCall `json:"incomplete"`
	// FinishReason is why the message ended.
	FinishReason FinishReason `json:"finish_reason"`
	// Dialect is that of the first call, empty if there is none.
	Dialect string `json:"dialect"`
	// Diagnostics are what was remarkable, ordered by place.
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Call is a finished call.
type Call struct {
	// ID is the model's own, or one made from the seed, else from the text; unique in the message.
	ID string `json:"id"`
	// Name is the tool's.
	Name string `json:"name"`
	// Arguments are the text of one JSON object.
	Arguments string `json:"arguments"`
}

// IncompleteCall is a call that began and did not finish.
type IncompleteCall struct {
	Name string `json:"name"`
	// Arguments are as far as they came: nothing is closed that the model left open.
	Arguments string `json:"arguments"`
	// Text is the call as the model wrote it.
	Text string `json:"text"`
	// Outcome is [OutcomeTruncated] or [OutcomeBroken].
	Outcome Outcome `json:"outcome"`
}

// Diagnostic is something worth knowing about the input; never an error.
type Diagnostic struct {
	// Code is the name of what happened.
	Code string `json:"code"`
	// Start and End are bytes of the input.
	Start int `json:"start"`
	End   int `json:"end"`
	// Message says what happened and what was made of it.
	Message string `json:"message"`
	// Dialect is the one that was being read, empty if none was.
	Dialect string `json:"dialect"`
}

// NearMiss is why text that looks like a call was not read as one.
type NearMiss struct {
	// Reason is "cut_off", "broken", "in_reasoning", "other_dialect", "in_code", "no_tools", "unknown_name", "weak_marker" or
	// "unknown_marker".
	Reason string `json:"reason"`
	// Tool is the one that would be called, empty if the text does not say which.
	Tool string `json:"tool"`
	// Diagnostic is the reason in words, with its place.
	Diagnostic Diagnostic `json:"diagnostic"`
}

// Repaired is what became of a string of arguments.
type Repaired struct {
	// Arguments are the text of one JSON object, empty if nothing could be recognised.
	Arguments string `json:"arguments"`
	// Diagnostics say what was done, or why it failed.
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// OK says whether the arguments could be read.
func (r *Repaired) OK() bool { return r.Arguments != "" }

// Source is what a dialect is recognised by.
type Source uint32

const (
	// SourceOutput is what a model wrote.
	SourceOutput Source = iota
	// SourceTemplate is a chat template.
	SourceTemplate
	// SourceModelName is a model's name.
	SourceModelName
)

// Verdict is a dialect that something speaks for.
type Verdict struct {
	Dialect string `json:"dialect"`
	// Alike are other dialects that the same evidence speaks for as much.
	Alike []string `json:"alike"`
	// Score compares verdicts on one subject.
	Score    int        `json:"score"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is one reason for a verdict.
type Evidence struct {
	What   string `json:"what"`
	Weight int    `json:"weight"`
	// Span is where it was seen, nil if it has no place.
	Span *[2]int `json:"span"`
}

// Dialect is how one family of models writes calls.
type Dialect struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Aliases []string `json:"aliases"`
	Models  []string `json:"models"`
	Special []string `json:"special"`
}

// Reader keeps settings ready for many messages; many goroutines may use one.
type Reader struct {
	compiled engine.Compiled
	cleanup  runtime.Cleanup
	close    func()
}

// NewReader returns a reader, or an error that says what is wrong with the settings.
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

// Close frees what the reader holds; its parsers go on. A reader that nobody has any more is closed by itself.
func (r *Reader) Close() error {
	r.cleanup.Stop()
	r.close()
	return nil
}

func (c *Config) set() (engine.Set, error) {
	var set engine.Set
	// The order of the library: files first, then the choice among all.
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

// Parse reads a whole text.
func (r *Reader) Parse(text string) (*Message, error) {
	defer runtime.KeepAlive(r)
	return decoded[*Message](r.compiled.Parse([]byte(text)))
}

// Explain returns, as JSON, the steps of reading a text, its events and the message: why it was read so.
func (r *Reader) Explain(text string) (json.RawMessage, error) {
	defer runtime.KeepAlive(r)
	raw, err := r.compiled.Explain([]byte(text))
	return raw, wrap(err)
}

// NearMiss says why a text that looks like a call was read as none; nil for a text with calls, and for prose.
func (r *Reader) NearMiss(text string) (*NearMiss, error) {
	defer runtime.KeepAlive(r)
	return decoded[*NearMiss](r.compiled.NearMiss([]byte(text)))
}

// Repair reads the arguments of a call of a tool; without a name, of the only one that is declared.
func (r *Reader) Repair(tool, arguments string) (*Repaired, error) {
	defer runtime.KeepAlive(r)
	return decoded[*Repaired](r.compiled.Repair(tool, arguments))
}

// Detect returns the dialects that a subject speaks for, the best first.
func (r *Reader) Detect(source Source, subject string) ([]Verdict, error) {
	defer runtime.KeepAlive(r)
	return decoded[[]Verdict](r.compiled.Detect(uint32(source), subject))
}

// Dialects returns the dialects that are read.
func (r *Reader) Dialects() ([]Dialect, error) {
	defer runtime.KeepAlive(r)
	return decoded[[]Dialect](r.compiled.Dialects())
}

// Render returns the text in which a model that speaks the dialect says a message.
func (r *Reader) Render(dialect string, message *Message) (string, error) {
	defer runtime.KeepAlive(r)
	raw, err := json.Marshal(message)
	if err != nil {
		return "", wrap(err)
	}
	text, err := r.compiled.Render(dialect, raw)
	return text, wrap(err)
}

// Parse reads a whole text. Whoever reads many with the same settings makes a [Reader] first.
func Parse(text string, config Config) (*Message, error) {
	return once(config, func(r *Reader) (*Message, error) { return r.Parse(text) })
}

// Repair reads the arguments of a call of a tool alone: whatever they are written in, JSON comes out or an honest failure.
func Repair(tool, arguments string, config Config) (*Repaired, error) {
	return once(config, func(r *Reader) (*Repaired, error) { return r.Repair(tool, arguments) })
}

// Detect returns the dialects that a model's output, its chat template or its name speaks for, the best first.
func Detect(source Source, subject string) ([]Verdict, error) {
	return once(Config{}, func(r *Reader) ([]Verdict, error) { return r.Detect(source, subject) })
}

// Mint returns an id for the call at an index that carries none: the same seed and index give the same id.
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
