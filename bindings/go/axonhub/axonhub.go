// Package axonhub puts native tool calls into the answers of a provider whose models write them as text: a step between
// the provider's bytes and a gateway's own transformer, for streams and whole answers.
package axonhub

import (
	"bytes"
	"errors"
	"hash/fnv"
	"time"

	"github.com/toolglot/toolglot/bindings/go"
)

// StreamEvent is an event of a provider's stream: the text after `data:`.
type StreamEvent struct {
	LastEventID string
	Type        string
	Data        []byte
}

// Stream is what a gateway pulls answers from.
type Stream[T any] interface {
	Next() bool
	Current() T
	Err() error
	Close() error
}

// Repairer makes answers right for requests to one provider; many goroutines may use one.
type Repairer struct {
	reader  *toolglot.Reader
	traffic toolglot.Traffic
}

// NewRepairer returns a repairer. The zero config reads all dialects; the zero traffic is a chat client and a chat server.
// Without a seed, ids are made from the request, so that the same request has the same ids.
func NewRepairer(config toolglot.Config, traffic toolglot.Traffic) (*Repairer, error) {
	reader, err := toolglot.NewReader(config)
	if err != nil {
		return nil, err
	}
	return &Repairer{reader, traffic}, nil
}

// Close frees the repairer; streams go on.
func (r *Repairer) Close() error { return r.reader.Close() }

func (r *Repairer) turn(request []byte) (*toolglot.Turn, []byte, error) {
	traffic := r.traffic
	if traffic.Seed == 0 {
		hash := fnv.New64a()
		_, _ = hash.Write(request)
		traffic.Seed = hash.Sum64()
	}
	if traffic.Now == 0 {
		traffic.Now = time.Now().Unix()
	}
	return r.reader.NewTurn(traffic, request)
}

// RequestBody returns the body for the provider: the client's, with what the provider needs so that markers arrive.
func (r *Repairer) RequestBody(request []byte) ([]byte, error) {
	turn, body, err := r.turn(request)
	if err != nil {
		return nil, err
	}
	return body, turn.Close()
}

// TransformBody turns a whole answer to a request into one with native calls.
func (r *Repairer) TransformBody(request, answer []byte) ([]byte, error) {
	turn, _, err := r.turn(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = turn.Close() }()
	return turn.Whole(answer)
}

// TransformStream turns the stream of an answer to a request into one with native calls. It closes the other.
func (r *Repairer) TransformStream(request []byte, from Stream[*StreamEvent]) (Stream[*StreamEvent], error) {
	turn, _, err := r.turn(request)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &stream{from: from, turn: turn}, nil
}

type stream struct {
	from    Stream[*StreamEvent]
	turn    *toolglot.Turn
	ready   []*StreamEvent
	current *StreamEvent
	ended   bool
	err     error
}

// Next goes to the next event; one of the provider's may become none or several.
func (s *stream) Next() bool {
	for len(s.ready) == 0 {
		if s.ended {
			return false
		}
		s.pull()
	}
	s.current, s.ready = s.ready[0], s.ready[1:]
	return true
}

func (s *stream) pull() {
	var out []byte
	var err error
	if s.from.Next() {
		out, err = s.turn.Push(frame(s.from.Current()))
	} else {
		s.ended = true
		s.err = s.from.Err()
		out, err = s.turn.Finish(s.err)
	}
	if err != nil {
		s.ended, s.err = true, errors.Join(s.err, err)
	}
	s.ready = append(s.ready, events(out)...)
}

func (s *stream) Current() *StreamEvent { return s.current }

func (s *stream) Err() error { return s.err }

func (s *stream) Close() error {
	s.ended = true
	return errors.Join(s.turn.Close(), s.from.Close())
}

// frame writes an event in the format of a stream.
func frame(event *StreamEvent) []byte {
	var out bytes.Buffer
	if event.Type != "" {
		out.WriteString("event: " + event.Type + "\n")
	}
	for line := range bytes.SplitSeq(event.Data, []byte("\n")) {
		out.WriteString("data: ")
		out.Write(line)
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// events reads the events of whole frames, as the library writes them.
func events(out []byte) []*StreamEvent {
	var found []*StreamEvent
	for frame := range bytes.SplitSeq(out, []byte("\n\n")) {
		var event StreamEvent
		var data [][]byte
		for line := range bytes.SplitSeq(frame, []byte("\n")) {
			if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
				event.Type = string(name)
			}
			if text, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				data = append(data, text)
			}
		}
		if len(data) > 0 {
			event.Data = bytes.Join(data, []byte("\n"))
			found = append(found, &event)
		}
	}
	return found
}
