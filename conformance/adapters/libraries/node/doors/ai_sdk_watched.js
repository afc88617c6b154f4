// The AI SDK's calls with functions that are told of all that happens, and settings that change nothing.

import { generateText, jsonSchema, streamText, tool, ToolLoopAgent } from "ai";

// What is told of a run.
export function listeners() {
  const told = () => {};
  const steps = { onStart: told, onStepStart: told, onStepEnd: told, onEnd: told };
  return { ...steps, onToolExecutionStart: told, onToolExecutionEnd: told };
}

// Settings that a run has without them: all tools, in their order, each as the model called it.
export function settings(names) {
  const ofAll = (value) => Object.fromEntries(names.map((name) => [name, value]));
  const order = { activeTools: names, toolOrder: names, toolCallConcurrency: 8 };
  const refined = { experimental_refineToolInput: ofAll((input) => input) };
  const callers = { experimental_toolCallers: ofAll(["AI_SDK_DIRECT_TOOL_CALL"]) };
  const calls = { repairToolCall: () => null, telemetry: { isEnabled: false } };
  return { ...order, ...refined, ...callers, ...calls, toolsContext: ofAll({ name: "own" }) };
}

// One step.
export async function generateStep({ messages, ...asked }) {
  const own = { ...settings(Object.keys(asked.tools ?? {})), ...listeners() };
  return await generateText({ ...own, ...asked, prompt: messages, timeout: { toolMs: 60000 } });
}

// The parts of a stream and, unless an error is one of them, the step that they amount to.
export async function streamStep({ messages, ...asked }) {
  const result = streamText({ ...watched(asked), prompt: messages });
  const parts = [];
  for await (const part of result.fullStream) parts.push(part);
  if (parts.some((part) => part.type === "error")) return { parts };
  const [step] = await result.steps;
  return { parts, step };
}

// What a stream is asked, with what is told of it, and a transformation that changes nothing.
export function watched(asked) {
  const own = { ...settings(Object.keys(asked.tools ?? {})), ...listeners(), onChunk: () => {} };
  const transform = { experimental_transform: () => new TransformStream() };
  const approval = { toolApproval: () => "not-applicable" };
  const secret = { experimental_toolApprovalSecret: "secret" };
  return { ...own, ...asked, ...transform, ...approval, ...secret, onError: () => {} };
}

// The parts of a stream, as they come. Whoever leaves it stops the call as the SDK documents it.
export async function* eachPart({ messages, ...asked }) {
  const stopping = new AbortController();
  try {
    const own = { ...watched(asked), prompt: messages };
    yield* streamText({ ...own, abortSignal: stopping.signal }).fullStream;
  } finally {
    stopping.abort();
  }
}

// A tool with a context, which says itself how the model is told what it gives.
export function createTool(declared, work) {
  const contextSchema = jsonSchema({ type: "object", properties: { name: { type: "string" } } });
  const toModelOutput = ({ output }) => ({ type: "text", value: output });
  const execute = async (input) => await work(input);
  return tool({ ...declared, contextSchema, execute, toModelOutput });
}

// An agent whose tools are approved of, each with its context.
export function createAgent(asked) {
  const names = Object.keys(asked.tools);
  const approving = { toolApproval: () => "approved", experimental_toolApprovalSecret: "secret" };
  const own = { ...settings(names), ...listeners() };
  return new ToolLoopAgent({ ...own, ...asked, ...approving });
}

// What an agent says at the end.
export async function generate({ prompt, ...asked }) {
  const own = { prompt, ...listeners(), timeout: { toolMs: 60000 } };
  const { text } = await createAgent(asked).generate(own);
  return text;
}

// The same, streamed.
export async function stream({ prompt, ...asked }) {
  const transform = () => new TransformStream();
  const own = { prompt, ...listeners(), experimental_transform: transform };
  const result = await createAgent(asked).stream(own);
  for await (const part of result.fullStream) if (part.type === "error") throw part.error;
  return await result.text;
}
