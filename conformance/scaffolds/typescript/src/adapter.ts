// An adapter for OpenAI Chat Completions: make it yours.
// What it does not do yet is not declared in `info`, and reported as unsupported.

import type {
  AssistantTurn, Call, Conversation, Fields, HttpRequest, HttpResponse, Info, News, OpenStream, Part, ProviderError,
  Result, Tool, Translator, Turn,
} from "./protocol.js";
import { Events } from "./sse.js";

const URL = "https://api.openai.com/v1/chat/completions";

export class Adapter implements Translator {
  info: Info = {
    name: "{{name}}",
    version: "0.1.0",
    providers: {
      "openai-chat": [
        "blocking", "streaming", "parallel_calls", "tool_choice", "parallel_switch", "json_results", "error_results",
        "errors",
      ],
    },
  };

  /** The request that continues the conversation. */
  buildRequest(provider: string, conversation: Conversation, stream: boolean): HttpRequest {
    const body: Fields = {
      model: conversation.model,
      messages: messages(conversation),
      max_completion_tokens: conversation.max_tokens,
    };
    if (conversation.tools.length) {
      body.tools = conversation.tools.map(toolDeclaration);
      Object.assign(body, toolChoice(conversation));
    }
    if (stream) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
    const headers = { "content-type": "application/json", authorization: "Bearer test-key" };
    return { method: "POST", url: URL, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  /** The turn in a complete response, HTTP errors included. */
  parseResponse(provider: string, response: HttpResponse, conversation: Conversation): AssistantTurn {
    const body = decoded(response.body.toString());
    if (response.status >= 400 || !isObject(body) || !("choices" in body)) {
      return { stop: "error", error: failure(response, body) };
    }
    const choice = body.choices[0];
    const message = choice.message;
    let calls: Fields[] = message.tool_calls ?? [];
    if (!calls.length && message.function_call?.name) calls = [{ function: message.function_call }];
    return turn(message.content, calls, choice.finish_reason, body.usage, conversation);
  }

  /** A stream, to be read as it comes. */
  openStream(provider: string, conversation: Conversation): OpenStream {
    return new Stream(conversation);
  }
}

// --- building ---

/** A tool as the provider wants it declared: an object's schema, or none at all. */
function toolDeclaration(tool: Tool): Fields {
  const declared: Fields = { name: tool.name, description: tool.description };
  if (tool.parameters) declared.parameters = { type: "object", ...tool.parameters };
  return { type: "function", function: declared };
}

/** Whether the model must, may or must not call tools. */
function toolChoice({ choice }: Conversation): Fields {
  const fields: Fields = {};
  if (choice.mode === "tool") fields.tool_choice = { type: "function", function: { name: choice.name } };
  else if (choice.mode !== "auto") fields.tool_choice = choice.mode;
  if (choice.parallel !== null) fields.parallel_tool_calls = choice.parallel;
  return fields;
}

/** The conversation as messages. Results follow in the order of the calls, whatever tool finished first. */
function messages(conversation: Conversation): Fields[] {
  const all: Fields[] = [];
  if (conversation.system !== null) all.push({ role: "system", content: conversation.system });
  let order: string[] = [];
  for (const turn of conversation.turns) {
    if (turn.type === "user") {
      all.push({ role: "user", content: turn.text });
    } else if (turn.type === "assistant") {
      order = (turn.calls ?? []).map((call) => call.id);
      all.push(assistantMessage(turn));
    } else if (turn.type === "results") {
      const sorted = [...turn.results].sort((a, b) => order.indexOf(a.call_id) - order.indexOf(b.call_id));
      for (const result of sorted) {
        all.push({ role: "tool", tool_call_id: result.call_id, content: resultText(result) });
      }
    }
  }
  return all;
}

/** An assistant turn as it is replayed. */
function assistantMessage(turn: Turn & { type: "assistant" }): Fields {
  const calls = turn.calls ?? [];
  const message: Fields = { role: "assistant", content: turn.text || (calls.length ? null : "") };
  if (calls.length) message.tool_calls = calls.map((call) => replayed(call, turn.opaque ?? {}));
  return message;
}

/** A call as it came, with what the host had added to it. */
function replayed(call: Call, extras: Fields): Fields {
  const text = call.arguments_json ?? JSON.stringify({ invalid_arguments: call.raw ?? "" });
  const replay: Fields = { id: call.id, type: "function", function: { name: call.name, arguments: text } };
  if (call.id in extras) replay.extra_content = extras[call.id];
  return replay;
}

/** A result as text. The format has no mark for failures, so they are told in words. */
function resultText(result: Result): string {
  const text = result.content.map(partText).join("\n");
  return result.is_error ? JSON.stringify({ error: text }) : text;
}

function partText(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "json") return part.value_json;
  return `Binary content of type ${part.media_type} was processed.`;
}

// --- reading ---

/** What a turn ends with, where it says more than its calls do. The last two are words of our own. */
const STOPS: { [finish: string]: AssistantTurn["stop"] } = {
  length: "length",
  content_filter: "refusal",
  incomplete: "incomplete",
  error: "error",
};

/** The turn that a message amounts to. The presence of calls counts: finish reasons may lie. */
function turn(
  content: any,
  sent: Fields[],
  finish: string | null,
  usage: Fields | null,
  conversation: Conversation,
  error: ProviderError | null = null,
): AssistantTurn {
  sent = sent.filter((item) => isObject(item.function));
  const calls = toolCalls(sent, conversation, finish !== "incomplete" && finish !== "error");
  const extras: Fields = {};
  sent.forEach((item, place) => {
    if (item.extra_content) extras[calls[place]!.id] = item.extra_content;
  });
  return {
    text: messageText(content),
    calls,
    stop: STOPS[finish ?? ""] ?? (calls.length ? "tool_calls" : "end"),
    usage: usage ? { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } : null,
    error,
    opaque: Object.keys(extras).length ? extras : null,
  };
}

/** The text of a message's content, which may be a list of parts. */
function messageText(content: any): string {
  return Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "");
}

/** The calls, each with an id that is new in the conversation. */
function toolCalls(sent: Fields[], conversation: Conversation, whole: boolean): Call[] {
  const taken = new Set<string>();
  for (const turn of conversation.turns) {
    if (turn.type === "assistant") for (const call of turn.calls ?? []) taken.add(call.id);
  }
  return sent.map((item) => {
    let id: string = item.id;
    if (!id || id === "null" || taken.has(id)) {
      let number = 0;
      while (taken.has(`call_${number}`)) number++;
      id = `call_${number}`;
    }
    taken.add(id);
    return toolCall(id, item.function, whole);
  });
}

/** A call. Arguments that are no object make it invalid, and so do missing ones when the stream was cut. */
function toolCall(id: string, called: Fields, whole: boolean): Call {
  const name: string = called.name ?? "";
  if (isObject(called.arguments)) return { id, name, arguments: called.arguments };
  const text: string = called.arguments ?? "";
  const sent: string | null = called.arguments ?? null;
  if (["", "null"].includes(text.trim()) && whole) return { id, name, arguments: {}, sent };
  // The text goes on as it is: its large numbers would not survive in a value.
  return isObject(decoded(text)) ? { id, name, arguments_json: text, sent } : { id, name, raw: text, invalid: true, sent };
}

/** JSON text as a value; undefined when it is not JSON. */
function decoded(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: any): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an error response says. */
function failure(response: HttpResponse, body: any): ProviderError {
  const error: Fields = isObject(body?.error) ? body.error : {};
  const wait = Object.entries(response.headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  return {
    message: String(error.message || response.body.toString()),
    status: response.status,
    type: error.type ?? null,
    retryable: [408, 409, 429].includes(response.status) || response.status >= 500,
    retry_after: wait ? Number(wait) : null,
  };
}

/** Whether trying again may help, of an error inside a stream. */
function retryable(error: Fields): boolean | null {
  const words: string[] = [error.type, error.code].filter((word) => word);
  const passing = ["server_error", "rate_limit_exceeded", "requests", "overloaded_error"];
  return words.length ? words.some((word) => passing.includes(word)) : null;
}

/** A stream as far as it has come. */
class Stream implements OpenStream {
  #conversation: Conversation;
  #events = new Events();
  #calls = new Calls();
  #text = "";
  #finish: string | null = null;
  #usage: Fields | null = null;
  #error: Fields | null = null;
  #done = false;
  #damaged = false;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  feed(chunk: Buffer): News[] {
    return [...this.#events.feed(chunk)].flatMap((data) => [...this.#take(data)]);
  }

  end(lost: boolean): { news: News[]; turn: AssistantTurn } {
    const news = [...this.#events.end()].flatMap((data) => [...this.#take(data)]);
    const turn = this.#turn();
    return { news: [...news, { kind: "end", text: turn.stop }], turn };
  }

  /** The turn so far. */
  #turn(): AssistantTurn {
    const error = this.#error;
    if (error) {
      const found = { message: String(error.message), type: error.type ?? null, retryable: retryable(error) };
      return turn(this.#text, this.#calls.sent(), "error", this.#usage, this.#conversation, found);
    }
    const whole = (this.#done || this.#finish !== null) && !this.#damaged;
    return turn(this.#text, this.#calls.sent(), whole ? this.#finish : "incomplete", this.#usage, this.#conversation);
  }

  *#take(data: string): Generator<News> {
    if (data.trim() === "[DONE]") {
      this.#done = true;
      return;
    }
    const chunk = decoded(data);
    if (!isObject(chunk)) {
      this.#damaged = true; // nobody knows what was in it
      return;
    }
    this.#error = chunk.error ?? this.#error;
    this.#usage = chunk.usage ?? this.#usage;
    for (const choice of chunk.choices ?? []) {
      const delta = choice.delta ?? {};
      this.#finish = choice.finish_reason ?? this.#finish;
      if (delta.content) {
        this.#text += delta.content;
        yield { kind: "text", text: delta.content };
      }
      for (const fragment of delta.tool_calls ?? []) yield* this.#calls.add(fragment);
      if (delta.function_call) yield* this.#calls.add({ index: 0, function: delta.function_call });
    }
  }
}

interface Pending {
  id: string | null;
  name: string | null;
  arguments: string;
  extra: any;
  /** Whether it was told that it begins. */
  told: boolean;
}

/** Puts the fragments of calls together. Hosts differ in what they leave out and what they repeat. */
class Calls {
  #calls: Pending[] = [];
  #byIndex = new Map<number, Pending>();

  /** The calls as a complete message holds them. */
  sent(): Fields[] {
    return this.#calls.map((call) => ({ id: call.id, function: call, extra_content: call.extra }));
  }

  /** Take a fragment, and tell what it brings: of a call whose tool is known, its beginning and its arguments. */
  *add(fragment: Fields): Generator<News> {
    const called = fragment.function ?? {};
    const id: string | null = fragment.id || null;
    const name: string | null = called.name || null;
    const given = called.arguments ?? "";
    let text: string = typeof given === "string" ? given : JSON.stringify(given);
    const call = this.#of(fragment.index ?? null, id, name, text);
    call.id ||= id;
    call.name ||= name;
    call.arguments += text;
    call.extra ??= fragment.extra_content ?? null;
    const place = this.#calls.indexOf(call);
    if (call.name && !call.told) {
      call.told = true;
      text = call.arguments;
      yield { kind: "call", text: call.name, call: place };
    }
    if (text && call.told) yield { kind: "arguments", text, call: place };
  }

  /** The call that a fragment belongs to: that of its index, else that of its id, else the last one. */
  #of(index: number | null, id: string | null, name: string | null, text: string): Pending {
    let known =
      index !== null
        ? this.#byIndex.get(index)
        : (this.#calls.find((call) => id && call.id === id) ?? this.#calls.at(-1));
    if (!known || this.#beginsAnother(known, index, id, name, text)) {
      known = { id: null, name: null, arguments: "", extra: null, told: false };
      this.#calls.push(known);
    }
    if (index !== null) this.#byIndex.set(index, known);
    return known;
  }

  /** Whether a fragment opens a new call, although there is one where it would belong. */
  #beginsAnother(known: Pending, index: number | null, id: string | null, name: string | null, text: string): boolean {
    if (!name || !known.name) return false;
    if (id && known.id) return id !== known.id;
    if (isObject(decoded(known.arguments)) && (text.trim() || index === null)) return true;
    return index === null && name !== known.name;
  }
}
