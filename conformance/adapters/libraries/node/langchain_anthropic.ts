// @langchain/anthropic: `ChatAnthropic`.

import { ANTHROPIC } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import { strictness, toolChoice } from "./langchain.js";
import { serveLangChain } from "./langchain_ways.js";
import type { Conversation, Endpoint, Fields } from "./protocol.js";

const { ChatAnthropic } = await doors("langchain_anthropic");

/** The library goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "claude-sonnet-4-5";
const BUDGET = 1024;

function model(provider: string, conversation: Conversation, { url, api_key }: Endpoint): any {
  const shared = { model: MODEL, apiKey: api_key, anthropicApiUrl: url, maxRetries: 0 };
  if (!conversation.reasoning) return new ChatAnthropic({ ...shared, maxTokens: conversation.max_tokens });
  return new ChatAnthropic({
    ...shared,
    maxTokens: BUDGET + conversation.max_tokens,
    thinking: { type: "enabled", budget_tokens: BUDGET },
  });
}

/** The choice in Anthropic's own form where it must say more than a word. Claude cannot be forced while it thinks. */
function binding(conversation: Conversation): Fields {
  const chosen = conversation.reasoning ? undefined : toolChoice(conversation);
  const strict = strictness(conversation);
  if (conversation.choice.parallel !== false) return chosen === undefined ? strict : { ...strict, tool_choice: chosen };
  const named = chosen !== undefined && !["any", "none"].includes(chosen);
  const choice = named ? { type: "tool", name: chosen } : { type: chosen ?? "auto" };
  return { ...strict, tool_choice: { ...choice, disable_parallel_tool_use: true } };
}

await serveLangChain({
  name: "langchain-js-anthropic",
  distribution: "@langchain/anthropic",
  providers: { anthropic: ANTHROPIC },
  model,
  binding,
  builtin: (tool) => ({ type: `${tool.builtin}_20250305`, name: tool.builtin }),
});
