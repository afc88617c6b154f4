// What the shims of Vercel's AI SDK share as agents: the SDK's own loop calls the tools.

import type { Provider } from "./ai_sdk.js";
import { declaredName, functionSchema, resultText } from "./application.js";
import { doors } from "./capture/doors.js";
import type { Conversation, Endpoint, Fields, Info, Task, Tool } from "./protocol.js";
import { AgentShim, type Work } from "./shim.js";

const { jsonSchema } = await doors("ai_sdk");

/** The doors of a loop, blocking and streamed: each says what the model says at the end. */
export interface LoopDoors {
  generate: (asked: Fields) => Promise<string>;
  stream: (asked: Fields) => Promise<string>;
  createTool: (declared: Fields, work: (input: Fields) => Promise<string>) => any;
  /** What declares the parameters of tools. */
  schemas: "jsonSchema" | "zod";
  /** What the way calls the system prompt. */
  system: "system" | "instructions";
}

const MODEL = "test-model";
const MAX_TOKENS = 1024;

/** A provider package with a loop over tools. */
export class AISDKAgent extends AgentShim {
  #provider: Provider;
  #doors: LoopDoors;

  constructor(info: Info, provider: Provider, way: LoopDoors) {
    super(info);
    this.#provider = provider;
    this.#doors = way;
  }

  async does({ provider, task, tools, system, stream }: Task, endpoint: Endpoint, work: (tool: Tool) => Work) {
    const conversation = { ...BARE, tools } as Conversation;
    const declared = await Promise.all(tools.map(async (tool) => [
      declaredName(tool.name, conversation), await this.#tool(tool, work(tool)),
    ]));
    const options = this.#provider.options(provider, conversation);
    const asked: Fields = {
      model: this.#provider.model(provider, conversation, endpoint),
      ...(system === null ? {} : { [this.#doors.system]: system }),
      prompt: task,
      tools: Object.fromEntries(declared),
      maxOutputTokens: MAX_TOKENS,
      maxRetries: 0,
      ...(Object.keys(options).length ? { providerOptions: { [this.#provider.key]: options } } : {}),
    };
    return (stream ? this.#doors.stream : this.#doors.generate)(asked);
  }

  async #tool(tool: Tool, work: Work): Promise<any> {
    const inputSchema = (await this.#zodSchema(tool)) ?? jsonSchema!(functionSchema(tool));
    const strict = tool.strict === null ? {} : { strict: tool.strict };
    const declared = { description: tool.description, inputSchema, ...strict };
    return this.#doors.createTool(declared, async (input) => {
      const result = await work(input);
      if (result.is_error) throw new Error(resultText(result));
      return resultText(result);
    });
  }

  async #zodSchema(tool: Tool): Promise<any> {
    if (this.#doors.schemas !== "zod") return undefined;
    const { zodSchema } = await import("./zod_schemas.js");
    return zodSchema(tool);
  }
}

/** What a conversation says that asks for nothing but a task. */
const BARE: Conversation = {
  turns: [], tools: [], choice: { mode: "auto", name: null, parallel: null }, system: null, model: MODEL,
  max_tokens: MAX_TOKENS, reasoning: false, profile: "native",
};
