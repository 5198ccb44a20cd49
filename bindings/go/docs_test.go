package toolglot_test

import (
	"context"
	"fmt"
	"io"
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
	body := strings.NewReader("I'll look.\n" + `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`)

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
		case toolglot.Text:
			fmt.Print(event.Text)
		case toolglot.CallEnd:
			fmt.Println(event.Outcome) // complete or repaired: the call may be run
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
		case toolglot.Text, toolglot.Arguments:
			fmt.Print(event.Text)
		case toolglot.CallStart:
			fmt.Print(event.Name, " ")
		}
	}
	// Output:
	// Hi. ls {"path": "src"}
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
