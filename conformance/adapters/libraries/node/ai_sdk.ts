// What the shims of Vercel's AI SDK share as clients: messages, tools and turns are the same for all providers.
//
// A model is called as the SDK documents it: `generateText` or `streamText`, one step, with tools that have no
// `execute`, so that their calls come back. The SDK's own `response.messages` go back with the next call, the results
// of tools follow as `tool` messages.

import { APICallError, JSONParseError } from "ai";

import {
  callOf, declaredName, decoded, functionSchema, invalidCall, isJson, keep, kept, partText, replayable, reported,
  resultText, type Said, said, withImages, withUsableIds,
} from "./application.js";
import { doors } from "./capture/doors.js";
import { CallNews } from "./news.js";
import type {
  AssistantTurn, Call, Conversation, Endpoint, Fields, Info, News, Part, ProviderError, Result, Tool,
} from "./protocol.js";
import { type Library, Shim, versionOf } from "./shim.js";

const sdk = await doors("ai_sdk");

/** The doors of a way: one step, blocking and streamed, and the parts of a stream as they come. */
export interface StepDoors {
  generated: (asked: Fields) => Promise<any>;
  streamed: (asked: Fields) => Promise<any>;
  eachPart: (asked: Fields) => AsyncIterable<any>;
  /** What the way calls the system prompt. */
  system: "system" | "instructions";
}

(globalThis as Fields).AI_SDK_LOG_WARNINGS = false;

const MAJOR = Number.parseInt(versionOf("ai"));

/** One provider package. */
export interface Provider extends Library {
  /** The model that continues the conversation, its calls going to `endpoint`. */
  model(provider: string, conversation: Conversation, endpoint: Endpoint): any;
  /** The name of its own options. */
  key: string;
  /** Its own options for a call. */
  options(provider: string, conversation: Conversation): Fields;
  /** The declaration of a tool that the provider runs, under the name that the provider has for it. */
  builtin?(tool: Tool): [name: string, declaration: any];
  /** Whether the images of a lone result go along in the portable profile, too. */
  imagesOfLoneResults?: boolean;
}

/** A provider package as a client. */
export class AISDK extends Shim {
  #provider: Provider;
  #doors: StepDoors;

  constructor(info: Info, provider: Provider, way: StepDoors) {
    super(info);
    this.#provider = provider;
    this.#doors = way;
  }

  /** One step, such as `generateText` or `streamText` takes. */
  async ask(provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint): Promise<AssistantTurn> {
    const asked = this.#asked(provider, conversation, endpoint);
    try {
      if (stream) return streamed(await this.#doors.streamed(asked), conversation);
      return turn(await this.#doors.generated(asked), false, conversation);
    } catch (problem) {
      return { stop: "error", error: httpFailure(problem) };
    }
  }

  /** What the parts of a stream say. */
  async *told(provider: string, conversation: Conversation, endpoint: Endpoint): AsyncGenerator<News> {
    const calls = new CallNews(conversation);
    for await (const part of this.#doors.eachPart(this.#asked(provider, conversation, endpoint))) {
      if (part.type === "error") throw part.error;
      yield* newsOf(part, calls);
    }
  }

  #asked(provider: string, conversation: Conversation, endpoint: Endpoint): Fields {
    const { system, tools, max_tokens } = conversation;
    const options = this.#provider.options(provider, conversation);
    const asked: Fields = {
      model: this.#provider.model(provider, conversation, endpoint),
      ...(system === null ? {} : { [this.#doors.system]: system }),
      messages: said(conversation).flatMap((item) => messages(item, conversation, this.#provider)),
    };
    if (tools.length) {
      asked.tools = Object.fromEntries(tools.map((tool) => this.#tool(tool, conversation)));
      asked.toolChoice = this.#toolChoice(conversation);
    }
    Object.assign(asked, { maxOutputTokens: max_tokens, maxRetries: 0 });
    if (Object.keys(options).length) asked.providerOptions = { [this.#provider.key]: options };
    return asked;
  }

  #toolChoice(conversation: Conversation): any {
    const { mode, name } = conversation.choice;
    if (mode !== "tool") return mode;
    const own = conversation.tools.find((tool) => tool.name === name && tool.builtin !== null);
    return { type: "tool", toolName: own ? this.#tool(own, conversation)[0] : declaredName(name!, conversation) };
  }

  #tool(tool: Tool, conversation: Conversation): [string, any] {
    if (tool.builtin !== null) return this.#provider.builtin!(tool);
    const inputSchema = sdk.jsonSchema(functionSchema(tool));
    const strict = tool.strict === null ? {} : { strict: tool.strict };
    return [declaredName(tool.name, conversation), sdk.tool({ description: tool.description, inputSchema, ...strict })];
  }
}

// --- asking ----------------------------------------------------------------------------------------------------------

function messages(item: Said, conversation: Conversation, { imagesOfLoneResults }: Provider): any[] {
  if (item.type === "user") return [{ role: "user", content: item.text }];
  if (item.type === "assistant") return replayed(item, conversation);
  const beside = imagesOfLoneResults && item.results.length === 1;
  return [{ role: "tool", content: item.results.map((result) => toolResult(result, conversation, beside)) }];
}

/** The SDK's own messages, calls under the ids that the conversation uses; if there are none, one written by hand. */
function replayed(turn: AssistantTurn, conversation: Conversation): any[] {
  const calls = turn.calls ?? [];
  const own: any[] | undefined = kept(turn);
  if (own) {
    const ids = calls.map((call) => call.id);
    return own.map((message) => withIds(message, ids));
  }
  const written = calls.map((call) => ({
    type: "tool-call",
    toolCallId: call.id,
    toolName: declaredName(call.name, conversation),
    input: replayable(call),
  }));
  const said = turn.text || turn.refusal;
  return [{ role: "assistant", content: [...(said ? [{ type: "text", text: said }] : []), ...written] }];
}

/** The message with the first of the ids, which are taken away: the SDK's own where it has them. */
function withIds(message: any, ids: string[]): any {
  const own = message.content.filter((part: any) => part.type === "tool-call" && !part.providerExecuted);
  const wanted = ids.splice(0, own.length);
  return own.every((part: any, place: number) => part.toolCallId === wanted[place])
    ? message
    : sdk.underIds(message, wanted);
}

function toolResult(result: Result, conversation: Conversation, beside?: boolean): any {
  const toolName = declaredName(result.name, conversation);
  const images = withImages(result, conversation, beside);
  return { type: "tool-result", toolCallId: result.call_id, toolName, output: output(result, images) };
}

/** What a tool returned, in the SDK's terms. A value that JavaScript cannot hold exactly is sent as text. */
function output(result: Result, images: Part[] | undefined): any {
  if (result.is_error) return { type: "error-text", value: resultText(result) };
  if (images) return { type: "content", value: images.map(contentPart) };
  const [part, ...others] = result.content;
  const exact = part?.type === "json" && !others.length && JSON.stringify(part.value) === part.value_json;
  return exact ? { type: "json", value: part.value } : { type: "text", value: resultText(result) };
}

function contentPart(part: Part): any {
  if (part.type !== "image") return { type: "text", text: partText(part) };
  const data = part.data.base64;
  if (MAJOR >= 7) return { type: "file", data: { type: "data", data }, mediaType: part.media_type };
  return { type: MAJOR === 6 ? "image-data" : "media", data, mediaType: part.media_type };
}

// --- hearing ---------------------------------------------------------------------------------------------------------

/**
 * What a stream amounts to, by the SDK's own account of it. An error that is one of its parts is the provider's; one
 * that quotes half a document says that the stream ended inside it.
 */
function streamed({ parts, step }: any, conversation: Conversation): AssistantTurn {
  const ofType = (type: string): any[] => parts.filter((part: any) => part.type === type);
  const text = ofType("text-delta").map((part) => part.text ?? part.textDelta).join("");
  const [failed] = ofType("error");
  const problem = failed?.error;
  if (JSONParseError.isInstance(problem) && !isJson(problem.text)) return { text, stop: "incomplete" };
  if (failed) {
    const calls = withUsableIds(callsOf(ofType("tool-call"), conversation), conversation);
    return { text, calls, stop: "error", error: streamFailure(problem) };
  }
  return turn(step, true, conversation);
}

/** What a part of a stream tells. Tools that the provider runs by itself are no calls. */
function* newsOf(part: any, calls: CallNews): Generator<News> {
  const text: string | undefined = part.text ?? part.textDelta;
  if (part.type === "text-delta" && text) yield { kind: "text", text };
  if (["reasoning-delta", "reasoning"].includes(part.type) && text) yield { kind: "thinking", text };
  if (part.type === "tool-input-start" && !part.providerExecuted) yield* calls.begins(part.id, part.toolName);
  if (part.type === "tool-input-delta") yield* calls.says(part.id, part.delta);
  if (part.type === "tool-call" && !part.providerExecuted) {
    yield* calls.begins(part.toolCallId, part.toolName);
    yield* calls.ends(part.toolCallId);
  }
}

const STOPS: { [finish: string]: AssistantTurn["stop"] } = {
  length: "length",
  "content-filter": "refusal",
  error: "error",
  interrupted: "incomplete",
};

/** The provider's own words for a turn that failed because of a call. The SDK's word for some of them is "other". */
const FAILED = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"]);

function turn(result: any, stream: boolean, conversation: Conversation): AssistantTurn {
  const calls = withUsableIds(callsOf(result.toolCalls, conversation), conversation);
  const { rawFinishReason: raw, usage } = result;
  let stop = STOPS[result.finishReason] ?? (calls.length ? "tool_calls" : "end");
  if (raw === "pause_turn") stop = "pause";
  if (FAILED.has(raw)) stop = "error";
  if (stream && raw === undefined && ["other", "unknown"].includes(result.finishReason)) stop = "incomplete";
  const counted = usage?.inputTokens !== undefined && usage.outputTokens !== undefined;
  const why: string | null = result.providerMetadata?.google?.finishMessage ?? null;
  return {
    text: result.text,
    calls,
    stop,
    usage: counted ? { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } : null,
    refusal: stop === "refusal" ? why : null,
    error: stop === "error" ? { message: why ?? raw ?? "the provider gave no reason", type: raw } : null,
    opaque: keep(result.response.messages.filter((message: any) => message.role === "assistant"), calls),
  };
}

/** The calls that are the application's to run. One that the SDK could not read has `invalid` set, and its text. */
function callsOf(toolCalls: any[], conversation: Conversation): Call[] {
  return toolCalls
    .filter((call) => !call.providerExecuted)
    .map(({ toolCallId: id, toolName: name, input, invalid }) =>
      invalid && typeof input === "string"
        ? invalidCall(id, name, input, conversation)
        : callOf(id, name, input, conversation),
    );
}

/** Whether the SDK could not read an answer. Older releases do not export the class. */
function isInvalidResponse(problem: unknown): problem is Error {
  return problem instanceof Error && problem.name === "AI_InvalidResponseDataError";
}

/**
 * The failure in an HTTP error, or an answer in which there is none. Whatever else is thrown is the SDK's own, and
 * thrown on.
 */
function httpFailure(problem: unknown): ProviderError {
  if (isInvalidResponse(problem) && problem.message.includes("any choices")) {
    return reported({ message: problem.message });
  }
  if (!APICallError.isInstance(problem) || (problem.statusCode ?? 0) < 400) throw problem;
  const { statusCode: status, responseBody, responseHeaders, message, isRetryable } = problem;
  const failure = reported(decoded(responseBody ?? ""), { status, after: responseHeaders?.["retry-after"], message });
  return { ...failure, retryable: isRetryable };
}

/** The failure in an error of a stream: of the request, or what the provider said in an event. */
function streamFailure(problem: any): ProviderError {
  if (APICallError.isInstance(problem) && (problem.statusCode ?? 0) >= 400) return httpFailure(problem);
  if (isInvalidResponse(problem)) return reported({ message: problem.message });
  const event = problem?.data ?? problem;
  if (event instanceof Error) throw event;
  const failure = reported(event);
  return { ...failure, retryable: problem?.isRetryable ?? failure.retryable };
}
