// LangChain.js's agent.

import { createAgent, createMiddleware } from "langchain";

export function createPlainAgent(settings) {
  return createAgent(settings);
}

// An agent with a middleware, which is asked before each call of the model and of a tool.
export function createWatchedAgent(settings) {
  const calls = { wrapToolCall: (request, handler) => handler(request) };
  const models = { wrapModelCall: (request, handler) => handler(request) };
  const middleware = [createMiddleware({ name: "watching", ...calls, ...models })];
  return createAgent({ ...settings, middleware }).withConfig({ recursionLimit: 50 });
}

// What an agent says at the end.
export async function invoke(agent, task) {
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: task }] });
  return messages.at(-1).text;
}

// The same, streamed token by token.
export async function stream(agent, task) {
  const asked = { messages: [{ role: "user", content: task }] };
  let last;
  const streamed = await agent.stream(asked, { streamMode: ["messages", "values"] });
  for await (const [mode, piece] of streamed) {
    if (mode === "values") last = piece.messages.at(-1);
  }
  return last.text;
}

// The same, by the events of all that is called.
export async function streamEvents(agent, task) {
  const asked = { messages: [{ role: "user", content: task }] };
  let last;
  for await (const { event, data } of agent.streamEvents(asked, { version: "v2" })) {
    if (event === "on_chat_model_end") last = data.output;
  }
  return last.text;
}
