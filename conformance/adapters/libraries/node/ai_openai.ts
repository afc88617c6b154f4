// @ai-sdk/openai, on Chat Completions and on Responses.

import { serveAISDK } from "./ai_sdk_ways.js";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import type { Conversation, Fields } from "./protocol.js";

const THINKING = { forceReasoning: true, reasoningEffort: "medium", reasoningSummary: "auto" };

/** The whole history goes with each call: without `store: false` the SDK refers to what OpenAI has stored. */
function options(provider: string, { reasoning, choice }: Conversation): Fields {
  const parallel = choice.parallel === null ? {} : { parallelToolCalls: choice.parallel };
  return provider === "openai-chat" ? parallel : { store: false, ...parallel, ...(reasoning ? THINKING : {}) };
}

const sdk = await doors("ai_openai");

await serveAISDK({
  name: "ai-sdk-openai",
  distribution: "@ai-sdk/openai",
  providers: { "openai-chat": OPENAI_CHAT, "openai-responses": OPENAI_RESPONSES },
  needs: { server_tools: ["@ai-sdk/openai:openai.tools.webSearch"] },
  model: (provider, { model }, { url, api_key }) => {
    const make = provider === "openai-chat" ? sdk.createChatModel : sdk.createResponsesModel;
    return make({ baseURL: url, apiKey: api_key }, model);
  },
  key: "openai",
  options,
  builtin: ({ builtin }) => (
    builtin === "web_search_preview" ? [builtin, sdk.createPreviewSearch()] : ["web_search", sdk.createSearch()]
  ),
});
