package toolglot_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/toolglot/toolglot/bindings/go"
)

// What the library makes of each request, the package makes, too.
func TestGrammars(t *testing.T) {
	path := os.Getenv("TOOLGLOT_GRAMMARS")
	if path == "" {
		t.Skip("TOOLGLOT_GRAMMARS is not set; `bindings/test go` writes the library's grammars and compares them")
	}
	var cases []struct {
		Dialect, Tools, Error string
		Options               map[string]json.RawMessage
		Grammar               *toolglot.Grammar
	}
	must(0, json.Unmarshal(must(os.ReadFile(path)), &cases))
	for _, one := range cases {
		reader := must(toolglot.NewReader(toolglot.Config{Tools: one.Tools}))
		found, err := reader.Grammar(one.Dialect, grammarOptions(t, one.Options))
		must(0, reader.Close())
		if one.Error != "" {
			if err == nil || err.Error() != "toolglot: "+one.Error {
				t.Errorf("%s %s: %v, not %s", one.Dialect, one.Options, err, one.Error)
			}
		} else if err != nil || !reflect.DeepEqual(found, one.Grammar) {
			t.Errorf("%s %s: %+v, %v", one.Dialect, one.Options, found, err)
		}
	}
	t.Log(len(cases), "grammars")
}

func grammarOptions(t *testing.T, named map[string]json.RawMessage) toolglot.GrammarOptions {
	var options toolglot.GrammarOptions
	if choice, ok := named["tool_choice"]; ok && choice[0] == '{' {
		var object struct{ Function struct{ Name string } }
		must(0, json.Unmarshal(choice, &object))
		named["tool_choice"] = must(json.Marshal(object.Function.Name))
	}
	if parallel, ok := named["parallel"]; ok {
		options.NoParallel = string(parallel) == "false"
		delete(named, "parallel")
	}
	decoder := json.NewDecoder(strings.NewReader(string(must(json.Marshal(named)))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&options); err != nil {
		t.Fatalf("an option is not handed on: %v", err)
	}
	return options
}

func TestGrammarsThatCannotBe(t *testing.T) {
	if os.Getenv("TOOLGLOT_GRAMMARS") == "" {
		t.Skip("TOOLGLOT_GRAMMARS is not set; `bindings/test go` sets it")
	}
	reader := must(toolglot.NewReader(toolglot.Config{Tools: weather}))
	defer reader.Close()
	if _, err := reader.Grammar("hermez", toolglot.GrammarOptions{}); !errors.Is(err, toolglot.ErrInvalid) {
		t.Error(err)
	}
	if _, err := reader.Grammar("hermes", toolglot.GrammarOptions{Form: "ebnf"}); !errors.Is(err, toolglot.ErrInvalid) {
		t.Error(err)
	}
	if _, err := reader.Grammar("hermes", toolglot.GrammarOptions{ToolChoice: "rename"}); !errors.Is(err, toolglot.ErrFailed) {
		t.Error(err)
	}
}
