// What all shims share: who they are, and that they notice what the library leaves behind.

import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

import { modelCall, unobserved } from "./capture/doors.js";
import type { AssistantTurn, Client, Conversation, Endpoint, Info, News } from "./protocol.js";

/** A library as the report names it, with what it can do for each provider. */
export interface Library {
  name: string;
  distribution: string;
  providers: { [provider: string]: string[] };
}

/** The version of an installed package. */
export function versionOf(distribution: string): string {
  const file = new URL(`../node_modules/${distribution}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

const unhandled: unknown[] = [];
process.on("unhandledRejection", (problem) => unhandled.push(problem));

/** A client around one library. */
export abstract class Shim implements Client {
  info: Info;

  constructor({ name, distribution, providers }: Library, homepage: string, issues: string) {
    this.info = { name, version: versionOf(distribution), kind: "client", homepage, issues, providers };
  }

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

  /** Make the model call. A promise that the library leaves unhandled would have ended an application's process. */
  async complete(
    provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint,
  ): Promise<AssistantTurn> {
    unhandled.length = 0;
    const begins = conversation.turns.every((turn) => turn.type !== "assistant" || turn.opaque == null);
    const turn = await modelCall(endpoint.url, begins, () => this.ask(provider, conversation, stream, endpoint));
    await setImmediate();
    if (unhandled.length) throw new Error(`an unhandled rejection, which ends a process: ${unhandled[0]}`);
    return turn;
  }
}
