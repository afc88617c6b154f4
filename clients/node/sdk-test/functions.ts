// The functions of an application, typed: what `fromFunctions` takes and gives back.

import { type FoundCall, type Functions, fromFunctions } from "../src/functions.js";

const anthropic: Functions = {
  parseToolCalls: (body: { content: ({ type: string } & FoundCall)[] }) =>
    body.content.filter((block) => block.type === "tool_use"),
  buildToolResults: (calls, outputs) => ({
    role: "user",
    content: calls.map((call) => {
      const output = outputs.find((one) => one.id === call.id);
      return { type: "tool_result", tool_use_id: call.id, content: output?.outputText ?? "", is_error: output?.isError };
    }),
  }),
  convertTools: async (tools) => tools.map((tool) => ({ name: tool.name, input_schema: tool.parameters })),
};

// @ts-expect-error without buildToolResults
const half: Functions = { parseToolCalls: () => [] };

export const adapter = fromFunctions({ name: "mine", providers: { anthropic, "openai-chat": half } });
