// The AI SDK's agent, for all providers.

import { ToolLoopAgent } from "ai";

// One step: tools that the application runs end it.
export async function generateStep({ messages, ...settings }) {
  return await new ToolLoopAgent(settings).generate({ messages });
}

// The parts of a stream and, unless an error is one of them, the step that they amount to.
export async function streamStep({ messages, ...settings }) {
  const result = await new ToolLoopAgent(settings).stream({ messages });
  const parts = [];
  for await (const part of result.fullStream) parts.push(part);
  if (parts.some((part) => part.type === "error")) return { parts };
  const [step] = await result.steps;
  return { parts, step };
}

// The parts of a stream, as they come. Whoever leaves it stops the call as the SDK documents it.
export async function* eachPart({ messages, ...settings }) {
  const stopping = new AbortController();
  try {
    const agent = new ToolLoopAgent(settings);
    yield* (await agent.stream({ messages, abortSignal: stopping.signal })).fullStream;
  } finally {
    stopping.abort();
  }
}

// What an agent says at the end.
export async function generate({ prompt, ...settings }) {
  const { text } = await new ToolLoopAgent(settings).generate({ prompt });
  return text;
}

// The same, streamed.
export async function stream({ prompt, ...settings }) {
  const result = await new ToolLoopAgent(settings).stream({ prompt });
  for await (const part of result.fullStream) if (part.type === "error") throw part.error;
  return await result.text;
}
