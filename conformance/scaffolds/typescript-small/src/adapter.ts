// An adapter for {{titles}}: make it yours.
// What it does not do yet is not declared in `CAPABILITIES`, and reported as unsupported.

import { read } from "./exact.js";
import { type Draft, failed, type Format, isObject } from "./format.js";
{{imports}}
import type {
  AssistantTurn, Conversation, HttpRequest, HttpResponse, Info, News, OpenStream, Translator,
} from "./protocol.js";
import { Events } from "./sse.js";

const CAPABILITIES = [
  "blocking", "streaming", "parallel_calls", "tool_choice", "json_results", "error_results", "errors",
];

const FORMATS: { [provider: string]: Format } = {
{{formats}}
};

export class Adapter implements Translator {
  info: Info = {
    name: "{{name}}",
    version: "0.1.0",
    providers: Object.fromEntries(Object.keys(FORMATS).map((provider) => [provider, CAPABILITIES])),
  };

  /** The request that continues the conversation. */
  buildRequest(provider: string, conversation: Conversation, stream: boolean): HttpRequest {
    return FORMATS[provider]!.request(conversation, stream);
  }

  /** The turn in a complete answer, HTTP errors included. */
  parseResponse(provider: string, response: HttpResponse, conversation: Conversation): AssistantTurn {
    const body = read(response.body.toString());
    if (response.status >= 400 || !isObject(body)) {
      const [document] = [body].flat();
      return failed(isObject(document?.error) ? document.error : {}, response);
    }
    return FORMATS[provider]!.turn(body, conversation);
  }

  /** A stream, to be read as it comes. */
  openStream(provider: string, conversation: Conversation): OpenStream {
    return new Stream(FORMATS[provider]!.draft(conversation));
  }
}

/** A stream as far as it has come. */
class Stream implements OpenStream {
  #events = new Events();
  #draft: Draft;
  #damaged = false;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  feed(chunk: Buffer): News[] {
    return this.#take(this.#events.feed(chunk));
  }

  end(lost: boolean): { news: News[]; turn: AssistantTurn } {
    const news = this.#take(this.#events.end());
    const turn = this.#draft.turn(!this.#damaged);
    return { news: [...news, { kind: "end", text: turn.stop }], turn };
  }

  #take(events: Iterable<string>): News[] {
    return [...events].flatMap((data) => {
      if (data.trim() === "[DONE]") return [];
      const event = read(data);
      if (isObject(event)) return [...this.#draft.take(event)];
      this.#damaged = true; // nobody knows what was in it
      return [];
    });
  }
}
