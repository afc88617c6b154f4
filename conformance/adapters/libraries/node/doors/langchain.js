// LangChain.js's own calls, for all chat models.

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
