// What a library can do that puts nothing in the way of the provider.

const COMMON = [
  "blocking", "decisions", "error_results", "errors", "foreign_history", "image_results", "json_results", "mcp_names",
  "parallel_calls", "refusal", "streaming", "tool_choice",
];

export const OPENAI_CHAT = [...COMMON, "parallel_switch", "strict"];
export const OPENAI_RESPONSES = [...OPENAI_CHAT, "reasoning", "server_tools"];
export const ANTHROPIC = [...COMMON, "parallel_switch", "reasoning", "server_tools", "strict"];
export const GEMINI = [...COMMON, "reasoning", "server_tools"];
