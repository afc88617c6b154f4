// @ai-sdk/google.

import { AISDK } from "./ai_sdk.js";
import { GEMINI } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import { serve } from "./protocol.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "gemini-3-pro-preview";

const sdk = await doors("ai_google");

await serve(
  new AISDK({
    name: "ai-sdk-google",
    distribution: "@ai-sdk/google",
    providers: { gemini: GEMINI },
    model: (provider, conversation, { url, api_key }) =>
      sdk.createModel({ baseURL: `${url}/v1beta`, apiKey: api_key }, MODEL),
    key: "google",
    options: (provider, { reasoning }) => (reasoning ? { thinkingConfig: { includeThoughts: true } } : {}),
    imagesOfLoneResults: true,
    builtin: () => ["google_search", sdk.createSearch()],
  }),
);
