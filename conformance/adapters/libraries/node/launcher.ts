// Starts the shim beside it. One that cannot be loaded with the library that is installed says so in the protocol.

import { createInterface } from "node:readline";

import { obstacleOf } from "./obstacles.js";

const UNUSABLE = -32003;
const SHIM = "./library.mjs";

try {
  await import(SHIM);
} catch (problem) {
  const obstacle = obstacleOf(problem);
  if (!obstacle) throw problem;
  const { error } = obstacle;
  for await (const line of createInterface(process.stdin)) {
    const { id } = JSON.parse(line);
    const data = { detail: (problem as Error).stack, obstacle };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: UNUSABLE, message: error, data } }));
  }
}
