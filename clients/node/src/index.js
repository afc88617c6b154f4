// A strict provider, a recorder and a player for tests, from Node. All of them are `conformance serve` in a child.

import { conformance, startServe } from "./process.js";

export { PythonNotFoundError, ServeError } from "./process.js";

/** A rule that a request broke. */
export class FindingsError extends Error {
  constructor(findings) {
    super(["requests break rules:", ...findings.map(lineOf)].join("\n"));
    this.name = "FindingsError";
    this.findings = findings;
  }
}

/** A request that could be neither played nor recorded. */
export class RecordingError extends Error {
  constructor(output) {
    super(output.trim());
    this.name = "RecordingError";
  }
}

const lineOf = (one) => `  ${one.rule} at ${one.at || "/"}: expected ${short(one.expected)}, found ${short(one.found)}`;
const short = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 200);

/** Options of `conformance serve`, by our own names. */
const FLAGS = { scenario: "--scenario", profile: "--profile", fault: "--fault", scenarios: "--scenarios", name: "--name" };

/** Start a strict provider. */
export async function serve(options = {}) {
  const words = Object.entries(FLAGS).flatMap(([name, flag]) => (options[name] === undefined ? [] : [flag, options[name]]));
  if (options.lenient) words.push("--lenient");
  if (options.provoke) words.push("--provoke");
  return start(StrictServer, words, options);
}

/** Start a recorder: what it is asked goes on to the providers in `upstreams`. */
export async function record(folder, { upstreams, mode, ...options }) {
  const named = Array.isArray(upstreams) ? upstreams : Object.entries(upstreams).map(([name, url]) => `${name}=${url}`);
  const words = ["--record", folder, ...named.flatMap((one) => ["--upstream", one])];
  return start(Recordings, mode === undefined ? words : [...words, "--record-mode", mode], options);
}

/** Start a player: nothing is sent anywhere. */
export async function replay(folder, options = {}) {
  return start(Recordings, ["--replay", folder], options);
}

async function start(Kind, words, options) {
  const { python, output } = await conformance(options.python, ["list", "providers", "--format", "json"]);
  const paths = Object.fromEntries(JSON.parse(output).map((one) => [one.id, new URL(one.base_url).pathname.replace(/\/$/, "")]));
  const [origin, child] = await startServe(python, words, options.env);
  return new Kind(origin, child, paths);
}

class Server {
  #paths;

  constructor(origin, child, paths) {
    this.origin = origin;
    this.child = child;
    this.#paths = paths;
  }

  /** The base URL to give to a provider's SDK. */
  url(provider, { scenario, session, fault } = {}) {
    if (!(provider in this.#paths)) {
      throw new TypeError(`unknown provider ${provider}; there are ${Object.keys(this.#paths).join(", ")}`);
    }
    const parts = Object.entries({ p: provider, s: scenario, id: session, fault });
    const prefix = parts.filter(([, value]) => value !== undefined).map(([word, value]) => `/${word}/${encodeURIComponent(value)}`);
    return this.origin + prefix.join("") + this.#paths[provider];
  }
}

class StrictServer extends Server {
  /** What was wrong in the requests, the first request's first. */
  async findings(session) {
    const answer = await fetch(`${this.origin}/conformance/findings?limit=500`);
    const { exchanges } = await answer.json();
    const ours = exchanges.filter((one) => session === undefined || one.session === session);
    return ours.reverse().flatMap((one) => one.findings);
  }

  /** Throw a `FindingsError` unless every request conformed. */
  async assertConforms(session) {
    const found = await this.findings(session);
    if (found.length) throw new FindingsError(found);
  }

  /** A scenario as it is on the wire of a provider. */
  async scenario(id, provider) {
    const query = provider === undefined ? "" : `?provider=${encodeURIComponent(provider)}`;
    const answer = await fetch(`${this.origin}/conformance/scenarios/${encodeURIComponent(id)}${query}`);
    if (!answer.ok) throw new TypeError(await answer.text());
    return answer.json();
  }

  /** End the server. */
  async stop() {
    await this.child.end();
  }
}

class Recordings extends Server {
  /** End it. Throws a `RecordingError` when a request could be neither played nor recorded. */
  async stop() {
    const code = await this.child.end();
    if (code === 1) throw new RecordingError(this.child.output);
  }
}
