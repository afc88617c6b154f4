// OpenAI's Responses.

import { read, stringify } from "./exact.js";
import {
  type Draft, type Format, failed, inOrder, meant, post, saidAgain, schema, textOf, toolCall, usage,
} from "./format.js";
import type { AssistantTurn, Conversation, Fields, News, Result, Turn } from "./protocol.js";

const URL = "https://api.openai.com/v1/responses";
const HEADERS = { authorization: "Bearer test-key" };

export const openaiResponses: Format = {
  request(conversation, stream) {
    const { model, max_tokens, system, tools, choice } = conversation;
    const body: Fields = {
      model,
      max_output_tokens: BigInt(max_tokens),
      input: conversation.turns.flatMap((turn) => items(turn, conversation)),
    };
    if (system) body.instructions = system;
    if (tools.length) {
      body.tools = tools.map((tool) => (
        { type: "function", name: tool.name, description: tool.description, parameters: schema(tool), strict: false }
      ));
      if (choice.mode === "tool") body.tool_choice = { type: "function", name: choice.name };
      else if (choice.mode !== "auto") body.tool_choice = choice.mode;
    }
    if (stream) body.stream = true;
    return post(URL, HEADERS, body);
  },
  turn: (body) => turnOf(body),
  draft: () => new ResponsesDraft(),
};

function items(turn: Turn, conversation: Conversation): Fields[] {
  if (turn.type === "user") return [{ role: "user", content: turn.text }];
  if (turn.type === "results") return inOrder(turn, conversation).map(outputItem);
  if (turn.type !== "assistant") return [];
  if (turn.opaque) return read(turn.opaque); // what the model said, as it came
  const said = turn.text ? [{ role: "assistant", content: turn.text }] : [];
  const calls = (turn.calls ?? []).map((call) => (
    { type: "function_call", call_id: call.id, name: call.name, arguments: stringify(saidAgain(call)) }
  ));
  return [...said, ...calls];
}

/** A result. The format has no mark for failures, so they are told in words. */
function outputItem(result: Result): Fields {
  const output = result.is_error ? stringify({ error: textOf(result) }) : textOf(result);
  return { type: "function_call_output", call_id: result.call_id, output };
}

/** The turn that a response amounts to. */
function turnOf(response: Fields, stop?: AssistantTurn["stop"]): AssistantTurn {
  const output: Fields[] = response.output ?? [];
  const asked = output.filter((item) => item.type === "function_call");
  const calls = asked.map((item) => toolCall(item.call_id, item.name, argumentsOf(item)));
  const turn: AssistantTurn = {
    text: said(output, "output_text", "text"),
    refusal: said(output, "refusal", "refusal") || null,
    calls,
    usage: response.usage ? usage(response.usage.input_tokens, response.usage.output_tokens) : null,
    opaque: output.length && !stop && !calls.some((call) => call.invalid) ? stringify(output) : null,
  };
  if (response.error || response.status === "failed") return failed(response.error ?? {}, null, turn);
  return { ...turn, stop: stop ?? stopOf(response, turn) };
}

/** Arguments that were cut off are none, even if what came happens to be an object. */
function argumentsOf(item: Fields): any {
  const text: string = item.arguments ?? "";
  if (item.status === "incomplete") return text;
  return ["", "null"].includes(text.trim()) ? {} : meant(text);
}

function said(output: Fields[], kind: string, key: string): string {
  const parts: Fields[] = output.filter((item) => item.type === "message").flatMap((item) => item.content ?? []);
  return parts.filter((part) => part.type === kind).map((part) => part[key]).join("");
}

function stopOf(response: Fields, { calls, refusal }: AssistantTurn): AssistantTurn["stop"] {
  const { status, incomplete_details: details } = response;
  if (status === "incomplete" && details?.reason === "max_output_tokens") return "length";
  if (refusal || (status === "incomplete" && details?.reason === "content_filter")) return "refusal";
  return calls?.length ? "tool_calls" : "end";
}

/** The events of a stream. The last one has the whole response; until it comes, items are put together. */
class ResponsesDraft implements Draft {
  #items: Fields[] = [];
  #calls: Fields[] = [];
  #response: Fields | null = null;
  #error: Fields | null = null;

  *take(event: Fields): Generator<News> {
    const item: Fields | undefined = this.#items[Number(event.output_index ?? 0)];
    if (event.type === "response.output_item.added") yield* this.#begin(event);
    if (event.type === "response.output_text.delta" && item) {
      item.content = [{ type: "output_text", text: (item.content?.[0]?.text ?? "") + event.delta }];
      yield { kind: "text", text: event.delta };
    }
    if (event.type === "response.function_call_arguments.delta" && item) {
      item.arguments += event.delta;
      yield { kind: "arguments", text: event.delta, call: this.#calls.indexOf(item) };
    }
    if (event.type === "response.output_item.done") {
      if (item && this.#calls.includes(item)) yield { kind: "call_end", call: this.#calls.indexOf(item) };
      if (item) Object.assign(item, event.item);
    }
    if (["response.completed", "response.incomplete", "response.failed"].includes(event.type)) {
      this.#response = event.response;
    }
    if (event.type === "error") this.#error = event.error ?? { ...event, type: event.code };
  }

  *#begin({ item, output_index }: Fields): Generator<News> {
    this.#items[Number(output_index)] = item;
    if (item.type !== "function_call") return;
    this.#calls.push(item);
    yield { kind: "call", text: item.name, call: this.#calls.length - 1 };
  }

  turn(whole: boolean): AssistantTurn {
    if (this.#response && whole && !this.#error) return turnOf(this.#response);
    const output = this.#items.filter(Boolean).map((item) => (
      item.type === "function_call" && item.status !== "completed" ? { ...item, status: "incomplete" } : item
    ));
    const turn = turnOf({ output }, "incomplete");
    return this.#error ? failed(this.#error, null, turn) : turn;
  }
}
