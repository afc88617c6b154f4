// @langchain/google-genai: `ChatGoogleGenerativeAI`.

import { GEMINI } from "./capabilities.js";
import { doors } from "./capture/doors.js";
import { serveLangChain } from "./langchain_ways.js";

const { ChatGoogleGenerativeAI } = await doors("langchain_google_genai");

/** The library goes by the model's name, and ours says nothing about what it can do. */
const MODEL = "gemini-3-pro-preview";

await serveLangChain({
  name: "langchain-js-google-genai",
  distribution: "@langchain/google-genai",
  providers: { gemini: GEMINI },
  model: (provider, { max_tokens, reasoning }, { url, api_key }) =>
    new ChatGoogleGenerativeAI({
      model: MODEL,
      apiKey: api_key,
      baseUrl: url,
      maxOutputTokens: max_tokens,
      maxRetries: 0,
      ...(reasoning ? { thinkingConfig: { includeThoughts: true } } : {}),
    }),
  builtin: () => ({ googleSearch: {} }),
  imagesOfLoneResults: true,
  // Google's SDK quotes what it could not read: half a document begins like a whole one.
  brokenOff: (problem) => problem?.message?.startsWith('[GoogleGenerativeAI Error]: Error parsing JSON response: "{'),
  raised: (problem) => {
    if (problem?.name === "EmptyContentError") return problem.finishReason ?? problem.blockReason;
  },
});
