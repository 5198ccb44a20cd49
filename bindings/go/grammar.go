package toolglot

import (
	"encoding/json"
	"runtime"
)

// GrammarForm is what a grammar is written as.
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

// ToolChoice is which calls a message has: one of these, or the name of a tool, which is then the only one.
type ToolChoice string

const (
	// ToolChoiceAuto is text, calls, or both; the default.
	ToolChoiceAuto ToolChoice = "auto"
	// ToolChoiceRequired is at least one call.
	ToolChoiceRequired ToolChoice = "required"
	// ToolChoiceNone is text in which nothing is a call.
	ToolChoiceNone ToolChoice = "none"
)

// GrammarArguments is how far arguments are held.
type GrammarArguments string

const (
	// GrammarArgumentsSchema holds them to the schema of each tool; the default.
	GrammarArgumentsSchema GrammarArguments = "schema"
	// GrammarArgumentsFree holds markers and names, and only tools that are strict to their schemas.
	GrammarArgumentsFree GrammarArguments = "free"
)

// GrammarReasoning is where a grammar begins.
type GrammarReasoning string

const (
	// GrammarReasoningOptional is at the first token, where the model may reason; the default.
	GrammarReasoningOptional GrammarReasoning = "optional"
	// GrammarReasoningNone is behind the reasoning.
	GrammarReasoningNone GrammarReasoning = "none"
	// GrammarReasoningPrefilled is inside the reasoning, which the prompt has opened.
	GrammarReasoningPrefilled GrammarReasoning = "prefilled"
)

// GrammarOptions are choices for a grammar; the zero value is the default of each.
type GrammarOptions struct {
	// Form is what the grammar is written as.
	Form GrammarForm `json:"form,omitempty"`
	// ToolChoice is which calls the message has.
	ToolChoice ToolChoice `json:"tool_choice,omitempty"`
	// NoParallel allows one call only.
	NoParallel bool `json:"-"`
	// Arguments is how far arguments are held.
	Arguments GrammarArguments `json:"arguments,omitempty"`
	// Reasoning is where the grammar begins.
	Reasoning GrammarReasoning `json:"reasoning,omitempty"`
	// Content allows text before calls that are demanded.
	Content bool `json:"content,omitempty"`
	// AllSpellings allows all spellings of the dialect's markers, not only the first.
	AllSpellings bool `json:"all_spellings,omitempty"`
	// Strict makes a keyword of a schema that no grammar holds an error, not a warning.
	Strict bool `json:"strict,omitempty"`
	// Answer is the JSON schema of an answer without calls, instead of text.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Tokens are literals that are single tokens of the model, nil if that is not known: a trigger that is not among them is
	// warned about.
	Tokens []string `json:"tokens,omitzero"`
	// Lazy makes GBNF of the calls alone, which begins at the trigger.
	Lazy bool `json:"lazy,omitempty"`
	// OpenAI makes the JSON schema in the strict form of OpenAI's API.
	OpenAI bool `json:"openai,omitempty"`
}

// Grammar is a grammar, and what an engine takes beside it.
type Grammar struct {
	// Text is GBNF, Lark, or the text of a JSON value.
	Text string `json:"text"`
	// Body has the members of a request body that carry it.
	Body map[string]json.RawMessage `json:"body"`
	// Trigger is the text with which calls begin, empty if prose may contain it.
	Trigger string `json:"trigger"`
	// PreservedTokens are the markers that are special tokens of the dialect's models.
	PreservedTokens []string `json:"preserved_tokens"`
	// Warnings say what the grammar leaves out, and what an engine may stumble over.
	Warnings []string `json:"warnings"`
}

// Grammar returns the grammar that holds a model to a dialect and the reader's tools, for the engine that samples. What the
// dialect cannot express, or no grammar holds, is an error that says what to do.
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
