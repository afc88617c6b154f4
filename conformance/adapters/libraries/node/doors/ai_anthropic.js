// @ai-sdk/anthropic's own calls.

import { anthropic, createAnthropic } from "@ai-sdk/anthropic";

export function createModel(options, model) {
  return createAnthropic(options)(model);
}

export function createSearch() {
  return anthropic.tools.webSearch_20250305({});
}
