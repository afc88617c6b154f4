// What the shims of LangChain.js's chat models share as agents: its `createAgent` calls the tools, or the loop that its
// documentation writes.

import { declaredName, functionSchema, resultText } from "./application.js";
import { doors } from "./capture/doors.js";
import type { Provider } from "./langchain.js";
import type { Conversation, Endpoint, Fields, Info, Task, Tool } from "./protocol.js";
import { AgentShim, type Work } from "./shim.js";

const tools = await doors("langchain_tools");

/** What makes an agent go: its loop, blocking and streamed, over what was made. Each gives what is said at the end. */
export interface LoopWay {
  create: (settings: Fields) => any;
  invoke: (agent: any, task: string) => Promise<string>;
  stream: (agent: any, task: string) => Promise<string>;
  /** A tool in the way's own form, of what it does and its declaration; undefined: declared with its schema. */
  tool?: (tool: Tool, work: (input: Fields) => Promise<string>, declared: Fields) => Promise<any>;
}

/** A chat model with a loop over tools. */
export class LangChainAgent extends AgentShim {
  #provider: Provider;
  #way: LoopWay;

  constructor(info: Info, provider: Provider, way: LoopWay) {
    super(info);
    this.#provider = provider;
    this.#way = way;
  }

  async does(asked: Task, endpoint: Endpoint, work: (tool: Tool) => Work): Promise<string> {
    const conversation = { ...BARE, tools: asked.tools } as Conversation;
    const agent = this.#way.create({
      model: this.#provider.model(asked.provider, conversation, endpoint),
      tools: await Promise.all(asked.tools.map((tool) => this.#tool(tool, work(tool), conversation))),
      ...(asked.system === null ? {} : { systemPrompt: asked.system }),
    });
    return (asked.stream ? this.#way.stream : this.#way.invoke)(agent, asked.task);
  }

  async #tool(tool: Tool, work: Work, conversation: Conversation): Promise<any> {
    const declared = { name: declaredName(tool.name, conversation), description: tool.description };
    const does = async (input: Fields): Promise<string> => {
      const result = await work(input);
      if (result.is_error) throw new Error(resultText(result));
      return resultText(result);
    };
    const own = await this.#way.tool?.(tool, does, declared);
    return own ?? tools.createTool!(does, { ...declared, schema: functionSchema(tool) });
  }
}

const BARE: Conversation = {
  turns: [], tools: [], choice: { mode: "auto", name: null, parallel: null }, system: null, model: "test-model",
  max_tokens: 1024, reasoning: false, profile: "native",
};
