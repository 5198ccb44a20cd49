package toolglot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/toolglot/toolglot/bindings/go"
	"github.com/toolglot/toolglot/bindings/go/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const (
	weather = `[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]`
	answer  = "Let me see. <tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestParse(t *testing.T) {
	message := must(toolglot.Parse(answer, toolglot.Config{Tools: weather}))
	if message.Content != "Let me see. " || message.FinishReason != "tool_calls" || message.Dialect != "qwen3_coder" {
		t.Errorf("%+v", message)
	}
	if len(message.Calls) != 1 || message.Calls[0].Arguments != `{"city": "Oslo", "days": 3}` {
		t.Errorf("%+v", message.Calls)
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	for name, config := range map[string]toolglot.Config{
		"dialect": {Dialects: []string{"nobody's"}},
		"tools":   {Tools: "{"},
		"option":  {Options: toolglot.Options{Validation: "maybe"}},
		"file":    {Files: []toolglot.DialectFile{{Name: "mine", TOML: "x ="}}},
	} {
		_, err := toolglot.NewReader(config)
		if !errors.Is(err, toolglot.ErrInvalid) || !strings.HasPrefix(err.Error(), "toolglot: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := toolglot.Parse("", toolglot.Config{Tools: func() {}}); err == nil {
		t.Error("tools that do not marshal are an error")
	}
}

// What the prompt opened may be unknown: text before a closer is then reasoning.
func TestReasoningThatMayBeOpen(t *testing.T) {
	for open, reasoning := range map[toolglot.ReasoningOpen]string{
		toolglot.ReasoningOpenYes: "hm", toolglot.ReasoningOpenMaybe: "", toolglot.ReasoningOpenNo: "",
	} {
		message := must(toolglot.Parse("hm", toolglot.Config{Options: toolglot.Options{ReasoningOpen: open}}))
		if message.Reasoning != reasoning {
			t.Errorf("%q: %+v", open, message)
		}
	}
	draft := `<tool_call>{"name": "get_weather", "arguments": {}}</tool_call></think>Done.`
	for open, calls := range map[toolglot.ReasoningOpen]int{toolglot.ReasoningOpenMaybe: 0, toolglot.ReasoningOpenNo: 1} {
		message := must(toolglot.Parse(draft, toolglot.Config{Options: toolglot.Options{ReasoningOpen: open}}))
		if len(message.Calls) != calls {
			t.Errorf("%q: %+v", open, message)
		}
	}
	if _, err := toolglot.NewReader(toolglot.Config{Options: toolglot.Options{ReasoningOpen: "perhaps"}}); !errors.Is(err, toolglot.ErrInvalid) {
		t.Error(err)
	}
}

func TestReadFromAReader(t *testing.T) {
	parser := must(toolglot.NewParser(toolglot.Config{Tools: weather}))
	defer parser.Close()
	var text, arguments string
	for event, err := range parser.Read(context.Background(), iotest.OneByteReader(strings.NewReader(answer))) {
		if err != nil {
			t.Fatal(err)
		}
		switch event.Kind {
		case toolglot.KindText:
			text += event.Text
		case toolglot.KindArguments:
			arguments += event.Text
		}
	}
	if text != "Let me see. " || arguments != `{"city": "Oslo", "days": 3}` {
		t.Errorf("%q %q", text, arguments)
	}
	if name := must(parser.Dialect()); name != "qwen3_coder" {
		t.Error(name)
	}
}

func TestIDsDifferFromMessageToMessage(t *testing.T) {
	first := func(message *toolglot.Message) string { return message.Calls[0].ID }
	again := "Again. " + answer
	one, other := first(must(toolglot.Parse(answer, toolglot.Config{}))), first(must(toolglot.Parse(again, toolglot.Config{})))
	if one == other || one != first(must(toolglot.Parse(answer, toolglot.Config{}))) {
		t.Error(one, other)
	}
	seeded := toolglot.Config{Options: toolglot.Options{IDSeed: 7}}
	if first(must(toolglot.Parse(answer, seeded))) != first(must(toolglot.Parse(again, seeded))) {
		t.Error("the same seed gives the same ids")
	}
	seen := map[string]bool{}
	for range 2 {
		parser := must(toolglot.NewParser(toolglot.Config{}))
		for range 2 {
			parser.Push(answer)
			early := first(must(parser.Message()))
			parser.Push(" and more")
			parser.Finish()
			if first(must(parser.Message())) != early || seen[early] {
				t.Error("an id changed, or came twice")
			}
			seen[early] = true
		}
		parser.Close()
	}
}

func TestReadersThatFail(t *testing.T) {
	parser := must(toolglot.NewParser(toolglot.Config{}))
	defer parser.Close()
	broken := errors.New("gone")
	var text string
	var last error
	for event, err := range parser.Read(context.Background(), io.MultiReader(strings.NewReader("half <tool"), iotest.ErrReader(broken))) {
		text, last = text+event.Text, err
	}
	if text != "half <tool" || !errors.Is(last, broken) {
		t.Errorf("%q %v", text, last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range parser.Read(ctx, strings.NewReader(answer)) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}

func TestUseAfterClose(t *testing.T) {
	reader := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	parser := must(reader.NewParser())
	reader.Close()
	reader.Close()
	if _, err := reader.Parse(""); !errors.Is(err, toolglot.ErrClosed) {
		t.Error(err)
	}
	for range parser.Push(answer) {
	}
	for range parser.Finish() {
	}
	if message := must(parser.Message()); len(message.Calls) != 1 {
		t.Error("a parser goes on when its reader is closed")
	}
	parser.Close()
	parser.Close()
	for range parser.Push("x") {
		t.Error("an event of a parser that is closed")
	}
	if !errors.Is(parser.Err(), toolglot.ErrClosed) {
		t.Error(parser.Err())
	}
}

func TestRepairDetectRenderExplain(t *testing.T) {
	repaired := must(toolglot.Repair("get_weather", "<parameter=days>3</parameter>", toolglot.Config{Tools: weather}))
	if !repaired.OK() || repaired.Arguments != `{"days": 3}` {
		t.Errorf("%+v", repaired)
	}
	if failed := must(toolglot.Repair("", "no idea", toolglot.Config{})); failed.OK() || len(failed.Diagnostics) == 0 {
		t.Errorf("%+v", failed)
	}
	if verdicts := must(toolglot.Detect(toolglot.SourceOutput, answer)); verdicts[0].Dialect != "qwen3_coder" {
		t.Errorf("%+v", verdicts[0])
	}
	if verdicts := must(toolglot.Detect(toolglot.SourceModelName, "Qwen/Qwen3-Coder-30B")); verdicts[0].Dialect != "qwen3_coder" {
		t.Errorf("%+v", verdicts[0])
	}
	reader := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	defer reader.Close()
	text := must(reader.Render("hermes", &toolglot.Message{Calls: []toolglot.Call{{Name: "get_weather", Arguments: `{"days": 3}`}}}))
	if back := must(reader.Parse(text)); back.Dialect != "hermes" || back.Calls[0].Arguments != `{"days": 3}` {
		t.Errorf("%q %+v", text, back)
	}
	if _, err := reader.Render("hermes", &toolglot.Message{Calls: []toolglot.Call{{Name: "get_weather", Arguments: "["}}}); !errors.Is(err, toolglot.ErrFailed) {
		t.Error(err)
	}
	if raw := must(reader.Explain(answer)); !strings.Contains(string(raw), `"committed"`) {
		t.Errorf("%s", raw)
	}
	if dialects := must(reader.Dialects()); len(dialects) < 70 {
		t.Error(len(dialects))
	}
	if a, b := must(toolglot.Mint(7, 0)), must(toolglot.Mint(7, 1)); a == b || a != must(toolglot.Mint(7, 0)) {
		t.Error(a, b)
	}
}

func TestNearMiss(t *testing.T) {
	const text = `[get_weather(city="Paris")]`
	reader := must(toolglot.NewReader(toolglot.Config{}))
	defer reader.Close()
	if miss := must(reader.NearMiss(text)); miss == nil || miss.Reason != "no_tools" || miss.Tool != "get_weather" || miss.Diagnostic.Code != "near_miss" {
		t.Errorf("%+v", miss)
	}
	if miss := must(reader.NearMiss("No call at all.")); miss != nil {
		t.Errorf("%+v", miss)
	}
	declared := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	defer declared.Close()
	if miss := must(declared.NearMiss(text)); miss != nil {
		t.Errorf("%+v", miss)
	}
}

// Many parsers of many goroutines share what there is; none sees another's text.
func TestManyGoroutines(t *testing.T) {
	reader := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	defer reader.Close()
	var wait sync.WaitGroup
	for number := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 20 {
				parser := must(reader.NewParser())
				for at := number; at < len(answer); at += 7 {
					for range parser.Push(answer[max(at-7, 0):at]) {
					}
					runtime.Gosched()
				}
				message := must(parser.Message())
				if number%2 == 0 {
					parser.Close()
				}
				if strings.Count(message.Content, "Let me see.") > 1 {
					t.Errorf("%+v", message)
				}
				if parsed := must(reader.Parse(answer)); len(parsed.Calls) != 1 {
					t.Errorf("%+v", parsed)
				}
			}
		}()
	}
	wait.Wait()
	runtime.GC()
}

// A long text passes, and does not stay in memory.
func TestALongText(t *testing.T) {
	text := strings.Repeat("Nothing to see here, only prose. ", 200_000)
	message := must(toolglot.Parse(text, toolglot.Config{}))
	if message.Content != text {
		t.Errorf("%d bytes became %d", len(text), len(message.Content))
	}
}

func ExampleParser() {
	parser, err := toolglot.NewParser(toolglot.Config{})
	if err != nil {
		panic(err)
	}
	defer parser.Close()
	for _, piece := range []string{"Let me ", "look.<tool_", `call>{"name": "ls", "arguments": {}}</tool_call>`} {
		for event := range parser.Push(piece) {
			switch event.Kind {
			case toolglot.KindText:
				fmt.Printf("%q\n", event.Text)
			case toolglot.KindCallStart:
				fmt.Println("calls", event.Name)
			}
		}
	}
	for range parser.Finish() {
	}
	// Output:
	// "Let me "
	// "look."
	// calls ls
}
