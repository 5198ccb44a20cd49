package toolglot

import (
	"encoding/json"
	"runtime"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// Traffic has the settings for a client and a model server.
type Traffic struct {
	// Client and Server are their protocols; [ProtocolChat] if empty.
	Client Protocol `json:"client,omitempty"`
	Server Protocol `json:"server,omitempty"`
	// Options are the parsing options.
	Options Options `json:"options"`
	// Engine is the inference engine; [EngineGeneric] if empty.
	Engine Engine `json:"engine,omitempty"`
	// Forced parses the answer even if the request declares no tools.
	Forced bool `json:"forced,omitempty"`
	// ReasoningField is the member for reasoning in chat answers; [ReasoningFieldContent] if empty.
	ReasoningField ReasoningField `json:"reasoning_field,omitempty"`
	// ReasoningOpen says that the prompt opened a reasoning region.
	ReasoningOpen bool `json:"reasoning_open,omitempty"`
	// UpstreamModel is the model's name on the server, if different.
	UpstreamModel string `json:"upstream_model,omitempty"`
	// Seed is the seed for call ids; a hash of the request if zero.
	Seed uint64 `json:"seed,omitempty"`
	// Now is the time of the answer, in seconds since 1970.
	Now int64 `json:"now,omitempty"`
}

// Turn converts one answer of a model server for its client: calls written as text become native calls, and invalid
// arguments of native calls are repaired; everything else is unchanged. It is not safe for concurrent use.
type Turn struct{ turn engine.Turn }

// NewTurn reads a client's request and returns a turn for the answer and the body for the model server. An error about
// the request ends with an error body in the client's protocol.
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

// Push converts bytes of the server's stream, cut anywhere, to bytes of the client's.
func (t *Turn) Push(piece []byte) ([]byte, error) {
	out, err := t.turn.Push(piece)
	return out, wrap(err)
}

// Finish ends the stream and returns the rest of the client's. If the stream was interrupted, cause is reported to the client;
// otherwise it is nil.
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

// Whole converts an answer that was not streamed to the client's.
func (t *Turn) Whole(answer []byte) ([]byte, error) {
	out, err := t.turn.Whole(answer)
	return out, wrap(err)
}

// Close frees the turn. Otherwise it is freed when it is garbage-collected.
func (t *Turn) Close() error {
	t.turn.Close()
	return nil
}
