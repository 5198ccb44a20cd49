// Package engine says what toolglot can be asked for, however it is reached.
package engine

import "errors"

// Set is what messages are read with, each a JSON text; empty means the default.
type Set struct {
	Dialects, Tools, Options string
}

// Record is one event as the library writes it; see the header for which texts are there.
type Record struct {
	Kind           uint32
	Index          int
	Start, End     int
	Text, Name, ID string
}

// Engine makes handles and does what is done in one go; it is safe for many goroutines.
type Engine interface {
	// Compile checks a set and keeps it ready.
	Compile(Set) (Compiled, error)
	// Mint returns the id of a call that carries none.
	Mint(seed uint64, index int) (string, error)
}

// Compiled is a set that is ready; it is safe for many goroutines. What it returns is JSON.
type Compiled interface {
	Parse(input []byte) ([]byte, error)
	Explain(input []byte) ([]byte, error)
	NearMiss(input []byte) ([]byte, error)
	Repair(tool, arguments string) ([]byte, error)
	Detect(source uint32, subject string) ([]byte, error)
	Dialects() ([]byte, error)
	Render(dialect string, message []byte) (string, error)
	Grammar(dialect string, options []byte) ([]byte, error)
	NewParser(collect bool) (Parser, error)
	NewTurn(settings string, request []byte) (Turn, []byte, error)
	Close()
}

// Parser reads one message after the other, for one goroutine at a time. Records are appended to those it is given.
type Parser interface {
	Push(piece []byte, records []Record) ([]Record, error)
	PushSpecial(token string, records []Record) ([]Record, error)
	Finish(records []Record) ([]Record, error)
	// StopBytes returns a number other than 0 for each byte that ends plain text, which may follow the last event; nil if none
	// may. It is valid until the next step.
	StopBytes() *[256]byte
	SetFinishReason(reason string) error
	Message() ([]byte, error)
	Dialect() (string, error)
	Close()
}

// Turn takes one answer of a model server to its client, for one goroutine at a time.
type Turn interface {
	Push(piece []byte) ([]byte, error)
	Finish(why string) ([]byte, error)
	Whole(answer []byte) ([]byte, error)
	Close()
}

// How a function of the library ended.
const (
	OK = iota
	Invalid
	Failed
	Panicked
)

// What a function of the library failed with.
var (
	ErrInvalid  = errors.New("invalid argument")
	ErrFailed   = errors.New("cannot be done")
	ErrPanicked = errors.New("internal error")
	ErrClosed   = errors.New("used after Close")
)

// Fault is a failure in the library's words.
type Fault struct {
	Kind error
	Why  string
}

func (f *Fault) Error() string { return f.Why }

func (f *Fault) Unwrap() error { return f.Kind }

// Failure returns the error of a status, nil if there is none.
func Failure(status int32, why string) error {
	kinds := [...]error{nil, ErrInvalid, ErrFailed, ErrPanicked}
	if status == OK {
		return nil
	}
	kind := ErrPanicked
	if int(status) < len(kinds) {
		kind = kinds[status]
	}
	if why == "" {
		why = kind.Error()
	}
	return &Fault{Kind: kind, Why: why}
}
