package toolglot_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

// modelServer answers as a model server without tools does: a call is text of the answer. What it was sent is kept.
type modelServer struct {
	*httptest.Server
	sent []byte
}

func serve(t *testing.T, write func(http.ResponseWriter, *http.Request)) *modelServer {
	t.Helper()
	server := new(modelServer)
	server.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.sent, _ = io.ReadAll(r.Body)
		write(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// streamOf writes a stream in frames of a few letters, each flushed.
func streamOf(w http.ResponseWriter, kind string, frames ...string) {
	w.Header().Set("Content-Type", kind)
	for _, frame := range frames {
		_, _ = io.WriteString(w, frame)
		w.(http.Flusher).Flush()
	}
}

func deltas(format string) (frames []string) {
	for rest := answer; rest != ""; rest = rest[min(5, len(rest)):] {
		frames = append(frames, fmt.Sprintf(format, quoted(rest[:min(5, len(rest))])))
	}
	return frames
}

const (
	chatChunk = `data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": %s}}]}` + "\n\n"
	chatEnd   = `data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}` + "\n\ndata: [DONE]\n\n"
	chatWhole = `{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": %s}, "finish_reason": "stop"}]}`
	lineChunk = `{"model": "m", "message": {"role": "assistant", "content": %s}, "done": false}` + "\n"
	lineEnd   = `{"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}` + "\n"
)

func chatRequest(stream bool) string {
	return fmt.Sprintf(`{"model": "m", "stream": %t, "messages": [{"role": "user", "content": "?"}], "tools": [{"type": "function", "function": %s}]}`,
		stream, weather[1:len(weather)-1])
}

func post(t *testing.T, client *http.Client, url, body string) (*http.Response, string) {
	t.Helper()
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func native(t *testing.T) *http.Client {
	t.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	return &http.Client{Transport: &toolglot.Transport{Base: base}}
}

// argumentsOf joins the name and the arguments of an answer's call.
func argumentsOf(t *testing.T, lines string) (arguments, finish string) {
	t.Helper()
	scanner := bufio.NewScanner(strings.NewReader(lines))
	for scanner.Scan() {
		line := strings.TrimPrefix(scanner.Text(), "data: ")
		if line == "" || line == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Message, Delta struct {
					ToolCalls []struct {
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(line), &chunk); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, choice := range chunk.Choices {
			for _, call := range append(choice.Delta.ToolCalls, choice.Message.ToolCalls...) {
				arguments += call.Function.Name + call.Function.Arguments
			}
			finish += choice.FinishReason
		}
	}
	return arguments, finish
}

const called = `get_weather{"city": "Oslo", "days": 3}`

func TestTransportStream(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		streamOf(w, "text/event-stream; charset=utf-8", append(deltas(chatChunk), chatEnd)...)
	})
	_, text := post(t, native(t), server.URL+"/v1/chat/completions", chatRequest(true))
	if arguments, finish := argumentsOf(t, text); arguments != called || finish != "tool_calls" {
		t.Errorf("%q %q", arguments, finish)
	}
	if !strings.HasSuffix(text, "data: [DONE]\n\n") || !json.Valid(server.sent) {
		t.Errorf("%s\n%s", text, server.sent)
	}
}

func TestTransportWhole(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		out := io.Writer(w)
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			defer func() { _ = packed.Close() }()
			out = packed
		}
		_, _ = fmt.Fprintf(out, chatWhole, quoted(answer))
	})
	response, text := post(t, native(t), server.URL+"/v1/chat/completions", chatRequest(false))
	if arguments, finish := argumentsOf(t, text); arguments != called || finish != "tool_calls" {
		t.Errorf("%q %q", arguments, finish)
	}
	if response.ContentLength != int64(len(text)) || response.Header.Get("Content-Length") != "" {
		t.Errorf("%d of %d bytes", response.ContentLength, len(text))
	}
}

func TestTransportOllama(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		streamOf(w, "application/x-ndjson", append(deltas(lineChunk), lineEnd)...)
	})
	_, text := post(t, native(t), server.URL+"/api/chat", chatRequest(true))
	if !strings.Contains(text, `"city":`) || !strings.Contains(text, `"tool_calls"`) || strings.Contains(text, "<function") {
		t.Error(text)
	}
}

// The other two protocols, whole and streamed: a call takes the place of the text, and the answer says that it ended for it.
func TestTransportResponsesAndMessages(t *testing.T) {
	const (
		messages  = `{"model": "m", "max_tokens": 9, "stream": %t, "messages": [{"role": "user", "content": "?"}], "tools": [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]}`
		message   = `{"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [%s], "stop_reason": %s, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}`
		block     = `{"type": "text", "text": %s}`
		blockEnds = `data: {"type": "content_block_stop", "index": 0}` + "\n\n" + `data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 1}}` + "\n\n" + `data: {"type": "message_stop"}` + "\n\n"
		responses = `{"model": "m", "input": "?", "stream": %t, "tools": [{"type": "function", "name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]}`
		object    = `{"id": "1", "object": "response", "created_at": 1, "model": "m", "status": %s, "output": [%s]}`
		item      = `{"id": "2", "type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": %s, "annotations": []}]}`
	)
	began := "data: {\"type\": \"message_start\", \"message\": " + fmt.Sprintf(message, "", "null") + "}\n\n" +
		`data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}` + "\n\n"
	done := fmt.Sprintf(object, `"completed"`, fmt.Sprintf(item, quoted(answer)))
	for _, row := range []struct {
		path, request string
		whole         string
		frames        []string
		wanted        []string
	}{
		{"/v1/messages", messages, fmt.Sprintf(message, fmt.Sprintf(block, quoted(answer)), `"end_turn"`),
			append(append([]string{began}, deltas(`data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": %s}}`+"\n\n")...), blockEnds),
			[]string{`"type":"tool_use"`, `"name":"get_weather"`, `"stop_reason":"tool_use"`}},
		{"/v1/responses", responses, done,
			append(append([]string{"data: {\"type\": \"response.created\", \"response\": " + fmt.Sprintf(object, `"in_progress"`, "") + "}\n\n"},
				deltas(`data: {"type": "response.output_text.delta", "item_id": "2", "output_index": 0, "content_index": 0, "delta": %s}`+"\n\n")...),
				"data: {\"type\": \"response.completed\", \"response\": "+done+"}\n\n"),
			[]string{`"type":"function_call"`, `"name":"get_weather"`, `"status":"completed"`}},
	} {
		for _, stream := range []bool{false, true} {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if stream {
					streamOf(w, "text/event-stream", row.frames...)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, row.whole)
			})
			_, text := post(t, native(t), server.URL+row.path, fmt.Sprintf(row.request, stream))
			if !stream && !strings.Contains(text, "Oslo") {
				t.Errorf("%s: no arguments in\n%s", row.path, text)
			}
			for _, wanted := range row.wanted {
				if !strings.Contains(text, wanted) {
					t.Errorf("%s, stream %t: no %s in\n%s", row.path, stream, wanted, text)
				}
			}
			if strings.Contains(text, "<function") {
				t.Errorf("%s, stream %t: the call is text, too\n%s", row.path, stream, text)
			}
		}
	}
}

// What is no request for an answer, no request at all, or an error of the server's passes byte for byte.
func TestTransportPasses(t *testing.T) {
	status := http.StatusOK
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "as it is")
	})
	client := native(t)
	for _, row := range []struct {
		path, body string
		status     int
	}{
		{"/v1/embeddings", chatRequest(false), http.StatusOK},
		{"/v1/chat/completions", "no JSON", http.StatusBadRequest},
		{"/v1/chat/completions", chatRequest(true), http.StatusTooManyRequests},
		{"/v1/chat/completions", chatRequest(false), http.StatusOK},
	} {
		status = row.status
		response, text := post(t, client, server.URL+row.path, row.body)
		if text != "as it is" || response.StatusCode != row.status {
			t.Errorf("%+v became %d %q", row, response.StatusCode, text)
		}
		if row.path != "/v1/chat/completions" || row.body == "no JSON" {
			if string(server.sent) != row.body {
				t.Errorf("%q was sent as %q", row.body, server.sent)
			}
		}
	}
	wrong := &http.Client{Transport: &toolglot.Transport{Traffic: toolglot.Traffic{Engine: "nobody's"}}}
	if _, err := wrong.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(chatRequest(false))); !errors.Is(err, toolglot.ErrInvalid) {
		t.Error(err)
	}
}

// A stream that breaks off is an error for the client, and half a call is none; one that the client leaves is closed.
func TestTransportStreamsThatEndEarly(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		frames := deltas(chatChunk)
		streamOf(w, "text/event-stream", frames[:len(frames)-4]...)
		panic(http.ErrAbortHandler)
	})
	client := native(t)
	response, err := client.Post(server.URL+"/v1/chat/completions", "application/json", bytes.NewReader([]byte(chatRequest(true))))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err == nil || strings.Contains(string(text), `"finish_reason":"tool_calls"`) || !strings.Contains(string(text), `"error"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	left, err := client.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(chatRequest(true)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := left.Body.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	if err := left.Body.Close(); err != nil {
		t.Error(err)
	}
}
