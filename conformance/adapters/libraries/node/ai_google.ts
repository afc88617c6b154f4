// @ai-sdk/google.

import { serveAISDK } from "./ai_sdk_ways.js";
import { GEMINI } from "./capabilities.js";
import { doors } from "./capture/doors.js";

/** The SDK goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "gemini-3-pro-preview";

const sdk = await doors("ai_google");

await serveAISDK({
  name: "ai-sdk-google",
  distribution: "@ai-sdk/google",
  providers: { gemini: GEMINI },
  needs: { server_tools: ["@ai-sdk/google:google.tools.googleSearch"] },
  model: (provider, conversation, { url, api_key }) =>
    sdk.createModel({ baseURL: `${url}/v1beta`, apiKey: api_key }, MODEL),
  key: "google",
  options: (provider, { reasoning }) => (reasoning ? { thinkingConfig: { includeThoughts: true } } : {}),
  imagesOfLoneResults: true,
  builtin: () => ["google_search", sdk.createSearch()],
});
