// @ai-sdk/anthropic.

import { AISDK } from "./ai_sdk.js";
import { ANTHROPIC } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import type { Conversation, Fields } from "./protocol.js";
import { serve } from "./protocol.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "claude-sonnet-4-5";
const BUDGET = 1024;

function options(provider: string, { reasoning, choice }: Conversation): Fields {
  const parallel = choice.parallel === null ? {} : { disableParallelToolUse: !choice.parallel };
  return { ...parallel, ...(reasoning ? { thinking: { type: "enabled", budgetTokens: BUDGET } } : {}) };
}

const sdk = await doors("ai_anthropic");

await serve(
  new AISDK({
    name: "ai-sdk-anthropic",
    distribution: "@ai-sdk/anthropic",
    providers: { anthropic: ANTHROPIC },
    model: (provider, conversation, { url, api_key }) =>
      sdk.createModel({ baseURL: `${url}/v1`, apiKey: api_key }, MODEL),
    key: "anthropic",
    options,
    builtin: () => ["web_search", sdk.createSearch()],
  }),
);
