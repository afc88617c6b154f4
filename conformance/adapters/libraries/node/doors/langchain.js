// LangChain.js's own calls, for all chat models.

import { mapStoredMessagesToChatMessages } from "@langchain/core/messages";

export { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

export function bindTools(model, tools, options) {
  return model.bindTools(tools, options);
}

export async function invoke(model, messages) {
  return await model.invoke(messages);
}

// The chunks of a stream, as they come.
export async function* eachChunk(model, messages) {
  yield* await model.stream(messages);
}

// The chunks of a stream put together, undefined where there is none.
export async function collect(model, messages) {
  let whole;
  for await (const chunk of await model.stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

export async function batch(model, messages) {
  const [answer] = await model.batch([messages], { maxConcurrency: 1 });
  return answer;
}

// The chunks of a stream that goes on from another one.
export async function* transform(model, messages) {
  const given = ReadableStream.from([messages]);
  yield* model.transform(given, {});
}

export async function collectTransformed(model, messages) {
  let whole;
  for await (const chunk of transform(model, messages)) whole = whole ? whole.concat(chunk) : chunk;
  return whole;
}

export function withConfig(model, options) {
  return model.withConfig(options);
}

export async function invokeWith(model, messages, options) {
  return await model.invoke(messages, options);
}

export async function* eachChunkWith(model, messages, options) {
  yield* await model.stream(messages, options);
}

export async function collectWith(model, messages, options) {
  let whole;
  for await (const chunk of await model.stream(messages, options)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

export async function generateWith(model, messages, options) {
  const { generations } = await model.generate([messages], options);
  return generations[0][0].message;
}

// The message that the events of a stream amount to.
export async function collectEvents(model, messages, options) {
  return await model.streamEvents(messages, options);
}

// The same, of what goes around a model: the events of all that is called tell it.
export async function collectAllEvents(model, messages) {
  let whole;
  for await (const { event, data } of model.streamEvents(messages, { version: "v2" })) {
    if (event === "on_chat_model_end") whole = data.output;
  }
  return whole;
}

// What calls the model once, and is told of it.
export function withRetry(model) {
  return model.withListeners({ onEnd: () => {} }).withRetry({ stopAfterAttempt: 1 });
}

export function withRetryAndConfig(model) {
  return withRetry(model).withConfig({ tags: ["once"] }).withRetry({ stopAfterAttempt: 1 });
}

// A model with another one, which is asked where the first fails.
export function withFallback(model, other) {
  return model.withFallbacks({ fallbacks: [other] });
}

// A model whose answers go on to a function.
export function piped(model) {
  return model.pipe((message) => message);
}

// A message as it is stored, and a message again.
export function stored(message) {
  return message.toDict();
}

export function restored(dictionary) {
  const [message] = mapStoredMessagesToChatMessages([dictionary]);
  return message;
}
