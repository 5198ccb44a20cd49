package axonhub

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
	"github.com/toolglot/toolglot/bindings/go/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const write = `[{"type": "function", "function": {"name": "Write", "parameters": {"type": "object", "properties": {
	"file_path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "integer"}}}}}]`

func request(tools string) []byte {
	return []byte(`{"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}], "tools": ` + tools + `}`)
}

// list is a stream of events that are there already.
type list struct {
	events []*StreamEvent
	at     int
	err    error
	closed bool
}

func (l *list) Next() bool            { l.at++; return l.at <= len(l.events) }
func (l *list) Current() *StreamEvent { return l.events[l.at-1] }
func (l *list) Err() error            { return l.err }
func (l *list) Close() error          { l.closed = true; return nil }

// chunks writes a text as a provider streams it, so many bytes a chunk.
func chunks(text string, size int) *list {
	var all list
	add := func(delta map[string]any, finish any) {
		data, _ := json.Marshal(map[string]any{
			"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		all.events = append(all.events, &StreamEvent{Data: data})
	}
	for from := 0; from < len(text); from += size {
		add(map[string]any{"content": text[from:min(from+size, len(text))]}, nil)
	}
	add(map[string]any{}, "stop")
	all.events = append(all.events, &StreamEvent{Data: []byte("[DONE]")})
	return &all
}

type call struct{ ID, Name, Arguments string }

type answer struct {
	Content string
	Calls   []call
	Finish  string
	Done    bool
}

// collect reads a stream as a client does: calls by their index, arguments joined.
func collect(t *testing.T, stream Stream[*StreamEvent]) answer {
	t.Helper()
	var all answer
	for stream.Next() {
		data := stream.Current().Data
		if string(data) == "[DONE]" {
			all.Done = true
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		for _, choice := range chunk.Choices {
			all.Content += choice.Delta.Content
			if choice.FinishReason != "" {
				all.Finish = choice.FinishReason
			}
			for _, delta := range choice.Delta.ToolCalls {
				if delta.Index == len(all.Calls) {
					all.Calls = append(all.Calls, call{})
				}
				if delta.Index >= len(all.Calls) {
					t.Fatalf("index %d behind %d calls", delta.Index, len(all.Calls))
				}
				at := &all.Calls[delta.Index]
				at.ID += delta.ID
				at.Name += delta.Function.Name
				at.Arguments += delta.Function.Arguments
			}
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func repairer(t *testing.T) *Repairer {
	t.Helper()
	r, err := NewRepairer(toolglot.Config{}, toolglot.Traffic{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func streamed(t *testing.T, tools, text string, size int) answer {
	t.Helper()
	stream, err := repairer(t).TransformStream(request(tools), chunks(text, size))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	return collect(t, stream)
}

// Every shape that models behind the provider write is the same call, in chunks of any size and whole.
func TestShapes(t *testing.T) {
	for name, text := range map[string]string{
		"use_tool with elements":      `<use_tool name="Write"><file_path>X</file_path><content>Y</content></use_tool>`,
		"attributes":                  `<Write file_path="X" content="Y"/>`,
		"JSON, closed as use_tool":    `<Write>{"file_path":"X","content":"Y"}</use_tool>`,
		"attribute and body":          `<Write file_path="X">Y</use_tool>`,
		"elements":                    `<Write><file_path>X</file_path><content>Y</content></Write>`,
		"unclosed opener, attributes": "<Write file_path=\"X\" content=\"Y\"\n</use_tool>",
		"closed by another name":      `<Write><file_path>X</file_path><content>Y</content></Write_file>`,
		"closed as use_use":           `<Write><file_path>X</file_path><content>Y</content></use_use>`,
		"opened by another name":      `<Write_File>{"file_path":"X","content":"Y"}</Write_File>`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 5, 1000} {
				found := streamed(t, write, "Before. "+text, size)
				if len(found.Calls) != 1 || found.Finish != "tool_calls" || !found.Done || found.Content != "Before. " {
					t.Fatalf("in chunks of %d: %+v", size, found)
				}
				same(t, found.Calls[0])
			}
			whole, _ := json.Marshal(map[string]any{"id": "c1", "object": "chat.completion", "model": "m", "choices": []any{
				map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}}})
			body, err := repairer(t).TransformBody(request(write), whole)
			if err != nil {
				t.Fatal(err)
			}
			var found struct {
				Choices []struct {
					Message struct {
						ToolCalls []struct {
							ID       string
							Function struct{ Name, Arguments string }
						} `json:"tool_calls"`
					}
					FinishReason string `json:"finish_reason"`
				}
			}
			if err := json.Unmarshal(body, &found); err != nil || len(found.Choices) != 1 || len(found.Choices[0].Message.ToolCalls) != 1 {
				t.Fatalf("%s (%v)", body, err)
			}
			one := found.Choices[0].Message.ToolCalls[0]
			same(t, call{one.ID, one.Function.Name, one.Function.Arguments})
			if found.Choices[0].FinishReason != "tool_calls" {
				t.Errorf("finish reason %s", found.Choices[0].FinishReason)
			}
		})
	}
}

func same(t *testing.T, found call) {
	t.Helper()
	var arguments any
	_ = json.Unmarshal([]byte(found.Arguments), &arguments)
	if found.Name != "Write" || found.ID == "" || !reflect.DeepEqual(arguments, map[string]any{"file_path": "X", "content": "Y"}) {
		t.Errorf("%+v", found)
	}
}

// Indices go on through the message, and two calls that are alike have two ids.
func TestManyCalls(t *testing.T) {
	one := `<Write file_path="X" content="Y"/>`
	found := streamed(t, write, one+" between "+one+"<Write>{\"file_path\":\"X\",\"content\":\"Y\"}</use_tool>", 3)
	if len(found.Calls) != 3 || found.Content != " between " {
		t.Fatalf("%+v", found)
	}
	ids := map[string]bool{}
	for _, call := range found.Calls {
		same(t, call)
		ids[call.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids are not their own: %v", ids)
	}
}

// Quotes, apostrophes, signs in attributes and long numbers survive.
func TestValuesSurvive(t *testing.T) {
	found := streamed(t, write, `<Write file_path="it's" content="a > b" mode="9007199254740993"/>`, 4)
	if len(found.Calls) != 1 {
		t.Fatalf("%+v", found)
	}
	var arguments struct {
		FilePath string `json:"file_path"`
		Content  string
		Mode     json.Number
	}
	if err := json.Unmarshal([]byte(found.Calls[0].Arguments), &arguments); err != nil {
		t.Fatal(err)
	}
	if arguments.FilePath != "it's" || arguments.Content != "a > b" || arguments.Mode != "9007199254740993" {
		t.Errorf("%+v", arguments)
	}
}

// Text before, between and after calls stays, in its order and without their markup.
func TestTextAroundCalls(t *testing.T) {
	one := `<use_tool name="Write"><file_path>X</file_path><content>Y</content></use_tool>`
	found := streamed(t, write, "Before. "+one+" Between. "+one+" After.", 2)
	if len(found.Calls) != 2 || found.Content != "Before.  Between.  After." || found.Finish != "tool_calls" {
		t.Errorf("%+v", found)
	}
}

// A name is matched exactly, else by case and the end of a name, in this order; where it means two tools, it is text.
func TestANameHitsOneTool(t *testing.T) {
	for _, row := range []struct{ tools, tag, name string }{
		{`[{"name": "write_file"}, {"name": "write"}]`, "write", "write"},
		{`[{"name": "write_file"}, {"name": "write"}]`, "Write_File", "write_file"},
		{`[{"name": "write_file"}, {"name": "edit"}]`, "Write", "write_file"},
		{`[{"name": "Write"}, {"name": "write"}]`, "WRITE", ""},
		{`[{"name": "write_file"}, {"name": "WRITE_FILE"}]`, "Write", ""},
	} {
		text := "<" + row.tag + `>{"file_path":"X"}</` + row.tag + ">"
		declared := strings.ReplaceAll(row.tools, "{", `{"type": "function", "function": {`)
		found := streamed(t, strings.ReplaceAll(declared, "}", "}}"), text, 3)
		switch {
		case row.name == "" && (len(found.Calls) != 0 || found.Content != text):
			t.Errorf("%+v became %+v", row, found)
		case row.name != "" && (len(found.Calls) != 1 || found.Calls[0].Name != row.name):
			t.Errorf("%+v became %+v", row, found)
		}
	}
}

// Without declared tools only the shape that says what it is counts, never a tag that any page has; who asked without
// tools can run none and gets the text.
func TestNoToolsDeclared(t *testing.T) {
	shape := `<use_tool name="Write"><file_path>X</file_path><content>Y</content></use_tool>`
	message, err := toolglot.Parse(shape, toolglot.Config{})
	if err != nil || len(message.Calls) != 1 {
		t.Fatalf("%+v %v", message, err)
	}
	same(t, call(message.Calls[0]))
	for _, text := range []string{"<readme>hello</readme>", `<Button kind="big"/>`, "<div><p>text</p></div>"} {
		if message, err := toolglot.Parse(text, toolglot.Config{}); err != nil || len(message.Calls) != 0 || message.Content != text {
			t.Errorf("%q became %+v %v", text, message, err)
		}
	}
	for _, text := range []string{shape, "<readme>hello</readme>", `<Button kind="big"/>`} {
		if found := streamed(t, "[]", text, 3); len(found.Calls) != 0 || found.Content != text {
			t.Errorf("%q became %+v", text, found)
		}
	}
}

// A call that the stream cuts off is never a finished one: the stream ends with an error.
func TestACallThatIsCutOff(t *testing.T) {
	for _, text := range []string{`<use_tool name="Write"><file_path>X</fi`, `<Write>{"file_path":"X"`} {
		stream, err := repairer(t).TransformStream(request(write), chunks(text, 4))
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for stream.Next() {
			last = string(stream.Current().Data)
			if strings.Contains(last, `"finish_reason":"`) {
				t.Errorf("%q has finished: %s", text, last)
			}
		}
		if !strings.Contains(last, `"tool_call_cut_off"`) {
			t.Errorf("%q ended with %s", text, last)
		}
	}
}

// What begins like a call and is none comes back as it was.
func TestMalformedMarkupLosesNoText(t *testing.T) {
	for _, text := range []string{
		`<Write file_path="X`, `<Write file_path="X" content="Y"`, `<use_tool name="Write"`,
		`<use_tool>no name</use_tool>`, `</use_tool>`, `</Write_file>`,
	} {
		for _, size := range []int{1, 4, 1000} {
			found := streamed(t, write, text, size)
			if len(found.Calls) != 0 || found.Content != text {
				t.Errorf("%q in chunks of %d became %+v", text, size, found)
			}
		}
	}
}

// Nested calls, sections of characters and namespaces are read or come back as text, never half of each.
func TestWhatMeetsUsersToo(t *testing.T) {
	for _, text := range []string{
		`<tools:Write><file_path>X</file_path><content>Y</content></tools:Write>`,
		`<Write><file_path>X</file_path><content><![CDATA[Y]]></content></Write>`,
		`<use_tool name="Write"><file_path>X</file_path><content><Write file_path="A" content="B"/></content></use_tool>`,
	} {
		found := streamed(t, write, text, 3)
		switch len(found.Calls) {
		case 0:
			if found.Content != text {
				t.Errorf("%q became %+v", text, found)
			}
		case 1:
			if strings.TrimSpace(found.Content) != "" || !json.Valid([]byte(found.Calls[0].Arguments)) || found.Calls[0].Name != "Write" {
				t.Errorf("%q became %+v", text, found)
			}
		default:
			t.Errorf("%q became %+v", text, found)
		}
	}
}

// Markup that is no call of a declared tool is the reader's text, byte for byte.
func TestTextStaysText(t *testing.T) {
	for _, text := range []string{
		"<readme>hello</readme>", "const a = <Button onClick={go}>Go</Button>;", "if a < b && c > d", "<Write", "< Write >",
	} {
		found := streamed(t, write, text, 2)
		if found.Content != text || len(found.Calls) != 0 || found.Finish != "stop" {
			t.Errorf("%q became %+v", text, found)
		}
	}
}

// The same request has the same ids, another has others.
func TestIDsAreMadeFromTheRequest(t *testing.T) {
	one := `<Write file_path="X" content="Y"/>`
	a, b := streamed(t, write, one, 5), streamed(t, write, one, 50)
	other := streamed(t, write+" ", one, 5)
	if a.Calls[0].ID != b.Calls[0].ID || a.Calls[0].ID == other.Calls[0].ID {
		t.Errorf("%s %s %s", a.Calls[0].ID, b.Calls[0].ID, other.Calls[0].ID)
	}
}

// An error of the provider's stream reaches the gateway, and closing reaches the provider.
func TestErrorsAndClose(t *testing.T) {
	from := chunks(`<Write file_path="X" con`, 4)
	from.events, from.err = from.events[:5], errors.New("connection reset")
	stream, err := repairer(t).TransformStream(request(write), from)
	if err != nil {
		t.Fatal(err)
	}
	for stream.Next() {
		var chunk map[string]any
		if data := stream.Current().Data; string(data) != "[DONE]" && json.Unmarshal(data, &chunk) != nil {
			t.Errorf("%s", data)
		}
	}
	if !errors.Is(stream.Err(), from.err) {
		t.Errorf("%v", stream.Err())
	}
	if err := stream.Close(); err != nil || !from.closed {
		t.Errorf("%v %v", err, from.closed)
	}
	if _, err := repairer(t).TransformStream([]byte("no JSON"), chunks("", 1)); !errors.Is(err, toolglot.ErrInvalid) {
		t.Errorf("a request that is none gives %v", err)
	}
}
