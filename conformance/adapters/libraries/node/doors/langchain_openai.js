// @langchain/openai's own calls.

export { AzureChatOpenAI, ChatOpenAI } from "@langchain/openai";
