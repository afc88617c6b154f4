// The package without any SDK: plain fetch against real servers. CONFORMANCE_PYTHON says which Python has the package.

import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { FindingsError, PythonNotFoundError, RecordingError, ServeError, record, replay, serve } from "../src/index.js";

const KEY = "sk-proj-Zx81mQp0vKr7TtWb3LhN5cYd";
const chat = (base, messages, more = {}) =>
  fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "gpt-4o", messages, ...more }),
  });
const HI = [{ role: "user", content: "Hi" }];

test("a strict provider tells what is wrong, session by session", async () => {
  const server = await serve({ lenient: true });
  try {
    const good = server.url("openai-chat", { session: "good" });
    assert.match(good, /\/p\/openai-chat\/id\/good\/v1$/);
    assert.equal((await chat(good, HI)).status, 200);
    await chat(server.url("openai-chat", { session: "bad" }), [{ role: "tool", tool_call_id: "no", content: "?" }]);
    await server.assertConforms("good");
    await assert.rejects(server.assertConforms("bad"), (problem) => {
      assert.ok(problem instanceof FindingsError);
      assert.ok(problem.findings.some((one) => one.rule === "common.result.no-orphan"));
      assert.match(problem.message, /common\.result\.no-orphan at \/messages\/0/);
      return true;
    });
    assert.equal((await server.scenario("shell.success", "gemini")).provider, "gemini");
    await assert.rejects(server.scenario("shell.sucess"), /did you mean 'shell.success'/);
    assert.throws(() => server.url("openai"), /unknown provider openai; there are openai-chat/);
  } finally {
    await server.stop();
  }
});

test("what is recorded is played, and what is not is told", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cassettes-"));
  const provider = await serve();
  const recorder = await record(folder, { upstreams: { "openai-chat": provider.url("openai-chat") } });
  const said = await (await chat(recorder.url("openai-chat", { session: "one" }), HI)).text();
  const streamed = await (await chat(recorder.url("openai-chat", { session: "one" }), HI, { stream: true })).text();
  await recorder.stop();
  await provider.stop();
  assert.ok(!(await readFile(join(folder, "openai-chat", "one.json"), "utf8")).includes(KEY));

  const player = await replay(folder);
  const base = player.url("openai-chat", { session: "one" });
  assert.equal(await (await chat(base, HI)).text(), said);
  assert.equal(await (await chat(base, HI, { stream: true })).text(), streamed);
  assert.equal((await chat(base, [{ role: "user", content: "Bye" }])).status, 404);
  await assert.rejects(player.stop(), (problem) => {
    assert.ok(problem instanceof RecordingError);
    assert.match(problem.message, /recorded 'Hi', sent 'Bye'/);
    return true;
  });
});

test("a Python that is not there, or lacks the package, is one clear message", async () => {
  await assert.rejects(serve({ python: "no-such-python" }), (problem) => {
    assert.ok(problem instanceof PythonNotFoundError);
    assert.match(problem.message, /no-such-python: there is no such command/);
    assert.match(problem.message, /pip install toolcall-conformance/);
    return true;
  });
});

test("what the server itself refuses is passed on", async () => {
  await assert.rejects(serve({ scenario: "shell.sucess" }), (problem) => {
    assert.ok(problem instanceof ServeError);
    assert.match(problem.message, /did you mean 'shell.success'/);
    return true;
  });
});
