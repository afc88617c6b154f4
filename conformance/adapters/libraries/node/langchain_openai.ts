// @langchain/openai: `ChatOpenAI` on Chat Completions and on Responses, and `AzureChatOpenAI`.

import { OPENAI_CHAT, OPENAI_RESPONSES } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import { serveLangChain } from "./langchain_ways.js";
import type { Conversation, Endpoint } from "./protocol.js";

const { AzureChatOpenAI, ChatOpenAI } = await doors("langchain_openai");

const AZURE_VERSION = "2024-10-21";

function model(provider: string, conversation: Conversation, { url, api_key }: Endpoint): any {
  const shared = { model: conversation.model, maxTokens: conversation.max_tokens, maxRetries: 0, streamUsage: true };
  if (provider === "azure") {
    return new AzureChatOpenAI({
      ...shared,
      azureOpenAIEndpoint: url,
      azureOpenAIApiKey: api_key,
      azureOpenAIApiDeploymentName: conversation.model,
      azureOpenAIApiVersion: AZURE_VERSION,
    });
  }
  const thinking = conversation.reasoning ? { reasoning: { effort: "medium", summary: "auto" } as const } : {};
  return new ChatOpenAI({
    ...shared,
    apiKey: api_key,
    configuration: { baseURL: url },
    ...(provider === "openai-responses" ? { useResponsesApi: true, zdrEnabled: true, ...thinking } : {}),
  });
}

await serveLangChain({
  name: "langchain-js-openai",
  distribution: "@langchain/openai",
  providers: { "openai-chat": OPENAI_CHAT, "openai-responses": OPENAI_RESPONSES, azure: OPENAI_CHAT },
  model,
  builtin: (tool) => ({ type: tool.builtin }),
});
