// The loop over tools that LangChain's documentation writes: call, run each tool with its call, call again.

import { doors } from "./capture/doors.js";
import type { LoopWay } from "./langchain_loops.js";
import type { Fields } from "./protocol.js";

const chat = await doors("langchain");
const tools = await doors("langchain_tools");

/** How often a model is called at most. */
const MOST = 20;

/** What the loop goes over. */
interface Looping {
  model: any;
  tools: any[];
  systemPrompt?: string;
}

type Asks = (model: any, messages: any[]) => Promise<any>;
type Runs = (tool: any, calls: Fields[]) => Promise<any[]>;

const oneByOne: Runs = (tool, calls) => Promise.all(calls.map((call) => tools.invokeTool!(tool, call)));

export const LOOP = loopOf(oneByOne);
export const BATCHES = loopOf((tool, calls) => tools.batchTool!(tool, calls));

function loopOf(runs: Runs): LoopWay {
  return {
    create: ({ model, tools: given, ...said }) => ({ model: chat.bindTools!(model, given), tools: given, ...said }),
    invoke: (made, task) => looped(made, task, chat.invoke!, runs),
    stream: (made, task) => looped(made, task, chat.collect!, runs),
  };
}

async function looped(made: Looping, task: string, asks: Asks, runs: Runs): Promise<string> {
  const said = made.systemPrompt === undefined ? [] : [new chat.SystemMessage!(made.systemPrompt)];
  const messages: any[] = [...said, new chat.HumanMessage!(task)];
  for (let turn = 0; turn < MOST; turn += 1) {
    const answer = await asks(made.model, messages);
    messages.push(answer);
    const calls: Fields[] = answer.tool_calls ?? [];
    if (!calls.length) return answer.text;
    for (const own of made.tools) {
      const asked = calls.filter((call) => call.name === own.name);
      const answers = asked.length ? await runs(own, asked) : [];
      messages.push(...answers.map((answer, place) => asMessage(answer, asked[place]!)));
    }
  }
  throw new Error(`the model calls tools without end: ${MOST} times`);
}

/** What a tool answered as a message: a runnable as a tool gives what it gives. */
function asMessage(answer: any, { id, name }: Fields): any {
  return typeof answer === "string" ? new chat.ToolMessage!({ content: answer, tool_call_id: id, name }) : answer;
}
