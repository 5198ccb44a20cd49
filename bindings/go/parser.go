package toolglot

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"runtime"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// Kind is what an event says.
type Kind uint32

const (
	// KindText is text for the reader, in Text.
	KindText Kind = iota
	// KindReasoning is text of the model's reasoning, in Text.
	KindReasoning
	// KindMarkup are bytes that belong to the dialect.
	KindMarkup
	// KindCallStart begins a call: Index, Name, and ID if the model wrote one before the arguments.
	KindCallStart
	// KindArguments is a piece of a call's arguments, JSON in Text; joined, the pieces of a finished call are
	// one JSON object, and those of any other are no JSON.
	KindArguments
	// KindCallEnd ends a call: Outcome, and ID if the model wrote one anywhere.
	KindCallEnd
	// KindDiagnostic is something worth knowing: Code, words in Text, Dialect.
	KindDiagnostic
)

var kinds = [...]string{"text", "reasoning", "markup", "call_start", "arguments", "call_end", "diagnostic"}

func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// Event is one thing the parser found. The spans of all events but diagnostics tile the input.
type Event struct {
	Kind Kind
	// Index is the call's number in the message, from 0.
	Index int
	// Start and End are bytes of the input.
	Start, End int
	// Text is text, reasoning, JSON of arguments, or the words of a diagnostic.
	Text string
	// Name is the tool's, as declared.
	Name string
	// ID is the one the model wrote, if it did.
	ID string
	// Outcome says how a call ended.
	Outcome Outcome
	// Code is the name of a diagnostic.
	Code string
	// Dialect is the one a diagnostic is about.
	Dialect string
}

// Parser reads one message after the other, in pieces of any size; one goroutine uses it at a time.
type Parser struct {
	parser  engine.Parser
	records []engine.Record
	err     error
}

// NewParser returns a parser. Close frees it at once; one that nobody has any more is freed by itself.
func (r *Reader) NewParser() (*Parser, error) {
	defer runtime.KeepAlive(r)
	parser, err := r.compiled.NewParser(true)
	if err != nil {
		return nil, wrap(err)
	}
	return &Parser{parser: parser}, nil
}

// NewParser returns a parser with settings of its own.
func NewParser(config Config) (*Parser, error) {
	return once(config, func(r *Reader) (*Parser, error) { return r.NewParser() })
}

// Push reads on from a piece of the text, which may be cut anywhere, and returns what was found. The piece is read at
// once, whether the events are looked at or not; they are good until the next call. Err says whether something failed.
func (p *Parser) Push(piece string) iter.Seq[Event] { return p.PushBytes([]byte(piece)) }

// PushBytes is Push for bytes.
func (p *Parser) PushBytes(piece []byte) iter.Seq[Event] {
	return p.step(func(records []engine.Record) ([]engine.Record, error) { return p.parser.Push(piece, records) })
}

// PushSpecial reads on from one special token; see [Options].MarkedTokens.
func (p *Parser) PushSpecial(token string) iter.Seq[Event] {
	return p.step(func(records []engine.Record) ([]engine.Record, error) { return p.parser.PushSpecial(token, records) })
}

// Finish ends the message; the next Push begins another.
func (p *Parser) Finish() iter.Seq[Event] { return p.step(p.parser.Finish) }

// SetFinishReason says why the server ended the message, where that is known only at its end.
func (p *Parser) SetFinishReason(reason FinishReason) error {
	return wrap(p.parser.SetFinishReason(string(reason)))
}

// Message returns the message so far; after Finish, until the next Push, the whole one.
func (p *Parser) Message() (*Message, error) {
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

// Err returns the first error of Push, PushSpecial and Finish: a parser that was closed, or a fault of the library.
func (p *Parser) Err() error { return p.err }

// Close frees the parser; the error is always nil, as for every Close of this package.
func (p *Parser) Close() error {
	p.parser.Close()
	return nil
}

func (p *Parser) step(do func([]engine.Record) ([]engine.Record, error)) iter.Seq[Event] {
	clear(p.records)
	p.records = p.records[:0]
	if p.err == nil {
		var err error
		p.records, err = do(p.records)
		p.err = wrap(err)
	}
	return p.events
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

// Read reads a message to its end and yields its events as they come; the last pair may hold an error of the reader, of
// the context, which is asked between reads, or of the library. Text that is left when the reader fails comes before it.
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
