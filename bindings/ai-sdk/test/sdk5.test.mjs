import * as sdk from "ai-5";
import { MockLanguageModelV2 } from "ai-5/test";

import { repairToolCall, toolglotV5 } from "@toolglot/ai-sdk";
import { testLoop } from "./loop.mjs";

testLoop({
  name: "AI SDK 5",
  sdk,
  Model: MockLanguageModelV2,
  simulateReadableStream: sdk.simulateReadableStream,
  middleware: toolglotV5,
  repairOption: "experimental_repairToolCall",
  repairToolCall,
  finish: (unified) => unified,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
});
