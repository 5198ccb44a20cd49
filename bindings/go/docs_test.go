package toolglot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

func Example() {
	text := `Let me look. <tool_call>{"name": "ls", "arguments": {"path": 'src',}}</tool_call>`
	message, err := toolglot.Parse(text, toolglot.Config{})
	fmt.Println(message.Calls[0].Name, message.Calls[0].Arguments, err) // ls {"path": "src"} <nil>
	// Output:
	// ls {"path": "src"} <nil>
}

func ExampleParser_Read() {
	tools := `[{"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}}}}]`
	body := strings.NewReader("I'll look." + `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`)

	parser, err := toolglot.NewParser(toolglot.Config{Tools: tools}) // any vendor's JSON
	if err != nil {
		panic(err)
	}
	defer parser.Close()
	for event, err := range parser.Read(context.Background(), body) {
		if err != nil {
			panic(err)
		}
		switch event.Kind {
		case toolglot.KindText:
			fmt.Print(event.Text)
		case toolglot.KindCallEnd:
			fmt.Printf("\n%s\n", event.Outcome) // complete or repaired: the call may be run
		}
	}
	message, err := parser.Message() // content, reasoning, calls, diagnostics
	fmt.Println(message.Calls[0].Name, message.Calls[0].Arguments, err)
	// Output:
	// I'll look.
	// complete
	// get_weather {"city": "Oslo"} <nil>
}

func ExampleNewParser() {
	var answer io.Reader = strings.NewReader(`Hi. <tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>`)
	parser, err := toolglot.NewParser(toolglot.Config{})
	if err != nil {
		panic(err)
	}
	defer parser.Close()
	for event, err := range parser.Read(context.Background(), answer) {
		if err != nil {
			panic(err)
		}
		switch event.Kind {
		case toolglot.KindText, toolglot.KindArguments:
			fmt.Print(event.Text)
		case toolglot.KindCallStart:
			fmt.Print(event.Name, " ")
		}
	}
	// Output:
	// Hi. ls {"path": "src"}
}

func ExampleReader_Grammar() {
	reader, err := toolglot.NewReader(toolglot.Config{Tools: weather})
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	grammar, err := reader.Grammar("qwen3_coder", toolglot.GrammarOptions{ToolChoice: toolglot.ToolChoiceRequired})
	fmt.Println(grammar, err)
}

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, _ := json.Marshal(`<tool_call>{"name": "ls", "arguments": {}}</tool_call>`)
		_, _ = fmt.Fprintf(w, `{"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop",
			"message": {"role": "assistant", "content": %s}}]}`, text)
	}))
	defer server.Close()

	client := &http.Client{Transport: &toolglot.Transport{}}

	response, err := client.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model": "m",
		"messages": [], "tools": [{"type": "function", "function": {"name": "ls"}}]}`))
	if err != nil {
		panic(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
		}
	}
	fmt.Println(json.NewDecoder(response.Body).Decode(&answer), answer.Choices[0].FinishReason)
	client.CloseIdleConnections()
	// Output:
	// <nil> tool_calls
}

// The lines of Go in the READMEs are those of the examples above, which run.
func TestReadmesShowExamples(t *testing.T) {
	source := string(must(os.ReadFile("docs_test.go")))
	for _, page := range []string{"README.md", "../../README.md"} {
		blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(string(must(os.ReadFile(page))), -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no Go", page)
		}
		for _, block := range blocks {
			body := regexp.MustCompile("(?m)^(.)").ReplaceAllString(block[1], "\t$1")
			if !strings.Contains(source, body) {
				t.Errorf("%s shows what no example runs:\n%s", page, block[1])
			}
		}
	}
}
