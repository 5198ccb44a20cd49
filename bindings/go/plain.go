package toolglot

import (
	"unicode/utf8"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// plainText passes on the plain text of a stream without a call into the library, which costs more than the text itself. The
// library gets it later, joined.
type plainText struct {
	// stops has a number other than 0 for each byte that ends plain text; nil if the library must see the next piece.
	stops *[256]byte
	// last is the event that plain text continues.
	last engine.Record
	// later is what the library has not got.
	later []byte
	// spare is the buffer for the library's events about it.
	spare []engine.Record
}

const (
	// longest is the longest plain piece: the library is faster at long ones.
	longest = 64
	// most is how many bytes the library gets later.
	most = 4096
)

// passes reports whether a piece is an event of the last one's kind as it is.
func (t *plainText) passes(piece []byte) bool {
	if t.stops == nil || len(piece) == 0 || len(piece) > longest || len(t.later) > most {
		return false
	}
	all := byte(0)
	for _, char := range piece {
		if t.stops[char] != 0 {
			return false
		}
		all |= char
	}
	return !endsWithSpace(piece) && (all < utf8.RuneSelf || utf8.Valid(piece))
}

// endsWithSpace reports whether white space other than a single space ends a piece: it may belong to the markup that follows.
func endsWithSpace(piece []byte) bool {
	last := len(piece) - 1
	return piece[last] < ' ' || piece[last] == ' ' && last > 0 && piece[last-1] <= ' '
}

// take returns the event of a piece that passes.
func (t *plainText) take(piece []byte, text string) engine.Record {
	if text == "" {
		text = string(piece)
	}
	t.later = append(t.later, piece...)
	t.last.Start, t.last.End, t.last.Text = t.last.End, t.last.End+len(piece), text
	return t.last
}

// follow says what plain text continues.
func (t *plainText) follow(last engine.Record, stops *[256]byte) {
	t.last, t.stops = last, stops
}

// caughtUp drops what the library has got, and its events about it.
func (t *plainText) caughtUp(records []engine.Record) {
	clear(records)
	t.later, t.spare = t.later[:0], records[:0]
}
