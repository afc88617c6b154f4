// The ways into a chat model of LangChain.js: a call, as a client, or a loop over tools.

import { doors } from "./capture/doors.js";
import { has } from "./features.js";
import { type ChatWay, LangChain, type Provider } from "./langchain.js";
import { LangChainAgent, type LoopWay } from "./langchain_loops.js";
import type { Fields, Tool } from "./protocol.js";
import { serve } from "./protocol.js";
import { introduction, ofAgents, unfit } from "./shim.js";
import { chosen } from "./way.js";

const ABOUT = {
  homepage: "https://docs.langchain.com/oss/javascript/integrations/chat",
  issues: "https://github.com/langchain-ai/langchainjs/issues",
};

const chat = await doors("langchain");
const { invoke, collect, eachChunk, withRetry, withRetryAndConfig } = chat as { [name: string]: any };

/** What the release must have: `bindTools` is older, `tool` and `status` of its messages are not. */
const RELEASE = "@langchain/core/tools:tool";
const AGENT = "langchain:createAgent";
const EVENTS = "@langchain/core/language_models/stream:ChatModelStream";

const BOUND: ChatWay = { tools: "bound", invoke, collect, eachChunk };
const BATCHED = { invoke: chat.batch!, collect: chat.collectTransformed!, eachChunk: chat.transform! };
const WITH_OPTIONS: ChatWay = {
  tools: "call", invoke: chat.invokeWith!, collect: chat.collectWith!, eachChunk: chat.eachChunkWith!,
};
const FALLING_BACK: ChatWay = { ...BOUND, wrapped: (model, another) => chat.withFallback!(model, another()) };

/** A way: what it needs of the release, and how it asks, as a client or as an agent. */
interface Entry {
  needs?: string;
  /** Capabilities that it does not have. */
  apart?: string[];
  calls?: () => Promise<ChatWay> | ChatWay;
  loop?: () => Promise<LoopWay>;
}

/** A second model is asked where the first fails, so what an HTTP error says reaches nobody. */
const ASKED_AGAIN = ["errors"];

const WAYS: { [way: string]: Entry } = {
  invoke: { calls: () => BOUND },
  batch: { calls: () => ({ ...BOUND, ...BATCHED }) },
  "call-options": { calls: () => WITH_OPTIONS },
  "with-config": { calls: () => ({ ...BOUND, tools: "configured" }) },
  generate: { calls: () => ({ ...WITH_OPTIONS, invoke: chat.generateWith! }) },
  events: { needs: EVENTS, calls: () => ({ ...WITH_OPTIONS, collect: chat.collectEvents! }) },
  retry: { calls: () => ({ ...BOUND, wrapped: (model) => withRetry(model) }) },
  "retry-events": {
    calls: () => ({ ...BOUND, collect: chat.collectAllEvents!, wrapped: (model) => withRetry(model) }),
  },
  "retry-batch": { calls: () => ({ ...BOUND, ...BATCHED, wrapped: (model) => withRetryAndConfig(model) }) },
  fallback: { apart: ASKED_AGAIN, calls: () => FALLING_BACK },
  "fallback-batch": { apart: ASKED_AGAIN, calls: () => ({ ...FALLING_BACK, ...BATCHED }) },
  piped: { calls: () => ({ ...BOUND, wrapped: (model) => chat.piped!(model) }) },
  stored: { calls: () => ({ ...BOUND, stores: true }) },
  "tool-objects": {
    calls: async () => ({ ...BOUND, tool: (await objects()).declared }),
  },
  "create-agent": { needs: AGENT, loop: () => agents("createPlainAgent", "stream") },
  zod: { needs: AGENT, loop: async () => ({ ...(await agents("createPlainAgent", "streamEvents")), tool: zodTool }) },
  middleware: { needs: AGENT, loop: () => agents("createWatchedAgent", "stream") },
  loop: { loop: async () => (await import("./langchain_by_hand.js")).LOOP },
  "runnable-tools": {
    loop: async () => ({ ...(await import("./langchain_by_hand.js")).BATCHES, tool: runnableTool }),
  },
};

/** Tools that only declare. */
async function objects(): Promise<{ declared: (declared: Fields) => any }> {
  const { createTool } = await doors("langchain_tools");
  return { declared: (declared) => createTool!(() => "", declared) };
}

async function agents(create: string, stream: string): Promise<LoopWay> {
  const made = await doors("langchain_agent");
  return { create: made[create]!, invoke: made.invoke!, stream: made[stream]! };
}

type Does = (input: Fields) => Promise<string>;

/** A tool with a schema by zod, where zod can say it. */
async function zodTool(tool: Tool, does: Does, declared: Fields): Promise<any> {
  return byZod("createTool", tool, does, declared);
}

/** A tool of a runnable: it takes schemas by zod alone. */
async function runnableTool(tool: Tool, does: Does, declared: Fields): Promise<any> {
  return byZod("createRunnableTool", tool, does, declared);
}

async function byZod(door: string, tool: Tool, does: Does, declared: Fields): Promise<any> {
  const schema = (await import("./zod_schemas.js")).zodSchema(tool);
  return schema && (await doors("langchain_tools"))[door]!(does, { ...declared, schema });
}

/** Serve a chat model in the way that was asked for. */
export async function serveLangChain(provider: Provider): Promise<void> {
  const way = chosen(WAYS);
  const wanted = way.needs ? [RELEASE, way.needs] : [RELEASE];
  const ofAll = Object.fromEntries(Object.keys(provider.providers).map((name) => [name, wanted]));
  const fits = (await Promise.all(wanted.map(has))).every(Boolean);
  if (way.loop) {
    const agent = { ...provider, providers: ofAgents(provider.providers), needs: ofAll };
    const info = await introduction(agent, ABOUT, "agent");
    return serve(fits ? new LangChainAgent(info, provider, await way.loop()) : unfit(info));
  }
  const client = { ...provider, needs: { ...provider.needs, ...ofAll } };
  const info = await introduction(client, ABOUT, "client", way.apart);
  return serve(fits ? new LangChain(info, provider, await way.calls!()) : unfit(info));
}
