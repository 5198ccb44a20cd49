package toolglot

import (
	"encoding/json"
	"runtime"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// Traffic is what is known of a client and a model server.
type Traffic struct {
	// Client and Server are the protocols they speak; [ProtocolChat] if empty.
	Client Protocol `json:"client,omitempty"`
	Server Protocol `json:"server,omitempty"`
	// Options are how text is read.
	Options Options `json:"options"`
	// Engine is what serves the model; [EngineGeneric] if empty.
	Engine Engine `json:"engine,omitempty"`
	// Forced says that text is read for calls although the request declares no tools.
	Forced bool `json:"forced,omitempty"`
	// ReasoningField is where chat clients find reasoning; [ReasoningFieldContent] if empty.
	ReasoningField ReasoningField `json:"reasoning_field,omitempty"`
	// ReasoningOpen says that the prompt opened a reasoning region.
	ReasoningOpen bool `json:"reasoning_open,omitempty"`
	// UpstreamModel is the model's name at the server, where it is another.
	UpstreamModel string `json:"upstream_model,omitempty"`
	// Seed is what ids of calls are made from; a hash of the request if it is zero.
	Seed uint64 `json:"seed,omitempty"`
	// Now is the time of the answer, in seconds since 1970.
	Now int64 `json:"now,omitempty"`
}

// Turn takes one answer of a model server to its client: calls that were written as text become native ones, broken
// native ones are made right, everything else is as it came. One goroutine uses it at a time.
type Turn struct{ turn engine.Turn }

// NewTurn reads a client's request; it returns the way of the answer, and the body for the model server. An error about
// the request ends with the body of an error in the client's protocol.
func (r *Reader) NewTurn(traffic Traffic, request []byte) (*Turn, []byte, error) {
	defer runtime.KeepAlive(r)
	settings, err := json.Marshal(traffic)
	if err != nil {
		return nil, nil, wrap(err)
	}
	turn, body, err := r.compiled.NewTurn(string(settings), request)
	if err != nil {
		return nil, nil, wrap(err)
	}
	return &Turn{turn}, body, nil
}

// Push takes bytes of the server's stream, cut anywhere, and returns those of the client's.
func (t *Turn) Push(piece []byte) ([]byte, error) {
	out, err := t.turn.Push(piece)
	return out, wrap(err)
}

// Finish ends the stream and returns what is left of the client's; cause is nil unless something cut the stream, and is then
// told to the client.
func (t *Turn) Finish(cause error) ([]byte, error) {
	why := ""
	if cause != nil {
		if why = cause.Error(); why == "" {
			why = "the stream was cut"
		}
	}
	out, err := t.turn.Finish(why)
	return out, wrap(err)
}

// Whole takes an answer that was not streamed and returns the client's.
func (t *Turn) Whole(answer []byte) ([]byte, error) {
	out, err := t.turn.Whole(answer)
	return out, wrap(err)
}

// Close frees the turn; one that nobody has any more is freed by itself.
func (t *Turn) Close() error {
	t.turn.Close()
	return nil
}
