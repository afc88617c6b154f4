// What all shims share: who they are, and that they notice what the library leaves behind.

import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

import { modelCall, unobserved } from "./capture/doors.js";
import { lacking, type Needs } from "./features.js";
import { obstacleOf } from "./obstacles.js";
import type {
  Agent, AssistantTurn, Client, Conversation, Endpoint, Fields, Info, News, Result, RunTool, Task, Tool,
} from "./protocol.js";
import { TellingError } from "./protocol.js";
import { MODES_APART } from "./way.js";

/** A library as the report names it, with what it can do for each provider. */
export interface Library {
  name: string;
  distribution: string;
  providers: { [provider: string]: string[] };
  /** What capabilities and providers need of the installed release, where not every release has it. */
  needs?: Needs;
}

/** What a shim says of itself: also what its release lacks, each with what is not there. */
type Introduction = Info & { lacks?: { [what: string]: string } };

/** Who a library is, as it is installed, in the way that is gone. `apart` are capabilities that the way has not. */
export async function introduction(
  { name, distribution, providers, needs = {} }: Library, about: { homepage: string; issues: string },
  kind: "client" | "agent", apart: string[] = [],
): Promise<Introduction> {
  const lacks = await lacking(needs);
  const without = new Set([...apart, ...MODES_APART, ...Object.keys(lacks)]);
  const claimed = Object.entries(providers).map(([provider, can]) => [
    provider, provider in lacks ? [] : can.filter((capability) => !without.has(capability)),
  ]);
  const told = Object.keys(lacks).length ? { lacks } : {};
  return { name, version: versionOf(distribution), kind, ...about, providers: Object.fromEntries(claimed), ...told };
}

/** The version of an installed package. */
export function versionOf(distribution: string): string {
  const file = new URL(`../node_modules/${distribution}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

const unhandled: unknown[] = [];
process.on("unhandledRejection", (problem) => unhandled.push(problem));

/** What a promise that nobody handles does to a process, told from where it arose. */
function ended(problem: unknown): Error {
  const told = new Error(`an unhandled rejection, which ends a process: ${problem}`);
  const frames = (problem as Error).stack?.split("\n").filter((line) => line.startsWith("    at "));
  if (frames?.length) told.stack = [`${told.name}: ${told.message}`, ...frames].join("\n");
  return told;
}

/** What `work` comes to. A promise that the library leaves unhandled would have ended an application's process. */
async function watched<T>(work: () => Promise<T>): Promise<T> {
  unhandled.length = 0;
  try {
    const came = await work();
    await setImmediate();
    if (unhandled.length) throw ended(unhandled[0]);
    return came;
  } catch (problem) {
    const obstacle = obstacleOf(problem);
    if (!obstacle) throw problem;
    throw new TellingError(obstacle.error, { detail: (problem as Error).stack, obstacle });
  }
}

/** A client around one library. */
export abstract class Shim implements Client {
  constructor(readonly info: Info) {}

  /** Let the library make the model call, and say what it answered. Throws what the library throws. */
  abstract ask(
    provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint,
  ): Promise<AssistantTurn>;

  /** What the library tells of a streamed call, without the end. Throws what the library throws. */
  abstract told(provider: string, conversation: Conversation, endpoint: Endpoint): AsyncIterable<News>;

  /** Make a streamed call, and tell what happens. */
  async *streamNews(provider: string, conversation: Conversation, endpoint: Endpoint): AsyncGenerator<News> {
    const shown = unobserved();
    try {
      yield* this.told(provider, conversation, endpoint);
      yield { kind: "end" };
    } catch {
      yield { kind: "end", text: "error" };
    } finally {
      shown();
    }
  }

  /** Make two streamed calls at once. What becomes of the second, nobody asks. */
  async completeBeside(
    provider: string, conversation: Conversation, other: Conversation, endpoint: Endpoint,
  ): Promise<AssistantTurn> {
    const shown = unobserved();
    const own = this.ask(provider, conversation, true, endpoint);
    const beside = this.ask(provider, other, true, endpoint).catch(() => null);
    try {
      return await own;
    } finally {
      await beside;
      shown();
    }
  }

  /** Make the model call. */
  async complete(
    provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint,
  ): Promise<AssistantTurn> {
    const begins = conversation.turns.every((turn) => turn.type !== "assistant" || turn.opaque == null);
    return watched(() => modelCall(endpoint.url, begins, () => this.ask(provider, conversation, stream, endpoint)));
  }
}

/** Stands for a way that the installed release does not have: nothing is claimed, and nothing asked. */
export function unfit(info: Info): Client {
  return { info, complete: () => Promise.reject(new Error("the installed release does not have this way")) };
}

/** What an agent's library calls a tool with. It gives what the tool returned. */
export type Work = (given: Fields) => Promise<Result>;

/** A way that has the library's own loop over tools. */
export abstract class AgentShim implements Agent {
  constructor(readonly info: Info) {}

  /** Do the task, and return what the model says at the end. Throws what the library throws. */
  abstract does(task: Task, endpoint: Endpoint, work: (tool: Tool) => Work): Promise<string>;

  /** Do the task. */
  async run(task: Task, endpoint: Endpoint, runTool: RunTool): Promise<string> {
    const shown = unobserved();
    try {
      return await watched(() => this.does(task, endpoint, (tool) => (given) => runTool(tool.name, given)));
    } finally {
      shown();
    }
  }
}

/** What an agent can do, by provider: what its way has of it. */
export function ofAgents(providers: Library["providers"]): Library["providers"] {
  return Object.fromEntries(Object.keys(providers).map((name) => [name, ["blocking", "streaming", "parallel_calls"]]));
}
