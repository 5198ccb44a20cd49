package toolglot

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"runtime"
	"unsafe"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// Kind is the type of an event.
type Kind uint32

const (
	// KindText is text of the answer, in Text.
	KindText Kind = iota
	// KindReasoning is text of the model's reasoning, in Text.
	KindReasoning
	// KindMarkup are bytes that are markup of the dialect.
	KindMarkup
	// KindCallStart begins a call: Index, Name, and ID if the model wrote one before the arguments.
	KindCallStart
	// KindArguments is a piece of a call's arguments, JSON in Text. Joined, the pieces of a complete call are a JSON object;
	// those of other calls are not.
	KindArguments
	// KindCallEnd ends a call: Outcome, and ID if the model wrote one anywhere.
	KindCallEnd
	// KindDiagnostic is a remark, such as a repair: Code, the message in Text, Dialect.
	KindDiagnostic
)

var kinds = [...]string{"text", "reasoning", "markup", "call_start", "arguments", "call_end", "diagnostic"}

func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// Event is an event of the parser. Except for diagnostics, each event starts where the previous one ended.
type Event struct {
	Kind Kind
	// Index is the call's number in the message, from 0.
	Index int
	// Start and End are byte offsets into the input.
	Start, End int
	// Text is text, reasoning, JSON of arguments, or the message of a diagnostic.
	Text string
	// Name is the declared name of the tool.
	Name string
	// ID is the model's id, if it wrote one.
	ID string
	// Outcome is how a call ended.
	Outcome Outcome
	// Code is the code of a diagnostic.
	Code string
	// Dialect is the dialect of a diagnostic.
	Dialect string
}

// Parser parses one message at a time, in pieces of any size. It is not safe for concurrent use.
type Parser struct {
	parser  engine.Parser
	records []engine.Record
	plain   plainText
	err     error
}

// NewParser returns a parser. Close frees it at once; otherwise it is freed when it is garbage-collected.
func (r *Reader) NewParser() (*Parser, error) {
	defer runtime.KeepAlive(r)
	parser, err := r.compiled.NewParser(true)
	if err != nil {
		return nil, wrap(err)
	}
	return &Parser{parser: parser}, nil
}

// NewParser returns a parser with its own settings.
func NewParser(config Config) (*Parser, error) {
	return once(config, func(r *Reader) (*Parser, error) { return r.NewParser() })
}

// Push parses the next piece of the text, which may be cut anywhere, and returns the events found. The piece is parsed at
// once, even if the events are not used; they are valid until the next call. Err returns the first error.
func (p *Parser) Push(piece string) iter.Seq[Event] {
	p.pushText(piece)
	// A literal, so that a loop over it is inlined and allocates nothing.
	return func(yield func(Event) bool) { p.events(yield) }
}

// PushBytes is like Push, for bytes.
func (p *Parser) PushBytes(piece []byte) iter.Seq[Event] {
	p.push(piece, "")
	return func(yield func(Event) bool) { p.events(yield) }
}

// PushSpecial parses a special token; see [Options].MarkedTokens.
func (p *Parser) PushSpecial(token string) iter.Seq[Event] {
	if p.begin() {
		records, err := p.parser.PushSpecial(token, p.records)
		p.end(records, err)
	}
	return func(yield func(Event) bool) { p.events(yield) }
}

// Finish ends the message. The next Push begins a new one.
func (p *Parser) Finish() iter.Seq[Event] {
	if p.begin() {
		records, err := p.parser.Finish(p.records)
		p.end(records, err)
	}
	return func(yield func(Event) bool) { p.events(yield) }
}

// SetFinishReason sets why the server ended the message, if that is known only at the end.
func (p *Parser) SetFinishReason(reason FinishReason) error {
	return wrap(p.parser.SetFinishReason(string(reason)))
}

// Message returns the message so far. It is complete after Finish, until the next Push.
func (p *Parser) Message() (*Message, error) {
	if err := p.catchUp(); err != nil {
		return nil, err
	}
	raw, err := p.parser.Message()
	if err != nil {
		return nil, wrap(err)
	}
	message := new(Message)
	return message, wrap(json.Unmarshal(raw, message))
}

// Dialect returns the dialect of the message's first call, empty before there is one.
func (p *Parser) Dialect() (string, error) {
	name, err := p.parser.Dialect()
	return name, wrap(err)
}

// Err returns the first error of Push, PushSpecial and Finish: a closed parser, or a bug in the library.
func (p *Parser) Err() error { return p.err }

// Close frees the parser; the error is always nil, as for every Close of this package.
func (p *Parser) Close() error {
	p.plain.stops = nil
	p.parser.Close()
	return nil
}

func (p *Parser) pushText(piece string) {
	p.push(unsafe.Slice(unsafe.StringData(piece), len(piece)), piece)
}

// push parses a piece, which is text as well unless that is empty.
func (p *Parser) push(piece []byte, text string) {
	if p.plain.passes(piece) {
		p.records = append(p.records[:0], p.plain.take(piece, text))
		return
	}
	if p.begin() {
		records, err := p.parser.Push(piece, p.records)
		p.end(records, err)
	}
}

// begin drops the records of the step before and reports whether there may be another.
func (p *Parser) begin() bool {
	clear(p.records)
	p.records = p.records[:0]
	return p.err == nil && p.catchUp() == nil
}

func (p *Parser) end(records []engine.Record, err error) {
	p.records = records
	p.plain.stops = nil
	if err != nil {
		p.err = wrap(err)
	} else if len(records) > 0 {
		p.plain.follow(records[len(records)-1], p.parser.StopBytes())
	}
}

// catchUp gives the library the plain text that it has not got.
func (p *Parser) catchUp() error {
	if len(p.plain.later) == 0 {
		return nil
	}
	records, err := p.parser.Push(p.plain.later, p.plain.spare)
	p.plain.caughtUp(records)
	if err != nil {
		p.err = wrap(err)
	}
	return p.err
}

func (p *Parser) events(yield func(Event) bool) {
	for _, record := range p.records {
		if !yield(event(record)) {
			return
		}
	}
}

func event(record engine.Record) Event {
	event := Event{Kind: Kind(record.Kind), Index: record.Index, Start: record.Start, End: record.End, Text: record.Text}
	switch event.Kind {
	case KindCallStart:
		event.Name, event.ID = record.Name, record.ID
	case KindCallEnd:
		event.Outcome, event.ID = Outcome(record.Name), record.ID
	case KindDiagnostic:
		event.Code, event.Dialect = record.Name, record.ID
	}
	return event
}

// Read parses a message to its end and yields events as they are found. The last pair may have an error of the reader, of
// the context, which is checked between reads, or of the library. If the reader fails, the rest of the text comes first.
func (p *Parser) Read(ctx context.Context, from io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		piece := make([]byte, 4096)
		all := func(events iter.Seq[Event]) bool {
			for event := range events {
				if !yield(event, nil) {
					return false
				}
			}
			return true
		}
		for {
			failed := ctx.Err()
			read := 0
			if failed == nil {
				read, failed = from.Read(piece)
			}
			if read > 0 && !all(p.PushBytes(piece[:read])) {
				return
			}
			if failed == nil && p.err == nil {
				continue
			}
			if !all(p.Finish()) {
				return
			}
			if errors.Is(failed, io.EOF) {
				failed = nil
			}
			if failed = errors.Join(failed, p.err); failed != nil {
				yield(Event{}, failed)
			}
			return
		}
	}
}
