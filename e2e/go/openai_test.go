// Package clients_test tries the transport with clients that people use.
package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/toolglot/toolglot/bindings/go"
)

const answer = "Let me see.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"

// server answers without tools: its calls are text.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	made := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Stream bool }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		quoted := func(text string) string { raw, _ := json.Marshal(text); return string(raw) }
		if !asked.Stream {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": %s}, "finish_reason": "stop"}]}`, quoted(answer))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for rest := answer; rest != ""; rest = rest[min(5, len(rest)):] {
			_, _ = fmt.Fprintf(w, "data: {\"id\": \"1\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"m\", \"choices\": [{\"index\": 0, \"delta\": {\"content\": %s}}]}\n\n", quoted(rest[:min(5, len(rest))]))
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: {\"id\": \"1\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"m\", \"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(made.Close)
	return made
}

func TestOpenAI(t *testing.T) {
	client := openai.NewClient(
		option.WithBaseURL(server(t).URL+"/v1"),
		option.WithAPIKey("none"),
		option.WithHTTPClient(&http.Client{Transport: &toolglot.Transport{}}),
	)
	params := openai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("?")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather",
			Parameters: openai.FunctionParameters{"type": "object", "properties": map[string]any{
				"city": map[string]any{"type": "string"}, "days": map[string]any{"type": "integer"}}},
		})},
	}
	check := func(found openai.ChatCompletion) {
		t.Helper()
		choice := found.Choices[0]
		if len(choice.Message.ToolCalls) != 1 || choice.FinishReason != "tool_calls" || strings.TrimSpace(choice.Message.Content) != "Let me see." {
			t.Fatalf("%+v", choice)
		}
		call := choice.Message.ToolCalls[0]
		if call.Function.Name != "get_weather" || call.Function.Arguments != `{"city": "Oslo", "days": 3}` || call.ID == "" {
			t.Errorf("%+v", call)
		}
	}
	whole, err := client.Chat.Completions.New(context.Background(), params)
	if err != nil {
		t.Fatal(err)
	}
	check(*whole)

	stream := client.Chat.Completions.NewStreaming(context.Background(), params)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Fatalf("a chunk that does not fit: %+v", stream.Current())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	check(all.ChatCompletion)
}
