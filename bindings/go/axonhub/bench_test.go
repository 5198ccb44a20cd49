package axonhub

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

// The shapes by patterns, one behind the other, as a gateway without a parser reads a whole message.
var (
	useTool  = regexp.MustCompile(`(?s)<use_tool name="([^"]+)">(.*?)</use_[a-z]+>`)
	alone    = regexp.MustCompile(`(?s)<([A-Z]\w*)((?:\s+\w+="[^"]*")+)\s*/>`)
	elements = regexp.MustCompile(`(?s)<([A-Z]\w*)>(.*?)</(?:[A-Z]\w*|use_[a-z]+)>`)
	child    = regexp.MustCompile(`(?s)<(\w+)>(.*?)</\w+>`)
	given    = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func byPatterns(text string) []call {
	var found []call
	for _, shape := range []struct{ call, field *regexp.Regexp }{{useTool, child}, {alone, given}, {elements, child}} {
		for _, match := range shape.call.FindAllStringSubmatch(text, -1) {
			fields := map[string]string{}
			for _, field := range shape.field.FindAllStringSubmatch(match[2], -1) {
				fields[field[1]] = field[2]
			}
			arguments, _ := json.Marshal(fields)
			found = append(found, call{fmt.Sprint("call_", len(found)), match[1], string(arguments)})
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// answers are of about one and sixteen kilobytes.
func answers() map[string]string {
	one := func(size int) string {
		return "I write the file now, as you asked.\n<Write><file_path>a.txt</file_path><content>" +
			strings.Repeat("one line of the file\n", size) + "</content></Write>"
	}
	return map[string]string{"1k": one(40), "16k": one(760)}
}

func body(text string) []byte {
	whole, _ := json.Marshal(map[string]any{"id": "c1", "object": "chat.completion", "model": "m", "choices": []any{
		map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}}})
	return whole
}

func benchmarked(b *testing.B) *Repairer {
	b.Helper()
	r, err := NewRepairer(toolglot.Config{}, toolglot.Traffic{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	return r
}

// BenchmarkBody reads a whole answer: patterns, which decode the body and encode it again, and the repairer.
func BenchmarkBody(b *testing.B) {
	r := benchmarked(b)
	for size, text := range answers() {
		answer := body(text)
		b.Run("patterns/"+size, func(b *testing.B) {
			for b.Loop() {
				var whole map[string]any
				if err := json.Unmarshal(answer, &whole); err != nil {
					b.Fatal(err)
				}
				message := whole["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
				calls := byPatterns(message["content"].(string))
				if message["tool_calls"] = calls; len(calls) != 1 {
					b.Fatal("no call")
				}
				if _, err := json.Marshal(whole); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("toolglot/"+size, func(b *testing.B) {
			for b.Loop() {
				if out, err := r.TransformBody(request(write), answer); err != nil || !strings.Contains(string(out), "tool_calls") {
					b.Fatal(string(out), err)
				}
			}
		})
	}
}

// BenchmarkStream reads a stream of chunks of four bytes, which patterns that see one chunk cannot.
func BenchmarkStream(b *testing.B) {
	r := benchmarked(b)
	for size, text := range answers() {
		from := chunks(text, 4)
		b.Run("toolglot/"+size, func(b *testing.B) {
			for b.Loop() {
				stream, err := r.TransformStream(request(write), &list{events: from.events})
				if err != nil {
					b.Fatal(err)
				}
				for stream.Next() {
					stream.Current()
				}
				if err := stream.Close(); err != nil || stream.Err() != nil {
					b.Fatal(err, stream.Err())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(from.events)), "ns/token")
		})
	}
}
