// Tools of LangChain.js's own, and those of runnables.

import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";

export function createTool(work, declared) {
  return tool(async (input) => await work(input), declared);
}

// A tool of a runnable.
export function createRunnableTool(work, declared) {
  return RunnableLambda.from(async (input) => await work(input)).asTool(declared);
}

// What a tool answers to a call: a message.
export async function invokeTool(tool, call) {
  return await tool.invoke(call);
}

export async function batchTool(tool, calls) {
  return await tool.batch(calls);
}
