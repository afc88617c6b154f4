#!/usr/bin/env node
// @ts-check
// Plays the cases of an export against an adapter over stdio, and prints which rules it breaks.
//
//   node run.js EXPORT [--provider P] [--scenario TEXT] [--json] -- COMMAND...

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "./exact.js";
import { play } from "./play.js";
import { found } from "./relations.js";
import { StdioAdapter } from "./stdio.js";

/** @param {string[]} parts */
const load = (...parts) => parse(readFileSync(join(...parts), "utf8"));

/** @param {string[]} words */
function options(words) {
  const split = words.indexOf("--");
  const told = split < 0 ? words : words.slice(0, split);
  /** @param {string} name */
  const option = (name) => (told.includes(name) ? told[told.indexOf(name) + 1] : undefined);
  return { folder: told[0], provider: option("--provider"), scenario: option("--scenario"), json: told.includes("--json"), command: split < 0 ? [] : words.slice(split + 1) };
}

async function main() {
  const { folder, provider, scenario, json, command } = options(process.argv.slice(2));
  if (!folder || !command.length) {
    process.stderr.write("usage: node run.js EXPORT [--provider P] [--scenario TEXT] [--json] -- COMMAND...\n");
    return 2;
  }
  const manifest = load(folder, "manifest.json");
  const adapter = new StdioAdapter(command);
  try {
    return await judged(adapter, manifest, { folder, provider, scenario, json });
  } finally {
    await adapter.close();
  }
}

/** Play and report. @param {StdioAdapter} adapter @param {any} manifest @param {{folder: string, provider?: string, scenario?: string, json: boolean}} wanted */
async function judged(adapter, manifest, { folder, provider, scenario, json }) {
  const introduced = await adapter.ask("initialize", { protocol: 1n, harness: { name: "conformance-export-runner", version: "1" } });
  /** @type {Map<string, any>} */
  const schemas = new Map();
  const schemaOf = (/** @type {string} */ name) => schemas.get(name) ?? schemas.set(name, load(folder, "schemas", `${name}.request.schema.json`)).get(name);
  /** @type {{[rule: string]: any[]}} */
  const failed = {};
  const asserted = new Set();
  let cases = 0;
  for (const name of Object.keys(manifest.providers)) {
    const claims = introduced.adapter.providers[name];
    if (!claims || (provider && provider !== name)) continue;
    const assertions = load(folder, name, "assertions.json");
    for (const file of readdirSync(join(folder, name, "cases")).sort()) {
      if (scenario && !file.includes(scenario)) continue;
      const document = load(folder, name, "cases", file);
      if (!document.needs.every((/** @type {string} */ need) => claims.includes(need))) continue;
      cases += 1;
      const { faults, asserted: here } = await play(adapter, document, assertions, manifest.deliveries, schemaOf);
      for (const rule of here) asserted.add(rule);
      for (const { rule, call, delivery, assertion, record } of faults) {
        const at = `${name}/${document.scenario} (${document.profile}), call ${call + 1}, ${delivery}`;
        (failed[rule] ??= []).push({ case: at, elsewhere: document.elsewhere, assertion, found: found(assertion, record) });
      }
    }
  }
  const wrong = Object.entries(failed).filter(([rule, all]) => manifest.rules[rule].level === "must" && all.some((one) => !one.elsewhere));
  if (json) process.stdout.write(`${stringify({ cases: BigInt(cases), asserted: [...asserted].sort(), failed })}\n`);
  else report(failed, manifest, cases, asserted.size);
  return wrong.length ? 1 : 0;
}

/** @param {{[rule: string]: any[]}} failed @param {any} manifest @param {number} cases @param {number} rules */
function report(failed, manifest, cases, rules) {
  const lines = Object.entries(failed).flatMap(([rule, all]) => [
    `${rule} (${manifest.rules[rule].level}): ${manifest.rules[rule].statement}`,
    `  ${all.length} times, first in ${all[0].case}`,
    `  asserted ${stringify(all[0].assertion)}`,
    `  found ${all[0].found}`,
  ]);
  process.stdout.write([...lines, `${cases} cases, ${rules} rules asserted, ${Object.keys(failed).length} broken`, ""].join("\n"));
}

try {
  process.exitCode = await main();
} catch (problem) {
  process.stderr.write(`run.js: ${problem instanceof Error ? problem.message : problem}\n`);
  process.exitCode = 3;
}
