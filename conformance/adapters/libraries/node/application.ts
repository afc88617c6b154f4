// What an application must do itself, whatever library it calls with: names that fit, results in order, ids for calls.
// The same as application.py does for the shims in Python; none of this repairs a library.

import { createHash } from "node:crypto";

import type { AssistantTurn, Call, Conversation, Fields, Part, ProviderError, Result, Tool } from "./protocol.js";

// --- names -----------------------------------------------------------------------------------------------------------

const LIMIT = 63;

/** The name under which each tool is declared: its own, or one made from it where not all providers would take it. */
export function declaredNames(tools: Tool[]): Map<string, string> {
  const plain = tools.map(sanitised);
  return new Map(
    tools.map((tool, place) => {
      const name = plain[place]!;
      const shared = name !== tool.name && plain.filter((other) => other === name).length > 1;
      return [tool.name, shared || name.length > LIMIT ? compact(name, tool.name) : name];
    }),
  );
}

function sanitised(tool: Tool): string {
  const name = tool.mcp ? `${clean(tool.mcp.server)}__${clean(tool.mcp.tool)}` : clean(tool.name);
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, "_");
}

function compact(name: string, original: string): string {
  return `${name.slice(0, LIMIT - 9)}_${createHash("sha256").update(original).digest("hex").slice(0, 8)}`;
}

/** The declared name of the tool that the application calls `name`, or one that fits for a tool that is gone. */
export function declaredName(name: string, conversation: Conversation): string {
  const names = declaredNames(conversation.tools);
  const fitting = sanitised({ name } as Tool);
  const kept = fitting === name && fitting.length <= LIMIT && ![...names.values()].includes(name);
  return names.get(name) ?? (kept ? name : compact(fitting, name));
}

/** The application's name of a declared tool. */
export function applicationName(declared: string, conversation: Conversation): string {
  if (conversation.tools.some((tool) => tool.name === declared)) return declared;
  const names = [...declaredNames(conversation.tools)];
  return names.find(([, name]) => name === declared)?.[0] ?? declared;
}

/** The tool's parameters as the object schema that every provider wants. Whoever asks for strict mode closes it. */
export function functionSchema(tool: Tool): Fields {
  if (tool.parameters) return { type: "object", ...tool.parameters };
  return { type: "object", properties: {}, ...(tool.strict ? { required: [], additionalProperties: false } : {}) };
}

// --- asking ----------------------------------------------------------------------------------------------------------

export type Said =
  | { type: "user"; text: string }
  | ({ type: "assistant" } & AssistantTurn)
  | { type: "results"; results: Result[] };

const REJECTED = "The user rejected this tool call.";

/** The turns. All answers to one assistant turn, rejections too, are together and in the order of its calls. */
export function said(conversation: Conversation): Said[] {
  const all: Said[] = [];
  let order: string[] = [];
  for (const turn of conversation.turns) {
    if (turn.type === "user" || turn.type === "assistant") {
      if (turn.type === "assistant") order = (turn.calls ?? []).map((call) => call.id);
      all.push(turn);
      continue;
    }
    const answers =
      turn.type === "results" ? turn.results : turn.decisions.filter((item) => !item.accept).map(rejected);
    let together = all.at(-1);
    if (together?.type !== "results") all.push((together = { type: "results", results: [] }));
    together.results = [...together.results, ...answers].sort(
      (one, other) => order.indexOf(one.call_id) - order.indexOf(other.call_id),
    );
  }
  return all.filter((item) => item.type !== "results" || item.results.length);
}

function rejected(decision: { call_id: string; name: string }): Result {
  return { ...decision, content: [{ type: "text", text: REJECTED }], is_error: true };
}

/** One part of a result as text: exact, also where JavaScript's numbers are not. */
export function partText(part: Part): string {
  if (part.type === "text") return part.text;
  return part.type === "json" ? part.value_json : `Binary content of type ${part.media_type} was processed.`;
}

/** A result as text. */
export function resultText(result: Result): string {
  return result.content.map(partText).join("\n");
}

/**
 * The parts of a result that is to be sent with its images, undefined for one that is sent as text or a value. In the
 * portable profile images are summed up in words; Gemini's format wants those of a lone result beside the words.
 */
export function withImages(result: Result, conversation: Conversation, beside = false): Part[] | undefined {
  const images = result.content.filter((part) => part.type === "image");
  if (!images.length) return undefined;
  if (conversation.profile === "native") return result.content;
  return beside ? [{ type: "text", text: resultText(result) }, ...images] : undefined;
}

/** The arguments of a call as an object, also of one that had none to be read. */
export function replayable(call: Call): Fields {
  return call.arguments ?? { invalid: call.raw };
}

// --- hearing ---------------------------------------------------------------------------------------------------------

/** A call as the application takes it from a library's object. `input` is what the library made of the arguments. */
export function callOf(id: string | undefined, name: string, input: unknown, conversation: Conversation): Call {
  const value = (typeof input === "string" ? decoded(input || "{}") : input) ?? {};
  const raw = typeof input === "string" ? input : exactText(input);
  if (!isFields(value)) return invalidCall(id, name, raw, conversation);
  return { id: id ?? "", name: applicationName(name, conversation), arguments_json: exactText(value) };
}

/** A call whose arguments the library could not read. */
export function invalidCall(id: string | undefined, name: string, raw: string, conversation: Conversation): Call {
  return { id: id ?? "", name: applicationName(name, conversation), arguments: null, raw, invalid: true };
}

/** A value as JSON text, with spaces. An infinite number keeps its size, where `JSON.stringify` writes null. */
function exactText(value: unknown): string {
  if (typeof value === "number" && Math.abs(value) === Infinity) return value < 0 ? "-1e999" : "1e999";
  if (Array.isArray(value)) return `[${value.map(exactText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}: ${exactText(item)}`).join(", ")}}`;
}

/** `calls` with new ids where the provider gave none, or one that the conversation has already. */
export function withUsableIds(calls: Call[], conversation: Conversation): Call[] {
  const taken = new Set<string>();
  for (const turn of conversation.turns) {
    if (turn.type === "assistant") for (const call of turn.calls ?? []) taken.add(call.id);
  }
  return calls.map((call) => {
    const own = `own${String(taken.size).padStart(6, "0")}`;
    const id = taken.has(call.id) || ["", "null"].includes(call.id) ? own : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

/** The providers' words for failures that may pass, for errors inside a stream, which have no status. */
const PASSING = [
  "rate_limit_error", "rate_limit_exceeded", "overloaded_error", "api_error", "server_error", "timeout_error",
  "RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED",
];

interface Response {
  status?: number | null;
  /** What `retry-after` says. */
  after?: string;
  /** The library's own words. */
  message?: string;
}

/** The provider's failure in the body of an error, or in an event, with or without the `error` around it. */
export function reported(document: any, { status = null, after, message }: Response = {}): ProviderError {
  const inner = document?.error ?? document?.response?.error ?? document;
  const words: string[] = [inner?.type, inner?.status, inner?.code].filter((word) => typeof word === "string");
  const passing = words.length ? words.some((word) => PASSING.includes(word) || isPassing(Number(word))) : null;
  const wait = Number.parseFloat(after ?? inner?.details?.find?.((item: any) => item?.retryDelay)?.retryDelay);
  return {
    message: String(inner?.message ?? (typeof inner === "string" ? inner : null) ?? message ?? JSON.stringify(inner)),
    status,
    type: words[0] ?? null,
    retryable: status === null ? passing : isPassing(status),
    retry_after: Number.isFinite(wait) ? wait : null,
  };
}

/** Whether a failure with this status may pass. Inside a stream some providers give the status as the code. */
function isPassing(status: number): boolean {
  return [408, 409, 429].includes(status) || (status >= 500 && status < 600);
}

/** JSON text as a value, other text as it is. */
export function decoded(text: string): any {
  return isJson(text) ? JSON.parse(text) : text;
}

/** Whether a text is a whole JSON document. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// --- a library's own messages ----------------------------------------------------------------------------------------

interface Kept {
  message: any;
  calls: Call[];
}

const KEPT = 2000;
const memory = new Map<number, Kept>();
let number = 0;

/** Keep a library's own message here, as an application would; what goes to the harness is its number. */
export function keep(message: any, calls: Call[]): number {
  memory.set(++number, { message, calls });
  memory.delete(number - KEPT);
  return number;
}

/** The library's own message of a turn, unless it means other calls than the turn: then the turn was put right. */
export function kept(turn: AssistantTurn): any {
  const own = memory.get(turn.opaque);
  return own && meaning(own.calls) === meaning(turn.calls ?? []) ? own.message : undefined;
}

function meaning(calls: Call[]): string {
  return JSON.stringify(
    calls.map((call) => [call.name, call.arguments ?? decoded(call.arguments_json ?? "null"), call.invalid ?? false]),
    (_, value) => (isFields(value) ? Object.fromEntries(Object.entries(value).sort()) : value),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
