// What shims tell while a stream is open: a library's own events, in the protocol's words.

import { applicationName } from "./application.js";
import type { Conversation, News } from "./protocol.js";

/** Numbers the calls of a stream. `key` is what the library's events tell them apart by. */
export class CallNews {
  #conversation: Conversation;
  #begun = new Map<unknown, number>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** An event that is about a call. The first that knows its name tells that it begins. */
  *begins(key: unknown, name: string | undefined): Generator<News> {
    if (!name || this.#begun.has(key)) return;
    this.#begun.set(key, this.#begun.size);
    yield { kind: "call", text: applicationName(name, this.#conversation), call: this.#begun.get(key)! };
  }

  /** An event that brings a fragment of the text of a call's arguments. */
  *says(key: unknown, text: string): Generator<News> {
    const call = this.#begun.get(key);
    if (call !== undefined && text) yield { kind: "arguments", text, call };
  }

  /** An event that says that a call is whole. */
  *ends(key: unknown): Generator<News> {
    const call = this.#begun.get(key);
    if (call !== undefined) yield { kind: "call_end", call };
  }
}
