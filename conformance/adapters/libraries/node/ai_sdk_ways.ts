// The ways into the AI SDK: a step of a conversation, as a client, or its own loop over tools.

import { AISDK, type Provider, type StepDoors } from "./ai_sdk.js";
import { AISDKAgent, type LoopDoors } from "./ai_sdk_loops.js";
import { doors } from "./capture/doors.js";
import { has } from "./features.js";
import { serve } from "./protocol.js";
import { introduction, ofAgents, unfit } from "./shim.js";
import { chosen } from "./way.js";

const ABOUT = { homepage: "https://ai-sdk.dev", issues: "https://github.com/vercel/ai/issues" };

/** The release that the shims are written for: `parameters` of tools have been `inputSchema` since. */
const RELEASE = "ai:stepCountIs";
const AGENT = "ai:ToolLoopAgent";
const STRICT = "@ai-sdk/provider:LanguageModelV*FunctionTool(strict)";

/** A way: its doors, as a client or as an agent, and what it needs of the release. */
type AIWay = { needs: string; steps: () => Promise<StepDoors> } | { needs: string; loop: () => Promise<LoopDoors> };

const WAYS: { [way: string]: AIWay } = {
  "generate-text": {
    needs: RELEASE,
    steps: async () => {
      const { generateText, streamStep, eachPart } = await doors("ai_sdk");
      return { generated: generateText, streamed: streamStep, eachPart, system: "system" };
    },
  },
  "agent-step": { needs: AGENT, steps: async () => stepsOf(await doors("ai_sdk_agent"), "instructions") },
  "watched-step": { needs: AGENT, steps: async () => stepsOf(await doors("ai_sdk_watched"), "system") },
  "stop-when": { needs: RELEASE, loop: async () => loopOf(await doors("ai_sdk_loop"), "jsonSchema", "system") },
  zod: { needs: RELEASE, loop: async () => loopOf(await doors("ai_sdk_loop"), "zod", "system") },
  "tool-loop-agent": {
    needs: AGENT, loop: async () => loopOf(await doors("ai_sdk_agent"), "jsonSchema", "instructions"),
  },
  "watched-agent": {
    needs: AGENT, loop: async () => loopOf(await doors("ai_sdk_watched"), "jsonSchema", "instructions"),
  },
};

type Members = Awaited<ReturnType<typeof doors>>;

function stepsOf({ generateStep, streamStep, eachPart }: Members, system: StepDoors["system"]): StepDoors {
  return { generated: generateStep, streamed: streamStep, eachPart, system };
}

/** A loop whose tools are made as those of all loops, unless its module of doors has others. */
async function loopOf(
  { generate, stream, createTool }: Members, schemas: LoopDoors["schemas"], system: LoopDoors["system"],
): Promise<LoopDoors> {
  const making = createTool ?? (await doors("ai_sdk_loop")).createTool;
  return { generate, stream, createTool: making, schemas, system };
}

/** Serve a provider package in the way that was asked for. */
export async function serveAISDK(provider: Provider): Promise<void> {
  const way = chosen(WAYS);
  const ofAll = Object.fromEntries(Object.keys(provider.providers).map((name) => [name, [RELEASE, way.needs]]));
  const fits = await has(way.needs);
  const needs = { ...provider.needs, strict: [STRICT], ...ofAll };
  if ("loop" in way) {
    const agent = { ...provider, providers: ofAgents(provider.providers), needs: ofAll };
    const info = await introduction(agent, ABOUT, "agent");
    return serve(fits ? new AISDKAgent(info, provider, await way.loop()) : unfit(info));
  }
  const info = await introduction({ ...provider, needs }, ABOUT, "client");
  return serve(fits ? new AISDK(info, provider, await way.steps()) : unfit(info));
}
