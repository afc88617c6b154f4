// An adapter that is a program: asked over its standard input and output, one question at a time (docs/stdio.md).

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { parse, stringify } from "./exact.ts";
import type { Adapter } from "./types.ts";

/** The adapter answered with an error, said nothing in time, or ended. */
export class AdapterFailure extends Error {}

export class StdioAdapter implements Adapter {
  private readonly milliseconds: number;
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private number = 0n;
  private waiting: null | ((line: string | null) => void) = null;
  private ended = false;

  /** `milliseconds`: how long it may take to answer. */
  constructor(words: string[], milliseconds = 60_000) {
    this.milliseconds = milliseconds;
    this.child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.child.stdout, crlfDelay: 0 }).on("line", (line) => this.hear(line));
    const end = () => ((this.ended = true), this.hear(null));
    this.child.on("close", end).on("error", end);
    this.child.stdin.on("error", () => undefined);
  }

  private hear(line: string | null): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.(line);
  }

  async ask(method: string, params: any): Promise<any> {
    if (this.ended) throw new AdapterFailure("the adapter has ended");
    this.number += 1n;
    const timer = setTimeout(() => this.child.kill("SIGKILL"), this.milliseconds);
    const line = await new Promise<string | null>((resolve) => {
      this.waiting = resolve;
      this.child.stdin.write(`${stringify({ jsonrpc: "2.0", id: this.number, method, params })}\n`);
    });
    clearTimeout(timer);
    if (line === null) throw new AdapterFailure("the adapter ended, or took too long");
    const answer = parse(line);
    if (answer.error) throw new AdapterFailure(answer.error.message);
    return answer.result;
  }

  /** End it. */
  async close() {
    await this.ask("shutdown", {}).catch(() => undefined);
    this.child.stdin.end();
    setTimeout(() => this.child.kill("SIGKILL"), 2000).unref();
  }
}
