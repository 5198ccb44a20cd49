package toolglot

import "encoding/json"

// Validation is how calls are checked against the tools' schemas.
type Validation string

const (
	// ValidationCoerce converts values where the schema says how, and reports what still does not fit; the default.
	ValidationCoerce Validation = "coerce"
	// ValidationLenient leaves values as they are and reports what does not fit.
	ValidationLenient Validation = "lenient"
	// ValidationStrict gives a call that does not fit back as text.
	ValidationStrict Validation = "strict"
)

// Untyped is what text means where no schema gives its type.
type Untyped string

const (
	// UntypedInfer takes exact JSON, True, False and None as what they are, anything else as a string; the default.
	UntypedInfer Untyped = "infer"
	// UntypedString takes everything as a string.
	UntypedString Untyped = "string"
)

// NullText is what the bare text null means where a string or null is declared.
type NullText string

const (
	// NullTextNull takes it as null; the default.
	NullTextNull NullText = "null"
	// NullTextText takes it as text.
	NullTextText NullText = "text"
)

// ReasoningOpen says whether the prompt already opened a reasoning region.
type ReasoningOpen string

const (
	// ReasoningOpenNo is the default: reasoning has to be opened in the answer.
	ReasoningOpenNo ReasoningOpen = ""
	// ReasoningOpenYes says that the answer begins inside reasoning.
	ReasoningOpenYes ReasoningOpen = "yes"
	// ReasoningOpenMaybe says that it is not known: a call is held until no closing marker of reasoning can follow it.
	ReasoningOpenMaybe ReasoningOpen = "maybe"
)

// MarshalJSON writes the option as the library names it.
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

// The reasons that servers give.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
)

// CallsInReasoning is what a call inside reasoning is.
type CallsInReasoning string

const (
	// CallsInReasoningWait takes it as a draft if the region closes later, as a call if it never does; the default.
	CallsInReasoningWait CallsInReasoning = "wait"
	// CallsInReasoningEnd takes it as a call, which ends the region.
	CallsInReasoningEnd CallsInReasoning = "end"
	// CallsInReasoningQuote never takes it as a call.
	CallsInReasoningQuote CallsInReasoning = "quote"
)

// Frame is what white space between text or reasoning and markers is.
type Frame string

const (
	// FrameTemplate takes it as part of the markers, as chat templates write it; the default.
	FrameTemplate Frame = "template"
	// FrameExact keeps all of it as text or reasoning.
	FrameExact Frame = "exact"
)

// EvidenceLevel is how much evidence a call needs.
type EvidenceLevel string

const (
	// EvidenceBalanced takes weak shapes as calls where nothing else can be meant; the default.
	EvidenceBalanced EvidenceLevel = "balanced"
	// EvidenceStrict takes only exact markers.
	EvidenceStrict EvidenceLevel = "strict"
	// EvidenceEager takes weak shapes at the start of any line.
	EvidenceEager EvidenceLevel = "eager"
)

// UnknownTool is what becomes of a call whose tool is not declared.
type UnknownTool string

const (
	// UnknownToolCall takes it as a call if its markers are strong and all of it reads cleanly; the default.
	UnknownToolCall UnknownTool = "call"
	// UnknownToolText takes it as text.
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
	// OutcomeComplete is a call as the dialect has it.
	OutcomeComplete Outcome = "complete"
	// OutcomeRepaired is a call that deviates from the dialect and was read all the same.
	OutcomeRepaired Outcome = "repaired"
	// OutcomeTruncated is a call that the end of the message cut off.
	OutcomeTruncated Outcome = "truncated"
	// OutcomeBroken is a call that does not go on as one.
	OutcomeBroken Outcome = "broken"
)

// Finished says whether the call may be run: it is complete or repaired.
func (o Outcome) Finished() bool { return o == OutcomeComplete || o == OutcomeRepaired }

// Protocol is what a client or a model server speaks.
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

// Engine is what serves a model.
type Engine string

// The engines that differ in what they have to be asked for.
const (
	EngineGeneric  Engine = "generic"
	EngineVLLM     Engine = "vllm"
	EngineSGLang   Engine = "sglang"
	EngineLlamaCPP Engine = "llama.cpp"
	EngineOllama   Engine = "ollama"
	EngineLMStudio Engine = "lmstudio"
	EngineMLXLM    Engine = "mlx-lm"
)

// ReasoningField is where chat clients find reasoning.
type ReasoningField string

const (
	// ReasoningFieldContent is reasoning_content; the default.
	ReasoningFieldContent ReasoningField = "reasoning_content"
	// ReasoningFieldReasoning is reasoning.
	ReasoningFieldReasoning ReasoningField = "reasoning"
	// ReasoningFieldBoth is both.
	ReasoningFieldBoth ReasoningField = "both"
)
