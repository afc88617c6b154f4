// The AI SDK's own calls, for all providers.

import { streamText } from "ai";

export { generateText, jsonSchema, tool } from "ai";

// The parts of a stream and, unless an error is one of them, the step that they amount to.
export async function streamStep(asked) {
  const result = streamText({ ...asked, onError: () => {} });
  const parts = [];
  for await (const part of result.fullStream) parts.push(part);
  if (parts.some((part) => part.type === "error")) return { parts };
  const [step] = await result.steps;
  return { parts, step };
}

// The parts of a stream, as they come. Whoever leaves it stops the call as the SDK documents it.
export async function* eachPart(asked) {
  const stopping = new AbortController();
  try {
    yield* streamText({ ...asked, onError: () => {}, abortSignal: stopping.signal }).fullStream;
  } finally {
    stopping.abort();
  }
}

// A message of the SDK's own, its calls under ids that the application gave.
export function underIds(message, ids) {
  const content = message.content.map((part) => {
    const own = part.type === "tool-call" && !part.providerExecuted;
    return own ? { ...part, toolCallId: ids.shift() } : part;
  });
  return { ...message, content };
}
