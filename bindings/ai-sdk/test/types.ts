// The SDKs' own types take the middleware, and the repair.
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { generateText as generateText6, wrapLanguageModel as wrapLanguageModel6 } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { generateText as generateText5, wrapLanguageModel as wrapLanguageModel5 } from "ai-5";
import { MockLanguageModelV2 } from "ai-5/test";
import { repairToolCall, toolglot, toolglotV5, toolglotV6 } from "@toolglot/ai-sdk";

const model = wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: toolglot({ dialects: "hermes", prompt: true }) });
const model6 = wrapLanguageModel6({ model: new MockLanguageModelV3(), middleware: toolglotV6({ validation: "strict" }) });
const model5 = wrapLanguageModel5({ model: new MockLanguageModelV2(), middleware: toolglotV5() });
void generateText({ model, prompt: "?", repairToolCall: repairToolCall() });
void generateText6({ model: model6, prompt: "?", experimental_repairToolCall: repairToolCall() });
void generateText5({ model: model5, prompt: "?", experimental_repairToolCall: repairToolCall() });
// @ts-expect-error a middleware is of one version
wrapLanguageModel6({ model: new MockLanguageModelV3(), middleware: toolglot() });
// @ts-expect-error there is no such policy
toolglot({ validation: "maybe" });
