package toolglot

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Transport is an [http.RoundTripper] for any client of a model server. It converts calls that the model writes as text to
// native calls, in whole and streamed answers. The path determines the protocol; other requests and error responses are passed
// on unchanged. The zero value reads all dialects:
//
//	client := &http.Client{Transport: &toolglot.Transport{}}
type Transport struct {
	// Base sends the requests; [http.DefaultTransport] if nil.
	Base http.RoundTripper
	// Reader has the dialects; if nil, all are read.
	Reader *Reader
	// Traffic has the settings for the server. The path determines Client and Server.
	Traffic Traffic
}

var everything = sync.OnceValues(func() (*Reader, error) { return NewReader(Config{}) })

// protocols are the paths that requests for answers end with, and a request of each that asks for nothing.
var protocols = []struct {
	path     string
	protocol Protocol
	blank    string
}{
	{"/chat/completions", ProtocolChat, `{"model": "m", "messages": []}`},
	{"/responses", ProtocolResponses, `{"model": "m", "input": []}`},
	{"/messages", ProtocolMessages, `{"model": "m", "max_tokens": 1, "messages": []}`},
	{"/api/chat", ProtocolOllama, `{"model": "m", "messages": []}`},
}

// CloseIdleConnections closes the idle connections of the base, for [http.Client].
func (t *Transport) CloseIdleConnections() {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if idle, ok := base.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// RoundTrip sends a request and returns the answer with native calls.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	for _, known := range protocols {
		if request.Method == http.MethodPost && request.Body != nil && strings.HasSuffix(request.URL.Path, known.path) &&
			request.Header.Get("Content-Encoding") == "" {
			return t.exchange(base, request, known.protocol, known.blank)
		}
	}
	return base.RoundTrip(request)
}

func (t *Transport) exchange(base http.RoundTripper, request *http.Request, protocol Protocol, blank string) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if closed := request.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	turn, sent, err := t.turn(protocol, body, blank)
	if err != nil {
		return nil, err
	}
	if turn == nil {
		return base.RoundTrip(withBody(request, body))
	}
	request = withBody(request, sent)
	// The base asks for what it can unpack itself.
	request.Header.Del("Accept-Encoding")
	answer, err := base.RoundTrip(request)
	if err != nil || answer.StatusCode/100 != 2 || answer.Header.Get("Content-Encoding") != "" {
		_ = turn.Close()
		return answer, err
	}
	return translated(answer, turn)
}

// turn returns the turn for the answer and the body for the server; no turn for a request that toolglot cannot read, so that
// the server rejects it.
func (t *Transport) turn(protocol Protocol, body []byte, blank string) (*Turn, []byte, error) {
	reader := t.Reader
	if reader == nil {
		var err error
		if reader, err = everything(); err != nil {
			return nil, nil, err
		}
	}
	traffic := t.Traffic
	traffic.Client, traffic.Server = protocol, protocol
	if traffic.Now == 0 {
		traffic.Now = time.Now().Unix()
	}
	turn, sent, err := reader.NewTurn(traffic, body)
	if err == nil {
		return turn, sent, nil
	}
	// Settings that are wrong are wrong for every request.
	turn, _, err = reader.NewTurn(traffic, []byte(blank))
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, turn.Close()
}

// withBody returns a copy of a request with another body: a round tripper leaves the caller's alone.
func withBody(request *http.Request, body []byte) *http.Request {
	request = request.Clone(request.Context())
	request.ContentLength = int64(len(body))
	request.Header.Del("Content-Length")
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.Body, _ = request.GetBody()
	return request
}

// translated replaces the body of an answer by the client's.
func translated(answer *http.Response, turn *Turn) (*http.Response, error) {
	answer.Header.Del("Content-Length")
	answer.ContentLength = -1
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "text/event-stream" || kind == "application/x-ndjson" {
		answer.Body = &translation{from: answer.Body, turn: turn}
		return answer, nil
	}
	defer func() { _ = turn.Close() }()
	body, err := io.ReadAll(answer.Body)
	if closed := answer.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	// What is no answer of this protocol is the client's to refuse.
	if whole, err := turn.Whole(body); err == nil {
		body = whole
	}
	answer.ContentLength = int64(len(body))
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// translation is the body of a stream on its way to the client. It may be closed while it is read.
type translation struct {
	from  io.ReadCloser
	piece [4096]byte
	ready []byte
	err   error
	// closing guards the turn.
	closing sync.Mutex
	turn    *Turn
}

func (t *translation) Read(into []byte) (int, error) {
	for len(t.ready) == 0 && t.err == nil {
		read, err := t.from.Read(t.piece[:])
		t.ready, t.err = t.next(t.piece[:read], err)
	}
	if len(t.ready) == 0 {
		return 0, t.err
	}
	size := copy(into, t.ready)
	t.ready = t.ready[size:]
	return size, nil
}

// next takes what the server sent, and how that ended if it did; the client gets what is left before the error.
func (t *translation) next(piece []byte, ended error) ([]byte, error) {
	t.closing.Lock()
	defer t.closing.Unlock()
	out, err := t.turn.Push(piece)
	if err != nil || ended == nil {
		return out, err
	}
	var cause error
	if ended != io.EOF {
		cause = ended
	}
	rest, err := t.turn.Finish(cause)
	if err != nil {
		ended = err
	}
	return append(out, rest...), ended
}

func (t *translation) Close() error {
	err := t.from.Close()
	t.closing.Lock()
	defer t.closing.Unlock()
	_ = t.turn.Close()
	return err
}
