// @ts-check
// Plays a case of the export, as INTERPRETING.md says, and tells which assertions are broken.

import { parse, read, stringify } from "./exact.js";
import { broken } from "./relations.js";

/** @typedef {{ask(method: string, params: any): Promise<any>}} Adapter */
/** @typedef {{rule: string, call: number, delivery: string, assertion: import("./relations.js").Assertion, record: any}} Fault */

const BLOCKING = "blocking";
const PLAIN = "stream:per-event";

/** The deliveries of a case, the blocking one first. @param {any} document @param {string[]} order */
export function deliveriesOf(document, order) {
  return order.filter((name) => document.calls.some((/** @type {any} */ call) => name in call.deliveries));
}

/** Play a case in each of its deliveries.
 * @param {Adapter} adapter @param {any} document @param {import("./relations.js").Assertion[]} assertions
 * @param {string[]} order @param {(provider: string) => any} schemaOf
 * @returns {Promise<{faults: Fault[], asserted: Set<string>}>} */
export async function play(adapter, document, assertions, order, schemaOf) {
  /** @type {Fault[]} */
  const faults = [];
  const asserted = new Set();
  /** @type {any[]} */
  let twins = [];
  for (const delivery of deliveriesOf(document, order)) {
    const records = await played(adapter, document, delivery, twins);
    if (delivery === BLOCKING) twins = records.map((record) => record.turn);
    for (const [call, record] of records.entries()) {
      const own = (document.calls[call].deliveries[delivery]?.assertions ?? []).map((/** @type {bigint} */ number) => assertions[Number(number)]);
      for (const one of own) asserted.add(one.rule);
      for (const assertion of broken(own, record, schemaOf)) faults.push({ rule: assertion.rule, call, delivery, assertion, record });
    }
  }
  return { faults, asserted };
}

/** The records of a case in one delivery. @param {Adapter} adapter @param {any} document @param {string} delivery @param {any[]} twins */
async function played(adapter, document, delivery, twins) {
  let conversation = document.conversation;
  const records = [];
  for (const step of document.steps) {
    if (step.model === undefined) {
      conversation = then(conversation, said(step, conversation));
      continue;
    }
    const number = Number(step.model);
    const call = document.calls[number];
    const answer = call.deliveries[delivery] ?? call.deliveries[PLAIN] ?? call.deliveries[BLOCKING];
    const { record, turn } = await asked(adapter, document.provider, conversation, answer, delivery, twins[number] ?? null);
    records.push(record);
    if (record.failed) break;
    if (call.goes_on) conversation = then(conversation, continued(turn, call, conversation, `${document.scenario}/${number}`));
  }
  return records;
}

/** One model call. @param {Adapter} adapter @param {string} provider @param {any} conversation @param {any} answer @param {string} delivery @param {any} twin */
async function asked(adapter, provider, conversation, answer, delivery, twin) {
  const { turns, ...settings } = conversation;
  /** @type {any} */
  const record = { conversation, request: null, turn: null, twin, failed: false };
  try {
    const request = await adapter.ask("build_request", { provider, conversation: { turns, ...settings }, stream: delivery !== BLOCKING });
    record.request = sent(request);
    const turn =
      answer.stream !== undefined
        ? await adapter.ask("parse_stream", { provider, chunks: chunksOf(answer), conversation })
        : await adapter.ask("parse_response", { provider, response: { status: answer.status, headers: answer.headers, body: { base64: bytes(answer.body).toString("base64") } }, conversation });
    record.turn = understood(turn);
    return { record, turn };
  } catch {
    record.failed = true;
    return { record, turn: null };
  }
}

/** @param {any} request */
function sent(request) {
  const url = new URL(request.url);
  const headers = Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const body = read(Buffer.from(request.body?.base64 ?? "", "base64").toString("utf8")) ?? null;
  return { method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams), headers, body };
}

/** @param {any} told */
const bytes = (told) => (told.text !== undefined ? Buffer.from(told.text, "utf8") : Buffer.from(told.base64, "base64"));

/** @param {any} answer */
function chunksOf(answer) {
  const whole = bytes(answer.stream);
  const edges = [0, ...answer.cuts.map(Number), whole.length];
  return edges.slice(1).map((end, place) => whole.subarray(edges[place], end).toString("base64"));
}

/** A turn with every member there, without what is the adapter's own. @param {any} turn */
function understood(turn) {
  const { text, calls, stop, refusal, usage, error } = turn;
  return {
    text: text ?? "",
    calls: (calls ?? []).map((/** @type {any} */ call) => ({
      id: call.id,
      name: call.name,
      arguments: argumentsOf(call),
      raw: call.raw ?? null,
      invalid: call.invalid ?? false,
      sent: call.sent ?? null,
    })),
    stop: stop ?? "end",
    refusal: refusal ?? null,
    usage: usage ?? null,
    error: error ? { message: error.message, status: error.status ?? null, type: error.type ?? null, retryable: error.retryable ?? null, retry_after: error.retry_after ?? null } : null,
  };
}

/** @param {any} call */
function argumentsOf(call) {
  if (call.arguments_json !== undefined && call.arguments_json !== null) return parse(call.arguments_json);
  return call.arguments ?? null;
}

// --- the conversation ---------------------------------------------------------------------------------------------

/** @param {any} conversation @param {any} turn */
const then = (conversation, turn) => ({ ...conversation, turns: [...conversation.turns, turn] });

/** @param {any} step @param {any} conversation */
function said(step, conversation) {
  if (step.user !== undefined) return { type: "user", text: step.user };
  const calls = conversation.turns.findLast((/** @type {any} */ turn) => turn.type === "assistant")?.calls ?? [];
  const name = step.results ? "results" : "decisions";
  const told = (step[name] ?? []).filter((/** @type {any} */ one) => Number(one.call) < calls.length);
  const filled = told.map((/** @type {any} */ { call, ...rest }) => ({ call_id: calls[Number(call)].id, name: calls[Number(call)].name, ...rest }));
  return { type: name, [name]: filled };
}

/** The turn with which the conversation goes on. @param {any} turn @param {any} call @param {any} conversation @param {string} seed */
function continued(turn, call, conversation, seed) {
  const { expected } = call;
  const ids = idsOf(turn.calls ?? [], call, conversation, seed);
  const own = understood(turn).calls.map((/** @type {any} */ { id, name, arguments: value }) => [id, name, value]);
  const meant = expected.calls.map((/** @type {any} */ one, /** @type {number} */ place) => [ids[place], one.name, one.arguments]);
  const same = (turn.text ?? "") === expected.text && stringify(own) === stringify(meant);
  if (same) return { type: "assistant", ...turn };
  const calls = expected.calls.map((/** @type {any} */ one, /** @type {number} */ place) => ({
    id: ids[place],
    name: one.name,
    arguments: one.arguments,
    arguments_json: one.arguments === null ? null : stringify(one.arguments),
    raw: one.raw,
    invalid: one.invalid,
  }));
  return { type: "assistant", ...turn, text: expected.text, calls, stop: expected.stop, refusal: expected.refusal };
}

/** @param {any[]} calls @param {any} call @param {any} conversation @param {string} seed @returns {string[]} */
function idsOf(calls, call, conversation, seed) {
  const used = new Set(conversation.turns.flatMap((/** @type {any} */ turn) => (turn.calls ?? []).map((/** @type {any} */ one) => one.id)));
  const own = calls.map((one) => one.id);
  const offered = call.expected.calls.map((/** @type {any} */ one) => one.id);
  const fresh = own.every((id) => id && !used.has(id)) && new Set(own).size === own.length;
  if (own.length === offered.length && fresh) {
    return call.usable_ids && offered.every((/** @type {string} */ id) => own.includes(id)) ? offered : own;
  }
  return offered.map((/** @type {string} */ id, /** @type {number} */ place) => (call.usable_ids && !used.has(id) ? id : `call_${seed}_${place}`.replace(/[^A-Za-z0-9_]/g, "_")));
}
