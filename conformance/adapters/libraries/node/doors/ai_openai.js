// @ai-sdk/openai's own calls.

import { createOpenAI, openai } from "@ai-sdk/openai";

export function createChatModel(options, model) {
  return createOpenAI(options).chat(model);
}

export function createResponsesModel(options, model) {
  return createOpenAI(options).responses(model);
}

export function createSearch() {
  return openai.tools.webSearch({});
}

export function createPreviewSearch() {
  return openai.tools.webSearchPreview({});
}
