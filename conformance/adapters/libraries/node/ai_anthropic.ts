// @ai-sdk/anthropic.

import { createAnthropic } from "@ai-sdk/anthropic";

import { AISDK } from "./ai_sdk.js";
import { ANTHROPIC } from "./capabilities.js";
import type { Conversation, Fields } from "./protocol.js";
import { serve } from "./protocol.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "claude-sonnet-4-5";
const BUDGET = 1024;

function options(provider: string, { reasoning, choice }: Conversation): Fields {
  const parallel = choice.parallel === null ? {} : { disableParallelToolUse: !choice.parallel };
  return { anthropic: { ...parallel, ...(reasoning ? { thinking: { type: "enabled", budgetTokens: BUDGET } } : {}) } };
}

await serve(
  new AISDK({
    name: "ai-sdk-anthropic",
    distribution: "@ai-sdk/anthropic",
    providers: { anthropic: ANTHROPIC },
    model: (provider, conversation, { url, api_key }) =>
      createAnthropic({ baseURL: `${url}/v1`, apiKey: api_key })(MODEL),
    options,
    builtin: () => ["web_search", createAnthropic({ apiKey: "" }).tools.webSearch_20250305({})],
  }),
);
