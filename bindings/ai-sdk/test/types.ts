// The SDKs' own types take the middleware, and the repair.
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { generateText as generateText6, wrapLanguageModel as wrapLanguageModel6 } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { repairToolCall, toolglot, toolglotV3 } from "@toolglot/ai-sdk";

const model = wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: toolglot({ dialects: "hermes", prompt: true }) });
const model6 = wrapLanguageModel6({ model: new MockLanguageModelV3(), middleware: toolglotV3({ validation: "strict" }) });
void generateText({ model, prompt: "?", repairToolCall: repairToolCall() });
void generateText6({ model: model6, prompt: "?", experimental_repairToolCall: repairToolCall() });
// @ts-expect-error there is no such policy
toolglot({ validation: "maybe" });
