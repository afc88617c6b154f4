// The AI SDK's loop over tools, for all providers.

import { generateText, stepCountIs, streamText, tool } from "ai";

// A tool that the SDK runs.
export function createTool(declared, work) {
  return tool({ ...declared, execute: async (input) => await work(input) });
}

// What is said at the end.
export async function generate(asked) {
  const { text } = await generateText({ ...asked, stopWhen: stepCountIs(20) });
  return text;
}

// The same, streamed.
export async function stream(asked) {
  const result = streamText({ ...asked, stopWhen: stepCountIs(20), onError: () => {} });
  for await (const part of result.fullStream) if (part.type === "error") throw part.error;
  return await result.text;
}
