// What a provider's format needs, and what all formats share. Documents of the provider are read exactly: a whole
// number is a BigInt in them, so they are written by `stringify`, not by `JSON.stringify`.

import { read, stringify } from "./exact.js";
import type {
  AssistantTurn, Call, Conversation, Fields, HttpRequest, HttpResponse, News, Part, Result, Tool, Turn,
} from "./protocol.js";

export interface Format {
  /** The request that continues a conversation. */
  request(conversation: Conversation, stream: boolean): HttpRequest;
  /** The turn in a complete answer. */
  turn(body: Fields, conversation: Conversation): AssistantTurn;
  /** An answer that comes by events. */
  draft(conversation: Conversation): Draft;
}

export interface Draft {
  /** Take an event, and tell what it brings. */
  take(event: Fields): Iterable<News>;
  /** The turn so far; `whole` is false where the stream was damaged. */
  turn(whole: boolean): AssistantTurn;
}

export function post(url: string, headers: { [name: string]: string }, body: Fields): HttpRequest {
  const all = { "content-type": "application/json", ...headers };
  return { method: "POST", url, headers: all, body: Buffer.from(stringify(body)) };
}

export function isObject(value: any): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a tool takes, as the schema of an object. */
export function schema(tool: Tool): Fields {
  return { type: "object", ...(tool.parameters_json ? read(tool.parameters_json) : { properties: {} }) };
}

/** The arguments of a call as they are said again: an object, also where the model wrote none. */
export function saidAgain(call: Call): Fields {
  return read(call.arguments_json) ?? { invalid_arguments: call.raw ?? "" };
}

/** A call. Arguments that are no object are kept as text and marked: such a call must not run. */
export function toolCall(id: string, name: string, given: any): Call {
  if (isObject(given)) return { id, name, arguments_json: stringify(given) };
  return { id, name, arguments: null, raw: typeof given === "string" ? given : stringify(given), invalid: true };
}

/** The object that a text of arguments means; the text where it means none. */
export function meant(text: string): any {
  const value = read(text);
  return isObject(value) ? value : text;
}

/** A result as text. Pictures are not declared, so none come. */
export function textOf(result: Result): string {
  return result.content.map(partText).join("\n");
}

function partText(part: Part): string {
  if (part.type === "text") return part.text;
  return part.type === "json" ? part.value_json : "";
}

/** The results of a turn, in the order of the calls that they answer. */
export function inOrder(turn: Turn & { type: "results" }, conversation: Conversation): Result[] {
  const before = conversation.turns.slice(0, conversation.turns.indexOf(turn));
  const asked = before.filter((one) => one.type === "assistant").at(-1);
  const order = (asked?.calls ?? []).map((call) => call.id);
  return [...turn.results].sort((one, other) => order.indexOf(one.call_id) - order.indexOf(other.call_id));
}

/** An id of ours, for a call that has none. */
export function ownId(conversation: Conversation, place: number): string {
  const taken = conversation.turns.flatMap((turn) => (turn.type === "assistant" ? (turn.calls ?? []) : []));
  return `call_${taken.length + place}`;
}

/** Token counts. */
export function usage(sent: any, received: any): AssistantTurn["usage"] {
  if (sent === undefined || sent === null) return null;
  return { input_tokens: Number(sent), output_tokens: Number(received ?? 0) };
}

const PASSING = [
  "overloaded_error", "api_error", "rate_limit_error", "server_error", "rate_limit_exceeded", "UNAVAILABLE", "INTERNAL",
  "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED",
];

/** A turn that ends in an error of the provider's. */
export function failed(error: Fields, response: HttpResponse | null, turn: AssistantTurn = {}): AssistantTurn {
  const status = response?.status ?? null;
  const wait = Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  const type: string | null = error.type ?? error.status ?? error.code ?? null;
  const passes = status === null ? PASSING.includes(type ?? "") : status === 429 || status >= 500;
  return {
    ...turn,
    stop: "error",
    error: {
      message: String(error.message ?? ""), status, type: typeof type === "string" ? type : null, retryable: passes,
      retry_after: wait ? Number(wait) : null,
    },
  };
}
