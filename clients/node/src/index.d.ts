/** Options that every server takes. */
export interface StartOptions {
  /** The Python that has toolcall-conformance. Default: `CONFORMANCE_PYTHON`, else `python3`, else `python`. */
  python?: string;
  /** Variables for the server, beside those of this process. */
  env?: Record<string, string>;
}

export interface ServeOptions extends StartOptions {
  /** What is played where a request chooses nothing. Default: the request's own tools are called. */
  scenario?: string;
  /** A folder of scenarios of your own. */
  scenarios?: string;
  profile?: "native" | "portable";
  /** Answer requests that break rules, and only report them. */
  lenient?: boolean;
  /** Wrong calls and errors, where a request chooses nothing. */
  provoke?: boolean;
  fault?: string;
  name?: string;
}

export interface RecordOptions extends StartOptions {
  /** Whom to ask: providers, or providers with base URLs of your own. */
  upstreams: string[] | Record<string, string>;
  /** What is done with cassettes that are there. Default: `new_episodes`. */
  mode?: "once" | "new_episodes" | "all";
}

export interface Finding {
  rule: string;
  level: "must" | "should" | "may";
  consequence: string;
  /** A JSON pointer into the request's body. */
  at: string;
  expected: unknown;
  found: unknown;
  [member: string]: unknown;
}

export interface Where {
  scenario?: string;
  session?: string;
  fault?: string;
}

export interface Server {
  /** Where it listens, such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** The base URL to give to a provider's SDK. */
  url(provider: string, where?: Where): string;
  /** End it, within ten seconds. */
  stop(): Promise<void>;
}

export interface StrictServer extends Server {
  /** What was wrong in the requests of a session, or in all of them. The last 500 are remembered. */
  findings(session?: string): Promise<Finding[]>;
  /** Throws a `FindingsError` unless every request conformed. */
  assertConforms(session?: string): Promise<void>;
  /** A scenario as it is on the wire of a provider. */
  scenario(id: string, provider?: string): Promise<Record<string, unknown>>;
}

/** A recorder or a player. `stop` throws a `RecordingError` when a request could be neither played nor recorded. */
export interface Recordings extends Server {}

export class PythonNotFoundError extends Error {}
export class ServeError extends Error {
  readonly output: string;
}
export class FindingsError extends Error {
  readonly findings: Finding[];
}
export class RecordingError extends Error {}

export function serve(options?: ServeOptions): Promise<StrictServer>;
export function record(folder: string, options: RecordOptions): Promise<Recordings>;
export function replay(folder: string, options?: StartOptions): Promise<Recordings>;
