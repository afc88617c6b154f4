// Plays a case of the export, as INTERPRETING.md says, and tells which assertions are broken.

import { parse, read, stringify } from "./exact.ts";
import { broken } from "./relations.ts";
import type { Adapter, Assertion, CallRecord, Fault, SchemaOf } from "./types.ts";

const BLOCKING = "blocking";
const PLAIN = "stream:per-event";

/** The deliveries of a case, the blocking one first. */
export function deliveriesOf(document: any, order: string[]) {
  return order.filter((name) => document.calls.some((call: any) => name in call.deliveries));
}

/** Play a case in each of its deliveries. */
export async function play(
  adapter: Adapter,
  document: any,
  assertions: Assertion[],
  order: string[],
  schemaOf: SchemaOf,
): Promise<{ faults: Fault[]; asserted: Set<string> }> {
  const faults: Fault[] = [];
  const asserted = new Set<string>();
  let twins: any[] = [];
  for (const delivery of deliveriesOf(document, order)) {
    const records = await played(adapter, document, delivery, twins);
    if (delivery === BLOCKING) twins = records.map((record) => record.turn);
    for (const [call, record] of records.entries()) {
      const own = (document.calls[call].deliveries[delivery]?.assertions ?? []).map(
        (number: bigint) => assertions[Number(number)],
      );
      for (const one of own) asserted.add(one.rule);
      for (const assertion of broken(own, record, schemaOf))
        faults.push({ rule: assertion.rule, call, delivery, assertion, record });
    }
  }
  return { faults, asserted };
}

/** The records of a case in one delivery. */
async function played(adapter: Adapter, document: any, delivery: string, twins: any[]) {
  let conversation = document.conversation;
  const records: CallRecord[] = [];
  for (const step of document.steps) {
    if (step.model === undefined) {
      conversation = then(conversation, said(step, conversation));
      continue;
    }
    const number = Number(step.model);
    const call = document.calls[number];
    const answer = call.deliveries[delivery] ?? call.deliveries[PLAIN] ?? call.deliveries[BLOCKING];
    const { record, turn } = await asked(
      adapter,
      document.provider,
      conversation,
      answer,
      delivery,
      twins[number] ?? null,
    );
    records.push(record);
    if (record.failed) break;
    if (call.goes_on)
      conversation = then(conversation, continued(turn, call, conversation, `${document.scenario}/${number}`));
  }
  return records;
}

/** One model call. */
async function asked(
  adapter: Adapter,
  provider: string,
  conversation: any,
  answer: any,
  delivery: string,
  twin: any,
) {
  const { turns, ...settings } = conversation;
  const record: CallRecord = { conversation, request: null, turn: null, twin, failed: false };
  try {
    const request = await adapter.ask("build_request", {
      provider,
      conversation: { turns, ...settings },
      stream: delivery !== BLOCKING,
    });
    record.request = sent(request);
    const turn =
      answer.stream !== undefined
        ? await adapter.ask("parse_stream", { provider, chunks: chunksOf(answer), conversation })
        : await adapter.ask("parse_response", {
            provider,
            response: {
              status: answer.status,
              headers: answer.headers,
              body: { base64: bytes(answer.body).toString("base64") },
            },
            conversation,
          });
    record.turn = understood(turn);
    return { record, turn };
  } catch {
    record.failed = true;
    return { record, turn: null };
  }
}

function sent(request: any) {
  const url = new URL(request.url);
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const body = read(Buffer.from(request.body?.base64 ?? "", "base64").toString("utf8")) ?? null;
  return { method: request.method, path: url.pathname, query: Object.fromEntries(url.searchParams), headers, body };
}

const bytes = (told: any) =>
  told.text !== undefined ? Buffer.from(told.text, "utf8") : Buffer.from(told.base64, "base64");

function chunksOf(answer: any) {
  const whole = bytes(answer.stream);
  const edges = [0, ...answer.cuts.map(Number), whole.length];
  return edges.slice(1).map((end, place) => whole.subarray(edges[place], end).toString("base64"));
}

/** A turn with every member there, without what is the adapter's own. */
function understood(turn: any) {
  const { text, calls, stop, refusal, usage, error } = turn;
  return {
    text: text ?? "",
    calls: (calls ?? []).map((call: any) => ({
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
    error: error
      ? {
          message: error.message,
          status: error.status ?? null,
          type: error.type ?? null,
          retryable: error.retryable ?? null,
          retry_after: error.retry_after ?? null,
        }
      : null,
  };
}

function argumentsOf(call: any) {
  if (call.arguments_json !== undefined && call.arguments_json !== null) return parse(call.arguments_json);
  return call.arguments ?? null;
}

// --- the conversation ---------------------------------------------------------------------------------------------

const then = (conversation: any, turn: any) => ({ ...conversation, turns: [...conversation.turns, turn] });

function said(step: any, conversation: any) {
  if (step.user !== undefined) return { type: "user", text: step.user };
  const calls = conversation.turns.findLast((turn: any) => turn.type === "assistant")?.calls ?? [];
  const name = step.results ? "results" : "decisions";
  const told = (step[name] ?? []).filter((one: any) => Number(one.call) < calls.length);
  const filled = told.map(({ call, ...rest }: any) => ({
    call_id: calls[Number(call)].id,
    name: calls[Number(call)].name,
    ...rest,
  }));
  return { type: name, [name]: filled };
}

/** The turn with which the conversation goes on. */
function continued(turn: any, call: any, conversation: any, seed: string) {
  const { expected } = call;
  const ids = idsOf(turn.calls ?? [], call, conversation, seed);
  const own = understood(turn).calls.map(({ id, name, arguments: value }: any) => [id, name, value]);
  const meant = expected.calls.map((one: any, place: number) => [ids[place], one.name, one.arguments]);
  const same = (turn.text ?? "") === expected.text && stringify(own) === stringify(meant);
  if (same) return { type: "assistant", ...turn };
  const calls = expected.calls.map((one: any, place: number) => ({
    id: ids[place],
    name: one.name,
    arguments: one.arguments,
    arguments_json: one.arguments === null ? null : stringify(one.arguments),
    raw: one.raw,
    invalid: one.invalid,
  }));
  return { type: "assistant", ...turn, text: expected.text, calls, stop: expected.stop, refusal: expected.refusal };
}

function idsOf(calls: any[], call: any, conversation: any, seed: string): string[] {
  const used = new Set(conversation.turns.flatMap((turn: any) => (turn.calls ?? []).map((one: any) => one.id)));
  const own = calls.map((one) => one.id);
  const offered = call.expected.calls.map((one: any) => one.id);
  const fresh = own.every((id) => id && !used.has(id)) && new Set(own).size === own.length;
  if (own.length === offered.length && fresh) {
    return call.usable_ids && offered.every((id: string) => own.includes(id)) ? offered : own;
  }
  return offered.map((id: string, place: number) =>
    call.usable_ids && !used.has(id) ? id : `call_${seed}_${place}`.replace(/[^A-Za-z0-9_]/g, "_"),
  );
}
