// Package localai reads tool calls for an inference server with LocalAI's shapes: whole answers, and answers that arrive
// token by token.
package localai

import (
	"math/rand/v2"
	"strings"

	"github.com/toolglot/toolglot/bindings/go"
)

// FunctionsConfig is what the server knows of a model: the fields of its configuration that decide how calls are read.
type FunctionsConfig struct {
	// XMLFormatPreset forces a format, such as "qwen3-coder" or "glm-4.5"; empty or "auto" reads all. Any name or other
	// name of a dialect will do.
	XMLFormatPreset string
	// Tools are the declared tools as the request has them; a call is better read with them.
	Tools any
	// ReasoningOpen determines whether the prompt already opened the reasoning.
	ReasoningOpen toolglot.ReasoningOpen
	// IDSeed is what ids are made from where the model writes none, the same for the same seed. Zero is none: each
	// text and each stream then has ids of its own.
	IDSeed uint64
}

// FuncCallResults is a finished call.
type FuncCallResults struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	ID        string `json:"id,omitempty"`
}

// ChatDelta is what one piece of an answer brings, as the server's backends say it.
type ChatDelta struct {
	Content          string
	ReasoningContent string
	ToolCalls        []ToolCallDelta
}

// ToolCallDelta is a finished call and its place among those of the answer.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Reader reads answers of one model; many goroutines may use one.
type Reader struct {
	reader *toolglot.Reader
	seed   uint64
}

// NewReader returns a reader, or an error that explains what is wrong with the configuration.
func NewReader(config FunctionsConfig) (*Reader, error) {
	settings := toolglot.Config{Tools: config.Tools}
	settings.Options.ReasoningOpen = config.ReasoningOpen
	settings.Options.IDSeed = config.IDSeed
	if config.XMLFormatPreset != "" && config.XMLFormatPreset != "auto" {
		settings.Dialects = []string{config.XMLFormatPreset}
	}
	reader, err := toolglot.NewReader(settings)
	if err != nil {
		return nil, err
	}
	return &Reader{reader, config.IDSeed}, nil
}

// Close frees the reader.
func (r *Reader) Close() error { return r.reader.Close() }

// ParseFunctionCall returns the finished calls of an answer; what was cut off or broken is none.
func (r *Reader) ParseFunctionCall(llmresult string) ([]FuncCallResults, error) {
	message, err := r.reader.Parse(llmresult)
	if err != nil {
		return nil, err
	}
	results := make([]FuncCallResults, 0, len(message.Calls))
	for _, call := range message.Calls {
		results = append(results, FuncCallResults{Name: call.Name, Arguments: call.Arguments, ID: call.ID})
	}
	return results, nil
}

// ParseTextContent returns an answer's text without its calls, its reasoning and their markup.
func (r *Reader) ParseTextContent(llmresult string) (string, error) {
	message, err := r.reader.Parse(llmresult)
	if err != nil {
		return "", err
	}
	return message.Content, nil
}

// ParseFunctionCall reads one answer; whoever reads many with one configuration makes a [Reader].
func ParseFunctionCall(llmresult string, config FunctionsConfig) ([]FuncCallResults, error) {
	reader, err := NewReader(config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	return reader.ParseFunctionCall(llmresult)
}

// Stream reads one answer that arrives in pieces; one goroutine uses it at a time.
type Stream struct {
	parser *toolglot.Parser
	seed   uint64
	calls  map[int]*running
	taken  map[string]bool
	done   int
}

// running is a call that is not over; a call may be long and comes in small pieces.
type running struct {
	ToolCallDelta
	arguments strings.Builder
}

// NewStream returns a stream for one answer.
func (r *Reader) NewStream() (*Stream, error) {
	parser, err := r.reader.NewParser()
	if err != nil {
		return nil, err
	}
	seed := r.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &Stream{parser: parser, seed: seed, calls: map[int]*running{}, taken: map[string]bool{}}, nil
}

// Push takes the next piece. A call comes once, when it is over, with an index and an id of its own; half a call is
// nothing yet.
func (s *Stream) Push(token string) (ChatDelta, error) {
	var delta ChatDelta
	for event := range s.parser.Push(token) {
		if err := s.add(&delta, event); err != nil {
			return delta, err
		}
	}
	return delta, s.parser.Err()
}

// Finish ends the answer and returns what was held back. A call that did not finish comes back as the text it was.
func (s *Stream) Finish() (ChatDelta, error) {
	var delta ChatDelta
	for event := range s.parser.Finish() {
		if err := s.add(&delta, event); err != nil {
			return delta, err
		}
	}
	if err := s.parser.Err(); err != nil {
		return delta, err
	}
	message, err := s.parser.Message()
	if err != nil {
		return delta, err
	}
	for _, call := range message.Incomplete {
		delta.Content += call.Text
	}
	return delta, nil
}

// Close frees the stream.
func (s *Stream) Close() error { return s.parser.Close() }

func (s *Stream) add(delta *ChatDelta, event toolglot.Event) error {
	switch event.Kind {
	case toolglot.KindText:
		delta.Content += event.Text
	case toolglot.KindReasoning:
		delta.ReasoningContent += event.Text
	case toolglot.KindCallStart:
		s.calls[event.Index] = &running{ToolCallDelta: ToolCallDelta{ID: event.ID, Name: event.Name}}
	case toolglot.KindArguments:
		s.calls[event.Index].arguments.WriteString(event.Text)
	case toolglot.KindCallEnd:
		call := s.calls[event.Index]
		delete(s.calls, event.Index)
		if !event.Outcome.Finished() {
			return nil
		}
		if call.ID == "" {
			call.ID = event.ID
		}
		for more := uint64(0); call.ID == "" || s.taken[call.ID]; more++ {
			id, err := toolglot.Mint(s.seed+more, event.Index)
			if err != nil {
				return err
			}
			call.ID = id
		}
		s.taken[call.ID] = true
		call.Index, call.Arguments = s.done, call.arguments.String()
		s.done++
		delta.ToolCalls = append(delta.ToolCalls, call.ToolCallDelta)
	}
	return nil
}
