// @ai-sdk/anthropic.

import { serveAISDK } from "./ai_sdk_ways.js";
import { ANTHROPIC } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import type { Conversation, Fields } from "./protocol.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "claude-sonnet-4-5";
const BUDGET = 1024;

function options(provider: string, { reasoning, choice }: Conversation): Fields {
  const parallel = choice.parallel === null ? {} : { disableParallelToolUse: !choice.parallel };
  return { ...parallel, ...(reasoning ? { thinking: { type: "enabled", budgetTokens: BUDGET } } : {}) };
}

const sdk = await doors("ai_anthropic");

await serveAISDK({
  name: "ai-sdk-anthropic",
  distribution: "@ai-sdk/anthropic",
  providers: { anthropic: ANTHROPIC },
  needs: { server_tools: ["@ai-sdk/anthropic:anthropic.tools.webSearch_20250305"] },
  model: (provider, conversation, { url, api_key }) =>
    sdk.createModel({ baseURL: `${url}/v1`, apiKey: api_key }, MODEL),
  key: "anthropic",
  options,
  builtin: () => ["web_search", sdk.createSearch()],
});
