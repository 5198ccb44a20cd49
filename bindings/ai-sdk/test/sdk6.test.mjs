import * as sdk from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";

import { repairToolCall, toolglotV6 } from "@toolglot/ai-sdk";
import { testLoop } from "./loop.mjs";

testLoop({
  name: "AI SDK 6",
  sdk,
  Model: MockLanguageModelV3,
  simulateReadableStream: sdk.simulateReadableStream,
  middleware: toolglotV6,
  repairOption: "experimental_repairToolCall",
  repairToolCall,
});
