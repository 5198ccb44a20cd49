package toolglot

import "encoding/json"

// Validation determines how to check calls against the tools' schemas.
type Validation string

const (
	// ValidationCoerce converts values to the declared types and reports remaining mismatches; the default.
	ValidationCoerce Validation = "coerce"
	// ValidationLenient leaves values unchanged and reports mismatches.
	ValidationLenient Validation = "lenient"
	// ValidationStrict returns mismatching calls as text.
	ValidationStrict Validation = "strict"
)

// Untyped determines how to read text without a declared type.
type Untyped string

const (
	// UntypedInfer recognises exact JSON, True, False and None, and reads anything else as a string; the default.
	UntypedInfer Untyped = "infer"
	// UntypedString always reads a string.
	UntypedString Untyped = "string"
)

// NullText determines how to read the bare text null if a string or null is declared.
type NullText string

const (
	// NullTextNull reads it as null; the default.
	NullTextNull NullText = "null"
	// NullTextText reads it as text.
	NullTextText NullText = "text"
)

// ReasoningOpen determines whether the prompt already opened a reasoning region.
type ReasoningOpen string

const (
	// ReasoningOpenNo is the default: reasoning begins with a marker in the answer.
	ReasoningOpenNo ReasoningOpen = ""
	// ReasoningOpenYes says that the answer begins inside reasoning.
	ReasoningOpenYes ReasoningOpen = "yes"
	// ReasoningOpenMaybe says that it is unknown: a call is held until no closing marker of reasoning can follow it.
	ReasoningOpenMaybe ReasoningOpen = "maybe"
)

// MarshalJSON writes the option in the library's form.
func (r ReasoningOpen) MarshalJSON() ([]byte, error) {
	switch r {
	case ReasoningOpenNo:
		return []byte("false"), nil
	case ReasoningOpenYes:
		return []byte("true"), nil
	}
	return json.Marshal(string(r))
}

// UnmarshalJSON reads true, false and texts.
func (r *ReasoningOpen) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "false", "null":
		*r = ReasoningOpenNo
		return nil
	case "true":
		*r = ReasoningOpenYes
		return nil
	}
	return json.Unmarshal(text, (*string)(r))
}

// FinishReason is why a message ended.
type FinishReason string

// The finish reasons of servers.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
)

// CallsInReasoning determines how to treat a call inside reasoning.
type CallsInReasoning string

const (
	// CallsInReasoningWait treats it as a draft if the region closes later, and as a call if it never does; the default.
	CallsInReasoningWait CallsInReasoning = "wait"
	// CallsInReasoningEnd treats it as a call that ends the region.
	CallsInReasoningEnd CallsInReasoning = "end"
	// CallsInReasoningQuote never treats it as a call.
	CallsInReasoningQuote CallsInReasoning = "quote"
)

// Frame determines how to treat white space between text or reasoning and markers.
type Frame string

const (
	// FrameTemplate drops it as part of the markers, as chat templates write it; the default.
	FrameTemplate Frame = "template"
	// FrameExact keeps it as text or reasoning.
	FrameExact Frame = "exact"
)

// EvidenceLevel determines how much evidence a call needs.
type EvidenceLevel string

const (
	// EvidenceBalanced accepts weak forms where they are unambiguous; the default.
	EvidenceBalanced EvidenceLevel = "balanced"
	// EvidenceStrict accepts exact markers only.
	EvidenceStrict EvidenceLevel = "strict"
	// EvidenceEager accepts weak forms at the start of any line.
	EvidenceEager EvidenceLevel = "eager"
)

// UnknownTool determines how to treat a call to an undeclared tool.
type UnknownTool string

const (
	// UnknownToolCall treats it as a call if its markers are strong and it needs no repairs; the default.
	UnknownToolCall UnknownTool = "call"
	// UnknownToolText treats it as text.
	UnknownToolText UnknownTool = "text"
)

// Sets of repairs, for [Options].Repairs; names of single ones may follow.
const (
	RepairsNone  = "none"
	RepairsExact = "exact"
	RepairsSafe  = "safe"
	RepairsAll   = "all"
)

// Outcome is how a call ended.
type Outcome string

const (
	// OutcomeComplete is a call without deviations from the dialect.
	OutcomeComplete Outcome = "complete"
	// OutcomeRepaired is a call with repaired deviations from the dialect.
	OutcomeRepaired Outcome = "repaired"
	// OutcomeTruncated is a call that the end of the message cut off.
	OutcomeTruncated Outcome = "truncated"
	// OutcomeBroken is a call that cannot be parsed to its end.
	OutcomeBroken Outcome = "broken"
)

// Finished reports whether the call may be run: it is complete or repaired.
func (o Outcome) Finished() bool { return o == OutcomeComplete || o == OutcomeRepaired }

// Protocol is the protocol of a client or a model server.
type Protocol string

const (
	// ProtocolChat is OpenAI's Chat Completions.
	ProtocolChat Protocol = "chat"
	// ProtocolResponses is OpenAI's Responses.
	ProtocolResponses Protocol = "responses"
	// ProtocolMessages is Anthropic's Messages.
	ProtocolMessages Protocol = "messages"
	// ProtocolOllama is Ollama's own.
	ProtocolOllama Protocol = "ollama"
)

// Engine is an inference engine.
type Engine string

// The engines that need different request options.
const (
	EngineGeneric  Engine = "generic"
	EngineVLLM     Engine = "vllm"
	EngineSGLang   Engine = "sglang"
	EngineLlamaCPP Engine = "llama.cpp"
	EngineOllama   Engine = "ollama"
	EngineLMStudio Engine = "lmstudio"
	EngineMLXLM    Engine = "mlx-lm"
)

// ReasoningField is the member for reasoning in chat answers.
type ReasoningField string

const (
	// ReasoningFieldContent is reasoning_content; the default.
	ReasoningFieldContent ReasoningField = "reasoning_content"
	// ReasoningFieldReasoning is reasoning.
	ReasoningFieldReasoning ReasoningField = "reasoning"
	// ReasoningFieldBoth is both.
	ReasoningFieldBoth ReasoningField = "both"
)
