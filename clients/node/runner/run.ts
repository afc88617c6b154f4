#!/usr/bin/env node
// Plays the cases of an export against an adapter over stdio, and prints which rules it breaks.
//
//   node run.ts EXPORT [--provider P] [--scenario TEXT] [--json] -- COMMAND...

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "./exact.ts";
import { play } from "./play.ts";
import { found } from "./relations.ts";
import { StdioAdapter } from "./stdio.ts";
import type { SchemaOf } from "./types.ts";

const load = (...parts: string[]) => parse(readFileSync(join(...parts), "utf8"));

function options(words: string[]) {
  const split = words.indexOf("--");
  const told = split < 0 ? words : words.slice(0, split);
  const option = (name: string) => (told.includes(name) ? told[told.indexOf(name) + 1] : undefined);
  return {
    folder: told[0],
    provider: option("--provider"),
    scenario: option("--scenario"),
    json: told.includes("--json"),
    command: split < 0 ? [] : words.slice(split + 1),
  };
}

async function main() {
  const { folder, provider, scenario, json, command } = options(process.argv.slice(2));
  if (!folder || !command.length) {
    process.stderr.write(
      "usage: conformance-export EXPORT [--provider P] [--scenario TEXT] [--json] -- COMMAND...\n",
    );
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

interface Wanted {
  folder: string;
  provider?: string;
  scenario?: string;
  json: boolean;
}

/** Play and report. */
async function judged(adapter: StdioAdapter, manifest: any, { folder, provider, scenario, json }: Wanted) {
  const introduced = await adapter.ask("initialize", {
    protocol: 1n,
    harness: { name: "conformance-export-runner", version: "1" },
  });
  const schemas: Map<string, any> = new Map();
  const schemaOf: SchemaOf = (name) =>
    schemas.get(name) ?? schemas.set(name, load(folder, "schemas", `${name}.request.schema.json`)).get(name);
  const failed: { [rule: string]: any[] } = {};
  const asserted = new Set<string>();
  let cases = 0;
  for (const name of Object.keys(manifest.providers)) {
    const claims = introduced.adapter.providers[name];
    if (!claims || (provider && provider !== name)) continue;
    const assertions = load(folder, name, "assertions.json");
    for (const file of readdirSync(join(folder, name, "cases")).sort()) {
      if (scenario && !file.includes(scenario)) continue;
      const document = load(folder, name, "cases", file);
      if (!document.needs.every((need: string) => claims.includes(need))) continue;
      cases += 1;
      const { faults, asserted: here } = await play(adapter, document, assertions, manifest.deliveries, schemaOf);
      for (const rule of here) asserted.add(rule);
      for (const { rule, call, delivery, assertion, record } of faults) {
        const at = `${name}/${document.scenario} (${document.profile}), call ${call + 1}, ${delivery}`;
        (failed[rule] ??= []).push({
          case: at,
          elsewhere: document.elsewhere,
          assertion,
          found: found(assertion, record),
        });
      }
    }
  }
  const wrong = Object.entries(failed).filter(
    ([rule, all]) => manifest.rules[rule].level === "must" && all.some((one) => !one.elsewhere),
  );
  if (json) process.stdout.write(`${stringify({ cases: BigInt(cases), asserted: [...asserted].sort(), failed })}\n`);
  else report(failed, manifest, cases, asserted.size);
  return wrong.length ? 1 : 0;
}

function report(failed: { [rule: string]: any[] }, manifest: any, cases: number, rules: number) {
  const lines = Object.entries(failed).flatMap(([rule, all]) => [
    `${rule} (${manifest.rules[rule].level}): ${manifest.rules[rule].statement}`,
    `  ${all.length} times, first in ${all[0].case}`,
    `  asserted ${stringify(all[0].assertion)}`,
    `  found ${all[0].found}`,
  ]);
  process.stdout.write(
    [...lines, `${cases} cases, ${rules} rules asserted, ${Object.keys(failed).length} broken`, ""].join("\n"),
  );
}

try {
  process.exitCode = await main();
} catch (problem) {
  process.stderr.write(`conformance-export: ${problem instanceof Error ? problem.message : problem}\n`);
  process.exitCode = 3;
}
