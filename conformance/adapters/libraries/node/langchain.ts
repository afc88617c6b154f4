// What the shims of LangChain.js's chat models share as clients: messages, tools and turns are the same for all
// providers.
//
// A model is called as LangChain documents it, mostly: `model.bindTools(tools, …)` and then `invoke`, or `stream` with
// the chunks put together by `concat`. Results are `ToolMessage`, failed ones with `status: "error"`.

import {
  callOf, declaredName, functionSchema, invalidCall, keep, kept, partText, replayable, reported, resultText, said,
  withImages, withUsableIds,
} from "./application.js";
import { doors } from "./capture/doors.js";
import { CallNews } from "./news.js";
import type {
  AssistantTurn, Call, Conversation, Endpoint, Fields, Info, News, Part, ProviderError, Result, Tool,
} from "./protocol.js";
import { type Library, Shim } from "./shim.js";

const chat = await doors("langchain");

/** How a way asks: the message of a call, of a stream, and the chunks of a stream. */
export interface ChatWay {
  /** How the model gets its tools. With `call` they are among the last argument of each call. */
  tools: "bound" | "configured" | "call";
  /** What the model with its tools goes through before it is asked. */
  wrapped?: (model: any, another: () => any) => any;
  invoke: (model: any, messages: any[], ...options: Fields[]) => Promise<any>;
  collect: (model: any, messages: any[], ...options: Fields[]) => Promise<any>;
  eachChunk: (model: any, messages: any[], ...options: Fields[]) => AsyncIterable<any>;
  /** What makes a tool of a declaration, if the way has other tools than those of the provider's format. */
  tool?: (declared: Fields) => any;
  /** Whether messages are stored between calls. */
  stores?: boolean;
}

/** One chat model. */
export interface Provider extends Library {
  /** The chat model that continues the conversation, its calls going to `endpoint`. */
  model(provider: string, conversation: Conversation, endpoint: Endpoint): any;
  /** The options of `bindTools`, where they are not those that most providers have. */
  binding?(conversation: Conversation): Fields;
  /** The declaration of a tool that the provider runs. */
  builtin?(tool: Tool): Fields;
  /** Why a turn that the library raises as an exception ended, in the provider's word. */
  raised?(problem: any): string | undefined;
  /** Whether an exception is how the library says that a stream ended inside a document. */
  brokenOff?(problem: any): boolean;
  /** Whether the images of a lone result go along in the portable profile, too. */
  imagesOfLoneResults?: boolean;
}

/** A chat model as a client. */
export class LangChain extends Shim {
  #provider: Provider;
  #way: ChatWay;

  constructor(info: Info, provider: Provider, way: ChatWay) {
    super(info);
    this.#provider = provider;
    this.#way = way;
  }

  /** One call of the chat model. */
  async ask(provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint): Promise<AssistantTurn> {
    const [runnable, ...options] = this.#runnable(provider, conversation, endpoint);
    try {
      const messages = this.#history(conversation);
      const answer = await (stream ? this.#way.collect : this.#way.invoke)(runnable, messages, ...options);
      if (!answer) return { stop: "incomplete" };
      const message = this.#way.stores ? new Stored(chat.stored(answer)) : answer;
      return turn(answer, conversation, message);
    } catch (problem: any) {
      if (stream && this.#provider.brokenOff?.(problem)) return { stop: "incomplete" };
      const reason = this.#provider.raised?.(problem);
      if (reason === undefined) return { stop: "error", error: failure(problem) };
      const stop = STOPS[reason] ?? "error";
      return { stop, error: stop === "error" ? { message: problem.message, type: reason } : null };
    }
  }

  /** What the chunks of a stream say. When a call is whole, they do not. */
  async *told(provider: string, conversation: Conversation, endpoint: Endpoint): AsyncGenerator<News> {
    const [runnable, ...options] = this.#runnable(provider, conversation, endpoint);
    const calls = new CallNews(conversation);
    for await (const chunk of this.#way.eachChunk(runnable, this.#history(conversation), ...options)) {
      for (const block of chunk.contentBlocks ?? []) {  // since 1.0
        if (block.type === "reasoning" && block.reasoning) yield { kind: "thinking", text: block.reasoning };
      }
      if (chunk.text) yield { kind: "text", text: chunk.text };
      for (const [place, piece] of (chunk.tool_call_chunks ?? []).entries()) {
        yield* calls.begins(piece.index ?? piece.id ?? place, piece.name);
      }
    }
  }

  #history(conversation: Conversation): any[] {
    return history(conversation, this.#provider.imagesOfLoneResults);
  }

  /** The chat model, with the tools that it may call, or the model and the options of a call. */
  #runnable(provider: string, conversation: Conversation, endpoint: Endpoint): [any, ...Fields[]] {
    const { wrapped, tools } = this.#way;
    const another = (): any => this.#withTools(this.#provider.model(provider, conversation, endpoint), conversation);
    const model = wrapped ? wrapped(another(), another) : another();
    return tools === "call" ? [model, this.#callOptions(conversation)] : [model];
  }

  #withTools(model: any, conversation: Conversation): any {
    if (!conversation.tools.length || this.#way.tools === "call") return model;
    if (this.#way.tools === "configured") return chat.withConfig(model, this.#callOptions(conversation));
    const { tools, ...options } = this.#callOptions(conversation);
    return chat.bindTools(model, tools, ...(Object.keys(options).length ? [options] : []));
  }

  #callOptions(conversation: Conversation): Fields {
    const { binding = usualBinding } = this.#provider;
    if (!conversation.tools.length) return {};
    return { tools: conversation.tools.map((tool) => this.#tool(tool, conversation)), ...binding(conversation) };
  }

  #tool(tool: Tool, conversation: Conversation): any {
    if (tool.builtin !== null) return this.#provider.builtin!(tool);
    const name = declaredName(tool.name, conversation);
    const { description } = tool;
    const parameters = functionSchema(tool);
    if (this.#way.tool) return this.#way.tool({ name, description, schema: parameters });
    const strict = tool.strict === null ? {} : { strict: tool.strict };
    return { type: "function", function: { name, description, parameters, ...strict } };
  }
}

/** A message as it is stored. */
class Stored {
  constructor(readonly dictionary: Fields) {}
}

// --- asking ----------------------------------------------------------------------------------------------------------

/** LangChain's own word for the choice, or the name of the tool that must be called. */
export function toolChoice(conversation: Conversation): string | undefined {
  const { mode, name } = conversation.choice;
  if (mode === "tool") return declaredName(name!, conversation);
  return { auto: undefined, none: "none", required: "any" }[mode];
}

function usualBinding(conversation: Conversation): Fields {
  const { parallel, name } = conversation.choice;
  const own = conversation.tools.find((tool) => tool.name === name && tool.builtin !== null);
  const chosen = own ? { type: own.builtin } : toolChoice(conversation);
  return {
    ...(chosen === undefined ? {} : { tool_choice: chosen }),
    ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
    ...strictness(conversation),
  };
}

/** Strict mode is an option for all tools at once. */
export function strictness({ tools }: Conversation): Fields {
  const [strict, ...others] = new Set(tools.filter((tool) => tool.builtin === null).map((tool) => tool.strict));
  return others.length || typeof strict !== "boolean" ? {} : { strict };
}

function history(conversation: Conversation, imagesOfLone = false): any[] {
  const all: any[] = conversation.system === null ? [] : [new chat.SystemMessage(conversation.system)];
  let own = new Map<string, string>();
  for (const item of said(conversation)) {
    if (item.type === "user") {
      all.push(new chat.HumanMessage(item.text));
    } else if (item.type === "assistant") {
      const message = replayed(item, conversation);
      own = new Map(ownIds(message).map((id, place) => [item.calls![place]!.id, id]));
      all.push(message);
    } else {
      const beside = imagesOfLone && item.results.length === 1;
      all.push(...item.results.map((result) => toolMessage(result, own.get(result.call_id)!, conversation, beside)));
    }
  }
  return all;
}

/** LangChain's own message; one written by hand if there is none. */
function replayed(turn: AssistantTurn, conversation: Conversation): any {
  const calls = (turn.calls ?? []).map((call) => ({
    type: "tool_call" as const,
    id: call.id,
    name: declaredName(call.name, conversation),
    args: replayable(call),
  }));
  const own = kept(turn);
  if (own instanceof Stored) return chat.restored(own.dictionary);
  return own ?? new chat.AIMessage({ content: turn.text || turn.refusal || "", tool_calls: calls });
}

/** LangChain's id of each call, which is what its tool node puts on the result. */
function ownIds(message: any): string[] {
  return [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].map((call) => call.id ?? "");
}

function toolMessage(result: Result, id: string, conversation: Conversation, beside: boolean): any {
  return new chat.ToolMessage({
    content: withImages(result, conversation, beside)?.map(block) ?? resultText(result),
    tool_call_id: id,
    name: declaredName(result.name, conversation),
    status: result.is_error ? "error" : "success",
  });
}

function block(part: Part): any {
  if (part.type !== "image") return { type: "text", text: partText(part) };
  return { type: "image_url", image_url: { url: `data:${part.media_type};base64,${part.data.base64}` } };
}

// --- hearing ---------------------------------------------------------------------------------------------------------

/** The providers' words: LangChain hands them on. */
const STOPS: { [finish: string]: AssistantTurn["stop"] } = {
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  MAX_TOKENS: "length",
  content_filter: "refusal",
  refusal: "refusal",
  SAFETY: "refusal",
  PROHIBITED_CONTENT: "refusal",
  pause_turn: "pause",
  failed: "error",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  MALFORMED_RESPONSE: "error",
};

/** What a message says. `own` is what goes back in the next call. */
function turn(message: any, conversation: Conversation, own: any): AssistantTurn {
  const calls = withUsableIds(
    [
      ...(message.tool_calls ?? []).map((call: any) => callOf(call.id, call.name, call.args, conversation)),
      ...(message.invalid_tool_calls ?? []).map((call: any) =>
        invalidCall(call.id, call.name ?? "", call.args ?? "", conversation),
      ),
    ] as Call[],
    conversation,
  );
  const usage = message.usage_metadata;
  const refusal: string | null = message.additional_kwargs?.refusal ?? null;
  const reason = finish(message);
  const usual = calls.length ? "tool_calls" : refusal ? "refusal" : "end";
  const stop = reason === undefined ? "incomplete" : (STOPS[reason] ?? usual);
  return {
    text: message.text,
    calls,
    stop,
    refusal,
    usage: usage ? { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens } : null,
    error: stop === "error" ? { message: JSON.stringify(message.response_metadata), type: reason } : null,
    opaque: keep(own, calls),
  };
}

/** The provider's word for the end, wherever the integration puts it; undefined when there is none. */
function finish({ response_metadata: told = {}, additional_kwargs: beside = {} }: any): string | undefined {
  const words = [told.incomplete_details?.reason, told.finish_reason, told.finishReason, told.stop_reason];
  return [...words, beside.finishReason, beside.stop_reason, told.status].find((word) => word);
}

/** The failure in an SDK's exception, which LangChain lets through. Whatever else is thrown is the library's own. */
function failure(problem: any): ProviderError {
  const { status, error, errorDetails, message, headers } = problem ?? {};
  const http = typeof status === "number" && status >= 400 ? status : null;
  if (http === null && !(error && isSdkError(problem))) throw problem;
  const after = headers?.get?.("retry-after") ?? headers?.["retry-after"];
  return reported(error ?? { message, details: errorDetails }, { status: http, after, message });
}

function isSdkError(problem: unknown): boolean {
  for (let kind = problem; kind; kind = Object.getPrototypeOf(kind)) {
    if ((kind as object).constructor?.name === "APIError") return true;
  }
  return false;
}
