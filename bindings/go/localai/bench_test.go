package localai

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// A format by a pattern: the first that finds something in the text so far is the answer's. Servers that keep their
// formats as presets read so, at each token anew.
type preset struct {
	call  *regexp.Regexp
	field *regexp.Regexp
}

var presets = []preset{
	{regexp.MustCompile(`(?s)<function=([^>]+)>(.*?)</function>`), regexp.MustCompile(`(?s)<parameter=([^>]+)>\n?(.*?)\n?</parameter>`)},
	{regexp.MustCompile(`(?s)<tool_call>([A-Za-z0-9_.\-]+)\n(.*?)</tool_call>`), regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)},
	{regexp.MustCompile(`(?s)<invoke name="([^"]+)">(.*?)</invoke>`), regexp.MustCompile(`(?s)<parameter name="([^"]+)">(.*?)</parameter>`)},
	{regexp.MustCompile(`(?s)<tool_call>\s*(\{.*?\})\s*</tool_call>`), nil},
}

func byPresets(text string) []FuncCallResults {
	var found []FuncCallResults
	for _, preset := range presets {
		for _, match := range preset.call.FindAllStringSubmatch(text, -1) {
			if preset.field == nil {
				var call struct {
					Name      string
					Arguments json.RawMessage
				}
				if json.Unmarshal([]byte(match[1]), &call) == nil {
					found = append(found, FuncCallResults{Name: call.Name, Arguments: string(call.Arguments)})
				}
				continue
			}
			fields := map[string]string{}
			for _, field := range preset.field.FindAllStringSubmatch(match[2], -1) {
				fields[field[1]] = field[2]
			}
			arguments, _ := json.Marshal(fields)
			found = append(found, FuncCallResults{Name: match[1], Arguments: string(arguments)})
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// Answers of about one and sixteen kilobytes, in pieces of four bytes.
func answers() map[string]string {
	said := strings.Repeat("The forecast says more than one line of it. ", 8)
	one := func(size int) string {
		return said + "<tool_call>\n<function=search>\n<parameter=query>\n" + strings.Repeat("rain in Oslo ", size) +
			"\n</parameter>\n</function>\n</tool_call>"
	}
	return map[string]string{"1k": one(50), "16k": one(1200)}
}

func pieces(text string) []string {
	var all []string
	for from := 0; from < len(text); from += 4 {
		all = append(all, text[from:min(from+4, len(text))])
	}
	return all
}

func BenchmarkWhole(b *testing.B) {
	reader, err := NewReader(FunctionsConfig{Tools: tools})
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	for size, text := range answers() {
		b.Run("presets/"+size, func(b *testing.B) {
			for b.Loop() {
				if len(byPresets(text)) != 1 {
					b.Fatal("no call")
				}
			}
		})
		b.Run("toolglot/"+size, func(b *testing.B) {
			for b.Loop() {
				if found, err := reader.ParseFunctionCall(text); err != nil || len(found) != 1 {
					b.Fatal(found, err)
				}
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	reader, err := NewReader(FunctionsConfig{Tools: tools})
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	for size, text := range answers() {
		pieces := pieces(text)
		b.Run("presets/"+size, func(b *testing.B) {
			for b.Loop() {
				var sofar strings.Builder
				var found []FuncCallResults
				for _, piece := range pieces {
					sofar.WriteString(piece)
					found = byPresets(sofar.String())
				}
				if len(found) != 1 {
					b.Fatal("no call")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pieces)), "ns/token")
		})
		b.Run("toolglot/"+size, func(b *testing.B) {
			for b.Loop() {
				stream, err := reader.NewStream()
				if err != nil {
					b.Fatal(err)
				}
				calls := 0
				for _, piece := range pieces {
					delta, err := stream.Push(piece)
					if err != nil {
						b.Fatal(err)
					}
					calls += len(delta.ToolCalls)
				}
				delta, err := stream.Finish()
				if calls += len(delta.ToolCalls); err != nil || calls != 1 {
					b.Fatal(calls, err)
				}
				stream.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pieces)), "ns/token")
		})
	}
}
