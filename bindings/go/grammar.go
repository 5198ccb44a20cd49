package toolglot

import (
	"encoding/json"
	"runtime"
)

// GrammarForm is the notation of a grammar.
type GrammarForm string

const (
	// GrammarGBNF is for llama.cpp; the default.
	GrammarGBNF GrammarForm = "gbnf"
	// GrammarLark is for llguidance.
	GrammarLark GrammarForm = "lark"
	// GrammarStructuralTag is for xgrammar: vLLM, SGLang, TensorRT-LLM.
	GrammarStructuralTag GrammarForm = "structural-tag"
	// GrammarJSONSchema is for hosted APIs.
	GrammarJSONSchema GrammarForm = "json-schema"
)

// ToolChoice determines which calls a message contains: one of these values, or the name of the only tool allowed.
type ToolChoice string

const (
	// ToolChoiceAuto allows text, calls, or both; the default.
	ToolChoiceAuto ToolChoice = "auto"
	// ToolChoiceRequired requires at least one call.
	ToolChoiceRequired ToolChoice = "required"
	// ToolChoiceNone allows no calls.
	ToolChoiceNone ToolChoice = "none"
)

// GrammarArguments determines how to constrain arguments.
type GrammarArguments string

const (
	// GrammarArgumentsSchema constrains them to the schema of each tool; the default.
	GrammarArgumentsSchema GrammarArguments = "schema"
	// GrammarArgumentsFree constrains only markers and names, except for tools that are strict.
	GrammarArgumentsFree GrammarArguments = "free"
)

// GrammarReasoning says where a grammar begins.
type GrammarReasoning string

const (
	// GrammarReasoningOptional begins at the first token, with optional reasoning; the default.
	GrammarReasoningOptional GrammarReasoning = "optional"
	// GrammarReasoningNone begins after the reasoning.
	GrammarReasoningNone GrammarReasoning = "none"
	// GrammarReasoningPrefilled begins inside the reasoning, whose opening marker is part of the prompt.
	GrammarReasoningPrefilled GrammarReasoning = "prefilled"
)

// GrammarOptions are options of a grammar; the zero value has the defaults.
type GrammarOptions struct {
	// Form is the notation of the grammar.
	Form GrammarForm `json:"form,omitempty"`
	// ToolChoice determines which calls the message contains.
	ToolChoice ToolChoice `json:"tool_choice,omitempty"`
	// NoParallel allows only one call.
	NoParallel bool `json:"-"`
	// Arguments determines how to constrain arguments.
	Arguments GrammarArguments `json:"arguments,omitempty"`
	// Reasoning says where the grammar begins.
	Reasoning GrammarReasoning `json:"reasoning,omitempty"`
	// Content allows text before required calls.
	Content bool `json:"content,omitempty"`
	// AllSpellings allows all spellings of the dialect's markers instead of only the first.
	AllSpellings bool `json:"all_spellings,omitempty"`
	// Strict makes an unsupported schema keyword an error instead of a warning.
	Strict bool `json:"strict,omitempty"`
	// Answer is the JSON schema for answers without calls; otherwise they are text.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Tokens are literals that are single tokens of the model, nil if unknown. A warning is given if the trigger is not one.
	Tokens []string `json:"tokens,omitzero"`
	// Lazy makes GBNF cover only the calls, starting at the trigger.
	Lazy bool `json:"lazy,omitempty"`
	// OpenAI gives the JSON schema the strict form of OpenAI's API.
	OpenAI bool `json:"openai,omitempty"`
}

// Grammar is a grammar, with what an engine needs to use it.
type Grammar struct {
	// Text is GBNF, Lark or JSON.
	Text string `json:"text"`
	// Body has the members for a request body.
	Body map[string]json.RawMessage `json:"body"`
	// Trigger is the text that calls begin with, empty if prose may contain it.
	Trigger string `json:"trigger"`
	// PreservedTokens are the markers that are special tokens of the dialect's models.
	PreservedTokens []string `json:"preserved_tokens"`
	// Warnings list what the grammar does not enforce and what an engine may not handle.
	Warnings []string `json:"warnings"`
}

// Grammar returns a grammar that constrains a model to a dialect and the reader's tools. It returns an error that explains what
// to do if the dialect cannot express the options or the schemas.
func (r *Reader) Grammar(dialect string, options GrammarOptions) (*Grammar, error) {
	defer runtime.KeepAlive(r)
	asked, err := json.Marshal(struct {
		GrammarOptions
		Parallel bool `json:"parallel"`
	}{options, !options.NoParallel})
	if err != nil {
		return nil, wrap(err)
	}
	return decoded[*Grammar](r.compiled.Grammar(dialect, asked))
}
