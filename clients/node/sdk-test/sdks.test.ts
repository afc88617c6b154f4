// The official SDKs and the AI SDK against a strict provider, and recorded and played. Needs `npm install`.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { record, replay } from "@toolcall-conformance/client";
import { useServer } from "@toolcall-conformance/client/vitest";

const apiKey = "any";
const server = useServer();
const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

describe("own tools", () => {
  test("openai", async () => {
    const client = new OpenAI({ apiKey, baseURL: server.url("openai-chat", { session: "openai" }), maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "What is the weather?" }];
    const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "weather", parameters } }];
    for (let turn = 0; turn < 9; turn++) {
      const { message } = (await client.chat.completions.create({ model: "gpt-4o", messages, tools })).choices[0]!;
      messages.push(message);
      if (!message.tool_calls) break;
      for (const call of message.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: "sunny" });
    }
    expect(messages.at(-1)!.role).toBe("assistant");
    await server.assertConforms("openai");
  });

  test("anthropic, a result is lost", async () => {
    const baseURL = server.url("anthropic", { session: "lost" });
    const client = new Anthropic({ apiKey, baseURL, maxRetries: 0 });
    const tools = [{ name: "weather", input_schema: parameters }];
    const asked: Anthropic.MessageParam = { role: "user", content: "What is the weather?" };
    const said = await client.messages.create({ model: "claude", max_tokens: 99, messages: [asked], tools });
    const messages: Anthropic.MessageParam[] = [asked, { role: "assistant", content: said.content }, asked];
    await expect(client.messages.create({ model: "claude", max_tokens: 99, messages, tools })).rejects.toThrow(/400/);
    await expect(server.assertConforms("lost")).rejects.toThrow(/common\.result\.exactly-one-per-call/);
  });

  test("@google/genai", async () => {
    const baseUrl = server.url("gemini", { session: "gemini" });
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
    const said = await client.models.generateContent({ model: "gemini-flash", contents: "Hello" });
    expect(said.text).toBeTruthy();
    await server.assertConforms("gemini");
  });

  test("ai", async () => {
    const provider = createOpenAI({ apiKey, baseURL: server.url("openai-chat", { session: "ai" }) });
    const weather = tool({ inputSchema: jsonSchema(parameters), execute: async () => "sunny" });
    const options = { model: provider.chat("gpt-4o"), tools: { weather }, stopWhen: stepCountIs(9), maxRetries: 0 };
    const { text } = await generateText({ ...options, prompt: "What is the weather?" });
    expect(text).toBeTruthy();
    await server.assertConforms("ai");
  });
});

test("recorded once, played without a provider", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cassettes-"));
  const ask = async (baseURL: string) => {
    const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: "gpt-4o",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    return text;
  };
  const recorder = await record(folder, { upstreams: { "openai-chat": server.url("openai-chat") } });
  const said = await ask(recorder.url("openai-chat", { session: "hello" }));
  await recorder.stop();
  const player = await replay(folder);
  expect(await ask(player.url("openai-chat", { session: "hello" }))).toBe(said);
  await player.stop();
}, 60_000);
