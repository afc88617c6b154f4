// Gemini's generateContent.

import { read, stringify } from "./exact.js";
import {
  type Draft, type Format, failed, inOrder, isObject, ownId, post, saidAgain, textOf, toolCall, usage,
} from "./format.js";
import type { AssistantTurn, Conversation, Fields, News, Result, Turn } from "./protocol.js";

const MODELS = "https://generativelanguage.googleapis.com/v1beta/models";
const HEADERS = { "x-goog-api-key": "test-key" };
const MODES: { [mode: string]: string } = { none: "NONE", required: "ANY", tool: "ANY" };
const REFUSALS = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"];
const FAILURES = [
  "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE", "OTHER",
];

export const gemini: Format = {
  request(conversation, stream) {
    const { model, max_tokens, system, tools, choice } = conversation;
    const body: Fields = {
      contents: conversation.turns.map((turn) => content(turn, conversation)).filter(({ parts }) => parts.length),
      generationConfig: { maxOutputTokens: BigInt(max_tokens) },
    };
    if (system) body.systemInstruction = { parts: [{ text: system }] };
    if (tools.length) {
      const functionDeclarations = tools.map(({ name, description, parameters_json: text }) => (
        { name, description, ...(text ? { parametersJsonSchema: read(text) } : {}) }
      ));
      body.tools = [{ functionDeclarations }];
      const names = choice.mode === "tool" ? { allowedFunctionNames: [choice.name] } : {};
      const mode = MODES[choice.mode];
      if (mode) body.toolConfig = { functionCallingConfig: { mode, ...names } };
    }
    const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
    return post(`${MODELS}/${encodeURIComponent(model)}:${method}`, HEADERS, body);
  },
  turn: (body, conversation) => turnOf(body, conversation),
  draft: (conversation) => new GeminiDraft(conversation),
};

function content(turn: Turn, conversation: Conversation): Fields {
  if (turn.type === "user") return { role: "user", parts: [{ text: turn.text }] };
  if (turn.type === "results") return { role: "user", parts: inOrder(turn, conversation).map(resultPart) };
  if (turn.type !== "assistant") return { role: "user", parts: [] };
  if (turn.opaque) return { role: "model", parts: read(turn.opaque) }; // what the model said, as it came
  const said = turn.text ? [{ text: turn.text }] : [];
  const calls = (turn.calls ?? []).map((call) => (
    { functionCall: { id: call.id, name: call.name, args: saidAgain(call) } }
  ));
  return { role: "model", parts: [...said, ...calls] };
}

function resultPart(result: Result): Fields {
  const response = result.is_error ? { error: textOf(result) } : outputOf(result);
  return { functionResponse: { id: result.call_id, name: result.name, response } };
}

/** A lone value goes as it is, an object without a key around it. References in it would mean parts of the result. */
function outputOf(result: Result): Fields {
  const [first, ...others] = result.content;
  const isLone = first?.type === "json" && !others.length && !first.value_json.includes('"$ref"');
  const value = isLone ? read(first.value_json) : textOf(result);
  return isObject(value) ? value : { output: value };
}

/** The turn that the parts of a candidate amount to. A call that has no id gets one, which goes along in `opaque`. */
function turnOf(body: Fields, conversation: Conversation, stop?: AssistantTurn["stop"]): AssistantTurn {
  const candidate: Fields = body.candidates?.[0] ?? {};
  const parts: Fields[] = candidate.content?.parts ?? [];
  const asked = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
  asked.forEach((call, place) => (call.id ||= ownId(conversation, place)));
  const calls = asked.map((call) => toolCall(call.id, call.name, call.args ?? {}));
  const reason: string = candidate.finishReason ?? "";
  const turn: AssistantTurn = {
    text: parts.filter((part) => part.text && !part.thought).map((part) => part.text).join(""),
    calls,
    usage: usage(body.usageMetadata?.promptTokenCount, body.usageMetadata?.candidatesTokenCount),
    opaque: parts.length ? stringify(parts) : null,
  };
  if (stop) return { ...turn, stop };
  if (FAILURES.includes(reason)) {
    return { ...turn, stop: "error", error: { message: candidate.finishMessage ?? reason, type: reason } };
  }
  const blocked: string | undefined = body.promptFeedback?.blockReason;
  if (blocked || REFUSALS.includes(reason)) {
    return { ...turn, stop: "refusal", refusal: candidate.finishMessage ?? blocked ?? reason };
  }
  return { ...turn, stop: reason === "MAX_TOKENS" ? "length" : calls.length ? "tool_calls" : "end" };
}

/** The events of a stream: each is a whole answer with what is new. */
class GeminiDraft implements Draft {
  #parts: Fields[] = [];
  #body: Fields = {};
  #calls = 0;

  constructor(private readonly conversation: Conversation) {}

  *take(event: Fields): Generator<News> {
    const candidate: Fields = event.candidates?.[0] ?? {};
    for (const part of candidate.content?.parts ?? []) {
      this.#parts.push(part);
      if (part.text && !part.thought) yield { kind: "text", text: part.text };
      if (part.functionCall) {
        yield { kind: "call", text: part.functionCall.name, call: this.#calls };
        yield { kind: "arguments", text: stringify(part.functionCall.args ?? {}), call: this.#calls };
        yield { kind: "call_end", call: this.#calls++ };
      }
    }
    const finishReason = candidate.finishReason ?? this.#body.finishReason;
    this.#body = { ...this.#body, ...event, finishReason, finishMessage: candidate.finishMessage };
  }

  turn(whole: boolean): AssistantTurn {
    const { finishReason, finishMessage, ...body } = this.#body;
    const candidates = [{ content: { parts: this.#parts }, finishReason, finishMessage }];
    const ended = finishReason || body.promptFeedback?.blockReason;
    const turn = turnOf({ ...body, candidates }, this.conversation, ended && whole ? undefined : "incomplete");
    return body.error ? failed(body.error, null, turn) : turn;
  }
}
