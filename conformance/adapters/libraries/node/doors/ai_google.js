// @ai-sdk/google's own calls.

import { createGoogleGenerativeAI, google } from "@ai-sdk/google";

export function createModel(options, model) {
  return createGoogleGenerativeAI(options)(model);
}

export function createSearch() {
  return google.tools.googleSearch({});
}
