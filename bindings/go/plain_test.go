package toolglot_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

// Plain text is passed on before the library has got it; nobody may see the difference.
func TestPlainText(t *testing.T) {
	parser := must(toolglot.NewParser(toolglot.Config{Tools: weather}))
	defer parser.Close()
	pieces := []string{"Let me", " look", " at Málaga, ", "1", "2", " \xe2", "\x82", "\xac ", "", " each", " \n", "and so on", " ", " ", answer}
	at, text := 0, ""
	for _, piece := range pieces {
		for event := range parser.Push(piece) {
			if event.Start != at {
				t.Errorf("%q starts at %d, not %d", event.Text, event.Start, at)
			}
			at = event.End
			if event.Kind == toolglot.KindText {
				text += event.Text
			}
		}
		if message := must(parser.Message()); message.Content != text {
			t.Errorf("after %q: %q, not %q", piece, message.Content, text)
		}
	}
	for range parser.Finish() {
	}
	message := must(parser.Message())
	if whole := strings.Join(pieces, ""); len(message.Calls) != 1 || !strings.HasPrefix(whole, message.Content) || at != len(whole) {
		t.Errorf("%d %+v", at, message)
	}
}

func TestPlainTextAfterClose(t *testing.T) {
	parser := must(toolglot.NewParser(toolglot.Config{}))
	for _, piece := range []string{"Let me", " look", " at"} {
		parser.Push(piece)
	}
	parser.Close()
	for event := range parser.Push(" that") {
		t.Errorf("%+v", event)
	}
	if !errors.Is(parser.Err(), toolglot.ErrClosed) {
		t.Error(parser.Err())
	}
	if _, err := parser.Message(); !errors.Is(err, toolglot.ErrClosed) {
		t.Error(err)
	}
}
