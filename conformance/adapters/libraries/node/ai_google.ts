// @ai-sdk/google.

import { createGoogleGenerativeAI } from "@ai-sdk/google";

import { AISDK } from "./ai_sdk.js";
import { GEMINI } from "./capabilities.js";
import { serve } from "./protocol.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "gemini-3-pro-preview";

await serve(
  new AISDK({
    name: "ai-sdk-google",
    distribution: "@ai-sdk/google",
    providers: { gemini: GEMINI },
    model: (provider, conversation, { url, api_key }) =>
      createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: api_key })(MODEL),
    options: (provider, { reasoning }) => ({ google: reasoning ? { thinkingConfig: { includeThoughts: true } } : {} }),
    imagesOfLoneResults: true,
    builtin: () => ["google_search", createGoogleGenerativeAI({ apiKey: "" }).tools.googleSearch({})],
  }),
);
