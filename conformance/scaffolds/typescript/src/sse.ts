// Server-sent events, read as they come.

/** The data of events: lines may end in CR, LF or both, and one event may have many. */
export class Events {
  #decoder = new TextDecoder(); // which drops a byte-order mark
  #rest = "";
  #afterReturn = false;
  #data: string[] = [];

  /** The events that a chunk ends. */
  *feed(chunk?: Buffer): Generator<string> {
    const text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
    if (!text) return;
    const fresh = this.#afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterReturn = text.endsWith("\r");
    const lines = (this.#rest + fresh).split(/\r\n|\r|\n/);
    this.#rest = lines.pop()!;
    for (const line of lines) yield* this.#line(line);
  }

  /** The event that was not ended. */
  *end(): Generator<string> {
    yield* this.feed();
    yield* this.#line(this.#rest);
    yield* this.#line("");
  }

  *#line(line: string): Generator<string> {
    if (line.startsWith("data:")) {
      this.#data.push(line.slice(5).replace(/^ /, ""));
    } else if (!line && this.#data.length) {
      yield this.#data.join("\n");
      this.#data = [];
    }
  }
}
