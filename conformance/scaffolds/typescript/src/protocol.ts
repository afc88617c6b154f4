// The protocol: JSON-RPC 2.0, one message a line, on standard input and output.
// The types are those of stdio.schema.json, which documents every field.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: any };

export interface Tool {
  name: string;
  description: string;
  parameters: Fields | null;
  /** The exact text of `parameters`: JavaScript reads large numbers inexactly. */
  parameters_json: string | null;
  strict: boolean | null;
  mcp: { server: string; tool: string } | null;
  builtin: string | null;
}

export interface Call {
  id: string;
  name: string;
  arguments?: Fields | null;
  /** The exact text of `arguments`. When both are given, the text counts. */
  arguments_json?: string | null;
  raw?: string | null;
  invalid?: boolean;
  /** The text of the arguments as the provider sent it. */
  sent?: string | null;
}

/** What there is to tell while a stream is open. */
export interface News {
  kind: "thinking" | "text" | "call" | "arguments" | "call_end" | "end";
  text?: string;
  /** The number of the call, from 0. */
  call?: number;
}

/** A stream that is read as it comes. Others may be open at the same time. */
export interface OpenStream {
  /** Take a chunk, cut anywhere, and tell what it brings. */
  feed(chunk: Buffer): Maybe<News[]>;
  /** No more comes; `lost` says that the connection broke. Tell the rest, and the turn. */
  end(lost: boolean): Maybe<{ news: News[]; turn: AssistantTurn }>;
}

export type Part =
  | { type: "text"; text: string }
  | { type: "json"; value: Json; value_json: string }
  | { type: "image"; media_type: string; data: { base64: string } };

export interface Result {
  call_id: string;
  name: string;
  content: Part[];
  is_error: boolean;
}

export interface ProviderError {
  message: string;
  status?: number | null;
  type?: string | null;
  retryable?: boolean | null;
  retry_after?: number | null;
}

export interface AssistantTurn {
  text?: string;
  calls?: Call[];
  stop?: "tool_calls" | "end" | "length" | "pause" | "refusal" | "error" | "incomplete";
  refusal?: string | null;
  usage?: { input_tokens: number; output_tokens: number } | null;
  error?: ProviderError | null;
  /** Whatever the adapter must get back verbatim on the next turn. */
  opaque?: any;
}

export type Turn =
  | { type: "user"; text: string }
  | ({ type: "assistant" } & AssistantTurn)
  | { type: "results"; results: Result[] }
  | { type: "decisions"; decisions: { call_id: string; name: string; accept: boolean }[] };

export interface Conversation {
  turns: Turn[];
  tools: Tool[];
  choice: { mode: "auto" | "none" | "required" | "tool"; name: string | null; parallel: boolean | null };
  system: string | null;
  model: string;
  max_tokens: number;
  reasoning: boolean;
  caching: boolean;
  /** The JSON Schema that the answer must fit. */
  output_json: string | null;
  profile: "portable" | "native";
}

export interface HttpRequest {
  method: string;
  url: string;
  headers: { [name: string]: string };
  body: Buffer;
}

export interface HttpResponse {
  status: number;
  headers: { [name: string]: string };
  body: Buffer;
}

export interface Endpoint {
  /** The base URL, on loopback. */
  url: string;
  api_key: string;
}

export interface Info {
  name: string;
  version: string;
  /** `translator` when nothing is said. */
  kind?: "translator" | "client" | "agent";
  homepage?: string;
  issues?: string;
  /** For each provider, the capabilities that the adapter claims there. */
  providers: { [provider: string]: string[] };
}

type Maybe<T> = T | Promise<T>;

export interface Translator {
  info: Info;
  buildRequest(provider: string, conversation: Conversation, stream: boolean): Maybe<HttpRequest>;
  parseResponse(provider: string, response: HttpResponse, conversation: Conversation): Maybe<AssistantTurn>;
  openStream(provider: string, conversation: Conversation): Maybe<OpenStream>;
}

/** An adapter that makes the model call itself. */
export interface Client {
  info: Info;
  complete(provider: string, conversation: Conversation, stream: boolean, endpoint: Endpoint): Maybe<AssistantTurn>;
  /** Make a streamed call while another one is made, and say what the first comes to. */
  completeBeside?(
    provider: string, conversation: Conversation, other: Conversation, endpoint: Endpoint,
  ): Maybe<AssistantTurn>;
  /** Make a streamed call, and tell what comes. Whoever leaves it wants no more. */
  streamNews?(provider: string, conversation: Conversation, endpoint: Endpoint): AsyncIterable<News>;
}

/** Runs a tool of an agent's, by its name and its arguments. The harness does it. */
export type RunTool = (name: string, given: Fields) => Promise<Result>;

/** An adapter with a loop over tools of its own. */
export interface Agent {
  info: Info;
  /** Do a task with the tools, and say what the model says at the end. */
  run(task: Task, endpoint: Endpoint, runTool: RunTool): Maybe<string>;
}

export interface Task {
  provider: string;
  task: string;
  tools: Tool[];
  system: string | null;
  stream: boolean;
}

/** The code of an error whose message says all. */
const SAYS_IT_ALL = -32001;

/** A failure with more to tell than its message. */
export class TellingError extends Error {
  constructor(message: string, readonly data: Fields) {
    super(message);
  }
}

type Adapter = Translator | Client | Agent;

const PROTOCOL = 1;

/** Answer requests until `shutdown`, or until standard input ends. */
export async function serve(adapter: Adapter): Promise<void> {
  console.log = console.info = console.debug = console.error; // standard output belongs to the protocol
  for await (const line of lines(process.stdin)) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) {
      WAITING.get(id)?.(result);
      continue;
    }
    const answered = answer(adapter, method, params).then((said) => write({ id, ...said }));
    if (method === "shutdown") return answered;
  }
}

/** Who waits for the answer to a request of our own. */
const WAITING = new Map<string, (result: Fields | undefined) => void>();
let asked = 0;
let last: Promise<unknown> = Promise.resolve();

/** Ask the harness, while it waits for an answer of ours. It takes one question at a time. */
function ask(method: string, params: Fields): Promise<Fields | undefined> {
  const id = `own-${++asked}`;
  const answered = last.then(() => new Promise<Fields | undefined>((resolve) => {
    WAITING.set(id, (result) => {
      WAITING.delete(id);
      resolve(result);
    });
    write({ id, method, params });
  }));
  last = answered;
  return answered;
}

function write(message: Fields): void {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

async function answer(adapter: Adapter, method: string, params: Fields): Promise<Fields> {
  const own = "complete" in adapter ? OF_CLIENTS : "run" in adapter ? OF_AGENTS : OF_TRANSLATORS;
  const operation = { ...COMMON, ...own }[method];
  if (!operation) return { error: { code: -32601, message: `there is no method ${method}` } };
  try {
    return { result: await operation(adapter, params) };
  } catch (problem) {
    if (problem instanceof TellingError) {
      return { error: { code: SAYS_IT_ALL, message: problem.message, data: problem.data } };
    }
    const detail = problem instanceof Error ? problem.stack : undefined;
    return { error: { code: -32000, message: String(problem), data: { detail } } };
  }
}

type Operations = { [method: string]: (adapter: any, params: any) => unknown };

const COMMON: Operations = {
  initialize: (adapter: Adapter) => {
    const more = {
      ...("openStream" in adapter ? { streams: true, tells: true } : {}),
      ...("streamNews" in adapter ? { tells: true } : {}),
      ...("completeBeside" in adapter ? { ways: ["beside"] } : {}),
    };
    return { protocol: PROTOCOL, adapter: { language: "typescript", kind: "translator", ...more, ...adapter.info } };
  },
  shutdown: () => null,
};

const OF_TRANSLATORS: Operations = {
  build_request: async (adapter: Translator, { provider, conversation, stream }) => {
    const request = await adapter.buildRequest(provider, conversation, stream);
    return { ...request, body: { base64: request.body.toString("base64") } };
  },
  parse_response: (adapter: Translator, { provider, response, conversation }) =>
    adapter.parseResponse(provider, { ...response, body: bytes(response.body.base64) }, conversation),
  parse_stream: async (adapter: Translator, { provider, chunks, conversation }) => {
    const stream = await adapter.openStream(provider, conversation);
    for (const chunk of chunks) await stream.feed(bytes(chunk));
    return (await stream.end(false)).turn;
  },
  open_stream: async (adapter: Translator, { stream, provider, conversation }) => {
    OPEN.set(stream, await adapter.openStream(provider, conversation));
    return null;
  },
  feed: async (_: Translator, { stream, chunk }) => ({ news: await OPEN.get(stream)!.feed(bytes(chunk)) }),
  end_stream: (_: Translator, { stream, lost }) => OPEN.get(stream)!.end(lost),
};

/** The streams that are open, by their numbers. */
const OPEN = new Map<number, OpenStream>();

const OF_CLIENTS: Operations = {
  complete: (adapter: Client, { provider, conversation, stream, endpoint, other }) =>
    other
      ? adapter.completeBeside!(provider, conversation, other.conversation, endpoint)
      : adapter.complete(provider, conversation, stream, endpoint),
  stream_news: async (adapter: Client, { provider, conversation, endpoint }) => {
    for await (const news of adapter.streamNews!(provider, conversation, endpoint)) {
      if (!(await ask("tell", news))?.more) break;
    }
    return null;
  },
};

const OF_AGENTS: Operations = {
  run: async (adapter: Agent, { endpoint, ...task }) => {
    const runTool: RunTool = async (name, given) => {
      const result = await ask("call_tool", { id: `tool-${asked}`, name, arguments: given });
      if (!result) throw new Error(`the harness did not run the tool ${name}`);
      return result as Result;
    };
    return { text: await adapter.run(task as Task, endpoint, runTool) };
  },
};

function bytes(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

/** The lines of a stream, however it is cut. */
async function* lines(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      pieces = [];
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
  }
}
