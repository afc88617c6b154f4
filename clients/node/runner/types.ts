// What the export's files and the runner's parts have in common.

/** JSON as `exact.ts` reads it: whole numbers are BigInt. */
export type Json = null | boolean | bigint | number | string | Json[] | { [name: string]: Json };

/** A condition on a place, seen from another one. */
export interface Condition {
  at?: string;
  relation: string;
  value?: any;
}

/** What must hold of the record of a model call, by which rule. */
export interface Assertion {
  rule: string;
  at: string | string[];
  where?: Condition[];
  of?: string;
  relation: string;
  value?: any;
  any?: boolean;
  if?: Assertion[];
  or_same_as?: string;
}

/** What there is to see of a model call. */
export interface CallRecord {
  conversation: any;
  request: any;
  turn: any;
  /** The turn of the same call, delivered blocking. */
  twin: any;
  failed: boolean;
}

/** An assertion that a model call breaks. */
export interface Fault {
  rule: string;
  call: number;
  delivery: string;
  assertion: Assertion;
  record: CallRecord;
}

/** What is asked, by the methods of docs/stdio.md. */
export interface Adapter {
  ask(method: string, params: any): Promise<any>;
}

/** The schema of a provider's requests. */
export type SchemaOf = (provider: string) => any;
