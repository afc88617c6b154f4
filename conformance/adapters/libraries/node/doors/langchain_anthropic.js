// @langchain/anthropic's own calls.

export { ChatAnthropic } from "@langchain/anthropic";
