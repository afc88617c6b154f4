// @ai-sdk/openai, on Chat Completions and on Responses.

import { createOpenAI } from "@ai-sdk/openai";

import { AISDK } from "./ai_sdk.js";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "./capabilities.js";
import type { Conversation, Endpoint, Fields } from "./protocol.js";
import { serve } from "./protocol.js";

const THINKING = { forceReasoning: true, reasoningEffort: "medium", reasoningSummary: "auto" };

/** The whole history goes with each call: without `store: false` the SDK refers to what OpenAI has stored. */
function options(provider: string, { reasoning, choice }: Conversation): Fields {
  const parallel = choice.parallel === null ? {} : { parallelToolCalls: choice.parallel };
  if (provider === "openai-chat") return { openai: parallel };
  return { openai: { store: false, ...parallel, ...(reasoning ? THINKING : {}) } };
}

const openai = ({ url, api_key }: Endpoint) => createOpenAI({ baseURL: url, apiKey: api_key });

await serve(
  new AISDK({
    name: "ai-sdk-openai",
    distribution: "@ai-sdk/openai",
    providers: { "openai-chat": OPENAI_CHAT, "openai-responses": OPENAI_RESPONSES },
    model: (provider, { model }, endpoint) =>
      provider === "openai-chat" ? openai(endpoint).chat(model) : openai(endpoint).responses(model),
    options,
    builtin: () => ["web_search", createOpenAI({ apiKey: "" }).tools.webSearch({})],
  }),
);
