import type { Readable, Writable } from "node:stream";

/** A call, in any of the forms that projects have: with an object of arguments, or with its JSON text. */
export type FoundCall =
  | { id: string; name: string; input: unknown }
  | { id: string; name: string; arguments: unknown }
  | { id: string; name: string; argumentsJson: string };

/** A call as `buildToolResults` gets it back. */
export interface GivenCall {
  id: string;
  name: string;
  /** `null` where the model wrote no object. */
  input: Record<string, unknown> | null;
  argumentsJson: string;
}

export interface ToolOutput {
  /** The id of its call. */
  id: string;
  name: string;
  outputText: string;
  isError: boolean;
}

export interface DeclaredTool {
  name: string;
  description: string;
  parameters: Record<string, unknown> | null;
}

type Maybe<T> = T | Promise<T>;

/** An application's functions for one provider. */
export interface Functions {
  /** From the decoded body of an answer to its calls. */
  parseToolCalls(body: any): Maybe<FoundCall[]>;
  /** From the calls and what the tools returned, in the order in which they finished, to the message or messages. */
  buildToolResults(calls: GivenCall[], outputs: ToolOutput[]): Maybe<unknown>;
  /** From tools to the value of the request's `tools`. Default: the provider's documented form. */
  convertTools?(tools: DeclaredTool[]): Maybe<unknown>;
  /** An accumulator alone: from the decoded events of a stream to the turn. Who has it declares `streaming`. */
  readStream?(events: any[]): Maybe<{ text: string; calls: FoundCall[] }>;
}

export interface FunctionsOptions {
  name: string;
  version?: string;
  homepage?: string;
  issues?: string;
  /** What is declared at each provider. Default: blocking, parallel_calls, json_results and error_results. */
  capabilities?: string[];
  /** How bodies and events are read. Default: `JSON.parse`, which rounds integers above 2^53. */
  parseJson?(text: string): any;
  /** The functions, by the provider's id: `conformance list providers`. */
  providers: Record<string, Functions>;
}

export interface FunctionsAdapter {
  readonly info: Record<string, unknown>;
  /** Answer what the harness asks on standard input, until it says goodbye. */
  serve(input?: Readable, output?: Writable): Promise<void>;
}

/** An adapter of functions: `conformance run "stdio:node my-functions.js"` judges what they do. */
export function fromFunctions(options: FunctionsOptions): FunctionsAdapter;
