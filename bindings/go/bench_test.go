package toolglot_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

const (
	short = `<tool_call>{"name": "ls", "arguments": {"a": 1}}</tool_call>`
	call  = `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}</tool_call>`
)

// kilobyte is prose and a call, 1024 bytes in all.
var kilobyte = strings.Repeat("The weather is worth a look. ", 40)[:1024-len(call)] + call

// BenchmarkFirst starts a process for each round: from the start of its main function to its first message, and the whole
// process beside one that does nothing.
func BenchmarkFirst(b *testing.B) {
	for _, name := range []string{"message", "nothing"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				child := exec.Command(os.Args[0], "-test.run=^TestFirstMessage$")
				child.Env = append(os.Environ(), "TOOLGLOT_FIRST="+name)
				if out, err := child.CombinedOutput(); err != nil {
					b.Fatal(string(out), err)
				}
			}
		})
	}
}

// TestFirstMessage is what BenchmarkFirst starts.
func TestFirstMessage(t *testing.T) {
	if os.Getenv("TOOLGLOT_FIRST") == "nothing" {
		return
	}
	if message := must(toolglot.Parse(call, toolglot.Config{Tools: weather})); len(message.Calls) != 1 {
		t.Errorf("%+v", message)
	}
}

func benchmarked(b *testing.B) *toolglot.Reader {
	b.Helper()
	reader := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	b.Cleanup(func() { _ = reader.Close() })
	return reader
}

// BenchmarkShort reads a call of 60 bytes whole.
func BenchmarkShort(b *testing.B) {
	reader := must(toolglot.NewReader(toolglot.Config{Tools: `[{"name": "ls", "parameters": {"properties": {"a": {"type": "integer"}}}}]`}))
	defer reader.Close()
	for b.Loop() {
		if len(must(reader.Parse(short)).Calls) != 1 {
			b.Fatal("no call")
		}
	}
}

// BenchmarkPieces reads a kilobyte in pieces of four bytes.
func BenchmarkPieces(b *testing.B) {
	parser := must(benchmarked(b).NewParser())
	defer parser.Close()
	var pieces [][]byte
	for from := 0; from < len(kilobyte); from += 4 {
		pieces = append(pieces, []byte(kilobyte[from:from+4]))
	}
	for b.Loop() {
		calls := 0
		for _, piece := range pieces {
			for event := range parser.PushBytes(piece) {
				if event.Kind == toolglot.KindCallEnd {
					calls++
				}
			}
		}
		for event := range parser.Finish() {
			if event.Kind == toolglot.KindCallEnd {
				calls++
			}
		}
		if calls != 1 || parser.Err() != nil {
			b.Fatal(calls, parser.Err())
		}
	}
}
