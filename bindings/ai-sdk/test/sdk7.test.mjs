import * as sdk from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { repairToolCall, toolglot } from "@toolglot/ai-sdk";
import { testLoop } from "./loop.mjs";

testLoop({
  name: "AI SDK 7",
  sdk,
  Model: MockLanguageModelV4,
  simulateReadableStream: sdk.simulateReadableStream,
  middleware: toolglot,
  repairOption: "repairToolCall",
  repairToolCall,
});
