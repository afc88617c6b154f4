// The helpers under jest. Needs `npm install`.

import { expect, test } from "@jest/globals";

import { useServer } from "@toolcall-conformance/client/jest";

const server = useServer();

test("a request that conforms", async () => {
  const answer = await fetch(`${server.url("ollama", { session: "jest" })}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "llama3", messages: [{ role: "user", content: "Hi" }], stream: false }),
  });
  expect(answer.status).toBe(200);
  await server.assertConforms("jest");
}, 60_000);
