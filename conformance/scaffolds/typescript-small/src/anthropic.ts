// Anthropic's Messages.

import { read, stringify } from "./exact.js";
import {
  type Draft, type Format, failed, inOrder, meant, post, saidAgain, schema, textOf, toolCall, usage,
} from "./format.js";
import type { AssistantTurn, Conversation, Fields, News, Result, Turn } from "./protocol.js";

const URL = "https://api.anthropic.com/v1/messages";
const HEADERS = { "x-api-key": "test-key", "anthropic-version": "2023-06-01" };
const CHOICES = { auto: "auto", none: "none", required: "any", tool: "tool" };
const STOPS: { [reason: string]: AssistantTurn["stop"] } = {
  max_tokens: "length", model_context_window_exceeded: "length", pause_turn: "pause", refusal: "refusal",
};

export const anthropic: Format = {
  request(conversation, stream) {
    const { model, max_tokens, system, tools, choice } = conversation;
    const body: Fields = {
      model,
      max_tokens: BigInt(max_tokens),
      messages: conversation.turns.map((turn) => message(turn, conversation)).filter(({ content }) => content.length),
    };
    if (system) body.system = system;
    if (tools.length) {
      body.tools = tools.map((tool) => (
        { name: tool.name, description: tool.description, input_schema: rooted(schema(tool)) }
      ));
      body.tool_choice = { type: CHOICES[choice.mode], ...(choice.name ? { name: choice.name } : {}) };
    }
    if (stream) body.stream = true;
    return post(URL, HEADERS, body);
  },
  turn: (body) => turnOf(body),
  draft: () => new AnthropicDraft(),
};

/** Anthropic takes no combination of schemas at the root: what the branches have may all be there. */
function rooted({ anyOf = [], oneOf = [], allOf = [], ...rest }: Fields): Fields {
  const branches: Fields[] = [...anyOf, ...oneOf, ...allOf];
  const properties = Object.assign({}, ...branches.map((branch) => branch.properties), rest.properties);
  return branches.length ? { ...rest, properties } : rest;
}

function message(turn: Turn, conversation: Conversation): Fields {
  if (turn.type === "user") return { role: "user", content: turn.text };
  if (turn.type === "results") return { role: "user", content: inOrder(turn, conversation).map(resultBlock) };
  if (turn.type !== "assistant") return { role: "user", content: "" };
  if (turn.opaque) return { role: "assistant", content: read(turn.opaque) }; // what the model said, as it came
  const said = turn.text ? [{ type: "text", text: turn.text }] : [];
  const calls = (turn.calls ?? []).map((call) => (
    { type: "tool_use", id: call.id, name: call.name, input: saidAgain(call) }
  ));
  return { role: "assistant", content: [...said, ...calls] };
}

function resultBlock(result: Result): Fields {
  const block = { type: "tool_result", tool_use_id: result.call_id, content: textOf(result) };
  return result.is_error ? { ...block, is_error: true, content: block.content || "failed" } : block;
}

/** The turn that content blocks amount to. */
function turnOf(body: Fields, stop?: AssistantTurn["stop"]): AssistantTurn {
  const blocks: Fields[] = body.content;
  const calls = blocks.filter((one) => one.type === "tool_use").map((one) => toolCall(one.id, one.name, one.input));
  const kept = blocks.filter((one) => one.text !== ""); // empty text is not taken back
  return {
    text: blocks.filter((one) => one.type === "text").map((one) => one.text).join(""),
    calls,
    stop: stop ?? STOPS[body.stop_reason] ?? (calls.length ? "tool_calls" : "end"),
    usage: usage(body.usage.input_tokens, body.usage.output_tokens),
    opaque: kept.length && !calls.some((call) => call.invalid) ? stringify(kept) : null,
  };
}

/** The events of a stream, put together into the body of a complete answer. */
class AnthropicDraft implements Draft {
  #body: Fields = { content: [], stop_reason: null, usage: {} };
  #calls: Fields[] = [];
  /** The texts of inputs, by the blocks that they belong to. */
  #texts = new Map<Fields, string>();
  #ended = new Set<Fields>();
  #whole = false;
  #error: Fields | null = null;

  *take(event: Fields): Generator<News> {
    const block: Fields = this.#body.content[Number(event.index ?? 0)];
    if (event.type === "message_start") Object.assign(this.#body.usage, event.message.usage);
    if (event.type === "content_block_start") yield* this.#begin(event.content_block);
    if (event.type === "content_block_delta") yield* this.#add(block, event.delta);
    if (event.type === "content_block_stop") {
      this.#ended.add(block);
      if (this.#texts.has(block)) block.input = meant(this.#texts.get(block)!);
      if (this.#calls.includes(block)) yield { kind: "call_end", call: this.#calls.indexOf(block) };
    }
    if (event.type === "message_delta") {
      Object.assign(this.#body, event.delta);
      Object.assign(this.#body.usage, event.usage);
    }
    if (event.type === "message_stop") this.#whole = true;
    if (event.type === "error") this.#error = event.error;
  }

  *#begin(block: Fields): Generator<News> {
    this.#body.content.push(block);
    if (block.type !== "tool_use") return;
    this.#calls.push(block);
    yield { kind: "call", text: block.name, call: this.#calls.length - 1 };
  }

  *#add(block: Fields, delta: Fields): Generator<News> {
    if (delta.type === "text_delta") {
      block.text += delta.text;
      yield { kind: "text", text: delta.text };
    }
    if (delta.type === "input_json_delta" && delta.partial_json) {
      this.#texts.set(block, (this.#texts.get(block) ?? "") + delta.partial_json);
      if (this.#calls.includes(block)) {
        yield { kind: "arguments", text: delta.partial_json, call: this.#calls.indexOf(block) };
      }
    }
  }

  turn(whole: boolean): AssistantTurn {
    for (const call of this.#calls) {
      if (!this.#ended.has(call)) call.input = this.#texts.get(call) ?? ""; // it was cut off
    }
    const turn = turnOf(this.#body, this.#whole && whole ? undefined : "incomplete");
    return this.#error ? failed(this.#error, null, turn) : turn;
  }
}
