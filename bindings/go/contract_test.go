package toolglot_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"sort"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

// contractCase is one of the core's cases, as `cargo xtask cases FILE` writes them.
type contractCase struct {
	Name        string
	Dialects    []string
	Tools       *string
	Options     json.RawMessage
	Input       *string
	InputHex    *string `json:"input_hex"`
	Special     [][2]int
	Events      []caseEvent
	Diagnostics []toolglot.Diagnostic
	Message     toolglot.Message
	// NearMiss is what the message says besides: why no call was found that it looks like.
	NearMiss *toolglot.Diagnostic `json:"near_miss"`
}

type caseEvent struct {
	Type       string
	Start, End int
	Text       string
	Index      int
	ID         *string
	Name       string
	JSON       string
	Outcome    string
}

func cases(t *testing.T) []contractCase {
	path := os.Getenv("TOOLGLOT_CASES")
	if path == "" {
		t.Skip("TOOLGLOT_CASES is not set; `bindings/test go` writes the core's cases and runs them")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []contractCase
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 1000 {
		t.Fatalf("only %d cases in %s", len(all), path)
	}
	return all
}

func (c *contractCase) input(t *testing.T) []byte {
	if c.Input != nil {
		return []byte(*c.Input)
	}
	input, err := hex.DecodeString(*c.InputHex)
	if err != nil {
		t.Fatal(err)
	}
	return input
}

func (c *contractCase) config(t *testing.T) toolglot.Config {
	config := toolglot.Config{Dialects: c.Dialects}
	if c.Tools != nil {
		config.Tools = *c.Tools
	}
	// Repairs stand in cases as one text; a name may hold several.
	var options map[string]any
	if err := json.Unmarshal(c.Options, &options); err != nil {
		t.Fatal(err)
	}
	if repairs, ok := options["repairs"].(string); ok {
		options["repairs"] = []string{repairs}
	}
	raw, _ := json.Marshal(options)
	if err := json.Unmarshal(raw, &config.Options); err != nil {
		t.Fatal(err)
	}
	return config
}

type piece struct {
	text    []byte
	special bool
}

// pieces cuts an input; special tokens stay whole.
func (c *contractCase) pieces(input []byte, length func() int) []piece {
	var all []piece
	from := 0
	for _, token := range append(c.Special[:len(c.Special):len(c.Special)], [2]int{len(input), len(input)}) {
		for from < token[0] {
			to := min(token[0], from+length())
			all = append(all, piece{input[from:to], false})
			from = to
		}
		if token[1] > token[0] {
			all = append(all, piece{input[token[0]:token[1]], true})
		}
		from = token[1]
	}
	return all
}

type said struct {
	events      []caseEvent
	diagnostics []toolglot.Diagnostic
}

func (s *said) add(event toolglot.Event) {
	if event.Kind == toolglot.KindDiagnostic {
		s.diagnostics = append(s.diagnostics, toolglot.Diagnostic{
			Code: event.Code, Start: event.Start, End: event.End, Message: event.Text, Dialect: event.Dialect,
		})
		return
	}
	found := caseEvent{
		Type: event.Kind.String(), Start: event.Start, End: event.End, Index: event.Index, Name: event.Name, Outcome: string(event.Outcome),
	}
	if event.ID != "" {
		found.ID = &event.ID
	}
	switch event.Kind {
	case toolglot.KindArguments:
		found.JSON = event.Text
	case toolglot.KindText, toolglot.KindReasoning:
		found.Text = event.Text
	}
	if n := len(s.events); n > 0 {
		last := &s.events[n-1]
		joins := event.Kind == toolglot.KindText || event.Kind == toolglot.KindReasoning || event.Kind == toolglot.KindArguments
		if joins && last.Type == found.Type && last.End == found.Start {
			last.Text, last.JSON, last.End = last.Text+found.Text, last.JSON+found.JSON, found.End
			return
		}
	}
	s.events = append(s.events, found)
}

func sorted(diagnostics []toolglot.Diagnostic) []string {
	var all []string
	for _, found := range diagnostics {
		all = append(all, fmt.Sprintf("%+v", found))
	}
	sort.Strings(all)
	return all
}

func check(c *contractCase, parser *toolglot.Parser, pieces []piece) error {
	var found said
	for _, piece := range pieces {
		push := parser.PushBytes
		if piece.special {
			push = func(token []byte) iter.Seq[toolglot.Event] { return parser.PushSpecial(string(token)) }
		}
		for event := range push(piece.text) {
			found.add(event)
		}
	}
	for event := range parser.Finish() {
		found.add(event)
	}
	message, err := parser.Message()
	if err = firstOf(parser.Err(), err); err != nil {
		return err
	}
	if !reflect.DeepEqual(found.events, append([]caseEvent(nil), c.Events...)) {
		return fmt.Errorf("other events\nwanted %+v\nfound  %+v", c.Events, found.events)
	}
	if !reflect.DeepEqual(sorted(found.diagnostics), sorted(c.Diagnostics)) {
		return fmt.Errorf("other diagnostics\nwanted %+v\nfound  %+v", c.Diagnostics, found.diagnostics)
	}
	return c.same(message, withoutIDs)
}

// allOf is the message; withoutIDs has no ids of calls: a parser draws what they are made from.
func allOf(message toolglot.Message) toolglot.Message { return message }

func withoutIDs(message toolglot.Message) toolglot.Message {
	message.Calls = slices.Clone(message.Calls)
	for at := range message.Calls {
		message.Calls[at].ID = ""
	}
	return message
}

func (c *contractCase) same(message *toolglot.Message, of func(toolglot.Message) toolglot.Message) error {
	wanted := slices.Clone(c.Diagnostics)
	if c.NearMiss != nil {
		wanted = append(wanted, *c.NearMiss)
	}
	if !reflect.DeepEqual(sorted(message.Diagnostics), sorted(wanted)) {
		return fmt.Errorf("other diagnostics in the message: %+v", message.Diagnostics)
	}
	message.Diagnostics = nil
	if !reflect.DeepEqual(of(*message), of(c.Message)) {
		return fmt.Errorf("another message\nwanted %+v\nfound  %+v", c.Message, *message)
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// What every case says of the core holds of the binding: whole, in single bytes, in random pieces.
func TestContract(t *testing.T) {
	dice := rand.New(rand.NewSource(1))
	ways := map[string]func() int{
		"whole": func() int { return 1 << 30 },
		"bytes": func() int { return 1 },
		"dice":  func() int { return 1 + dice.Intn(17) },
	}
	failed, all := 0, cases(t)
	for at := range all {
		c := &all[at]
		reader, err := toolglot.NewReader(c.config(t))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		parser, err := reader.NewParser()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		input := c.input(t)
		for name, way := range ways {
			err := check(c, parser, c.pieces(input, way))
			if err != nil {
				t.Errorf("%s, %s: %v", c.Name, name, err)
				failed++
			}
		}
		if len(c.Special) == 0 && c.Input != nil {
			message, err := reader.Parse(*c.Input)
			if err == nil {
				err = c.same(message, allOf)
			}
			if err != nil {
				t.Errorf("%s, Parse: %v", c.Name, err)
				failed++
			}
		}
		parser.Close()
		reader.Close()
		if failed > 5 {
			t.Fatal("and so on")
		}
	}
	t.Logf("%d cases, each whole, in bytes and in random pieces", len(all))
}
