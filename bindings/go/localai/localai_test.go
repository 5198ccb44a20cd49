package localai

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const tools = `[
	{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
		"city": {"type": "string"}, "days": {"type": "integer"}}}}},
	{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {
		"query": {"type": "string"}}}}}]`

// want is a call as a test states it: a name and arguments that mean the same.
type want struct{ name, arguments string }

func check(t *testing.T, text string, config FunctionsConfig, content string, calls ...want) {
	t.Helper()
	config.IDSeed = 7
	reader, err := NewReader(config)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	found, err := reader.ParseFunctionCall(text)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "whole", found, calls)
	rest, err := reader.ParseTextContent(text)
	if err != nil || strings.TrimSpace(rest) != content {
		t.Errorf("content %q, not %q (%v)", rest, content, err)
	}
	for _, size := range []int{1, 3, 7, len(text)} {
		stream, err := reader.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		var all ChatDelta
		add := func(delta ChatDelta, err error) {
			if err != nil {
				t.Fatal(err)
			}
			all.Content += delta.Content
			all.ToolCalls = append(all.ToolCalls, delta.ToolCalls...)
		}
		for from := 0; from < len(text); from += size {
			add(stream.Push(text[from:min(from+size, len(text))]))
		}
		add(stream.Finish())
		stream.Close()
		var streamed []FuncCallResults
		for at, call := range all.ToolCalls {
			if call.Index != at {
				t.Errorf("call %d has index %d", at, call.Index)
			}
			streamed = append(streamed, FuncCallResults{call.Name, call.Arguments, call.ID})
		}
		if len(found) > 0 && !reflect.DeepEqual(streamed, found) {
			t.Errorf("in pieces of %d: %+v, whole: %+v", size, streamed, found)
		}
		same(t, "streamed", streamed, calls)
	}
}

func same(t *testing.T, how string, found []FuncCallResults, calls []want) {
	t.Helper()
	if len(found) != len(calls) {
		t.Fatalf("%s: %+v, not %+v", how, found, calls)
	}
	ids := map[string]bool{}
	for at, call := range calls {
		var a, b any
		_ = json.Unmarshal([]byte(found[at].Arguments), &a)
		_ = json.Unmarshal([]byte(call.arguments), &b)
		if found[at].Name != call.name || !reflect.DeepEqual(a, b) || b == nil {
			t.Errorf("%s: %+v, not %+v", how, found[at], call)
		}
		if found[at].ID == "" || ids[found[at].ID] {
			t.Errorf("%s: the id %q is none of its own", how, found[at].ID)
		}
		ids[found[at].ID] = true
	}
}

// JSON between tool_call tags is Hermes, never GLM-4.5 with the JSON for a name.
func TestJSONInTagsIsNoName(t *testing.T) {
	check(t, `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`,
		FunctionsConfig{Tools: tools}, "", want{"get_weather", `{"city": "Oslo"}`})
	check(t, `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`,
		FunctionsConfig{}, "", want{"get_weather", `{"city": "Oslo"}`})
}

// Without a seed, two streams give two ids.
func TestStreamsHaveIDsOfTheirOwn(t *testing.T) {
	reader, err := NewReader(FunctionsConfig{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var ids []string
	for range 2 {
		stream, err := reader.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		delta, err := stream.Push(`<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`)
		if err != nil || len(delta.ToolCalls) != 1 {
			t.Fatal(delta, err)
		}
		ids = append(ids, delta.ToolCalls[0].ID)
	}
	if ids[0] == ids[1] {
		t.Error(ids)
	}
}

// The same tags hold Hermes, GLM and Qwen3-Coder; what stands inside decides.
func TestOneTagManyFormats(t *testing.T) {
	config := FunctionsConfig{Tools: tools}
	oslo := want{"get_weather", `{"city": "Oslo", "days": 3}`}
	check(t, "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>", config, "", oslo)
	check(t, "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value><arg_key>days</arg_key><arg_value>3</arg_value></tool_call>", config, "", oslo)
	check(t, "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>", config, "", oslo)
	check(t, `<tool_call>[{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}, {"name": "search", "arguments": {"query": "x"}}]</tool_call>`, config, "", oslo, want{"search", `{"query": "x"}`})
}

// Prose before a call stays, and two calls of the same tool are two calls.
func TestProseAndManyCalls(t *testing.T) {
	one := "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"a\"}}\n</tool_call>"
	check(t, "Let me look.\n"+one+"\n"+one, FunctionsConfig{Tools: tools}, "Let me look.",
		want{"search", `{"query": "a"}`}, want{"search", `{"query": "a"}`})
}

// Text between the tags that is no call of anything is text.
func TestGarbageIsText(t *testing.T) {
	text := "<tool_call>what is this: even</tool_call>"
	check(t, text, FunctionsConfig{Tools: tools}, text)
}

// Every preset is a name that a reader knows.
func TestPresets(t *testing.T) {
	for preset, text := range map[string]string{
		"functionary": `<function=get_weather>{"city": "Oslo"}</function>`,
		"qwen3-coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
		"qwen3.5":     "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
		"glm-4.5":     "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
		"minimax-m2":  "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</minimax:tool_call>",
		"kimi-k2":     `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>`,
		"apriel-1.5":  `<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>`,
		"xiaomi-mimo": `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`,
		"hermes":      `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`,
		"lfm2":        `<|tool_call_start|>[get_weather(city="Oslo")]<|tool_call_end|>`,
		"llama3.1":    `{"name": "get_weather", "parameters": {"city": "Oslo"}}`,
		"auto":        `<|tool_call_start|>[get_weather(city="Oslo")]<|tool_call_end|>`,
	} {
		t.Run(preset, func(t *testing.T) {
			check(t, text, FunctionsConfig{XMLFormatPreset: preset, Tools: tools}, "", want{"get_weather", `{"city": "Oslo"}`})
		})
	}
	if _, err := NewReader(FunctionsConfig{XMLFormatPreset: "no such thing"}); err == nil {
		t.Error("an unknown preset is an error")
	}
}

// A format that is forced is trusted, but what is no name stays none.
func TestAForcedFormatStillWantsNames(t *testing.T) {
	text := "<tool_call>{\"name\": \"get_weather\"} and more\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>\n</tool_call>"
	for _, preset := range []string{"glm-4.5", "auto"} {
		found, err := ParseFunctionCall(text, FunctionsConfig{XMLFormatPreset: preset})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range found {
			if strings.ContainsAny(call.Name, "{\" \n") {
				t.Errorf("%s: %q is no name", preset, call.Name)
			}
		}
	}
}

// What has begun is no call, however far it came; it comes back as the text it was.
func TestAPartialStreamSaysNothing(t *testing.T) {
	for _, whole := range []string{
		`<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}`,
		`{"name": "get_weather", "parameters": {"city": "Oslo"}}`,
	} {
		partial(t, whole)
	}
}

func partial(t *testing.T, whole string) {
	t.Helper()
	reader, err := NewReader(FunctionsConfig{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for end := range len(whole) - 2 {
		stream, err := reader.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		pushed, err := stream.Push(whole[:end])
		if err != nil || len(pushed.ToolCalls) > 0 {
			t.Fatalf("%q gave %+v (%v)", whole[:end], pushed, err)
		}
		rest, err := stream.Finish()
		if err != nil || len(rest.ToolCalls) > 0 || pushed.Content+rest.Content != whole[:end] {
			t.Fatalf("%q ended with %+v%+v (%v)", whole[:end], pushed, rest, err)
		}
		stream.Close()
	}
}
