// @langchain/google-genai's own calls.

export { ChatGoogleGenerativeAI } from "@langchain/google-genai";
