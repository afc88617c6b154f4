// Expressions of a program as data, in the form of conformance/adapters/capture/nodes.py.

/** The member that tells an expression from an object of data. */
const MARK = "$";

/** JSON data, in which an object with the member `$` is an expression. */
export type Node = any;

/** Source of the program as it is: a name, or a path from one. */
export function source(text: string): Node {
  return { [MARK]: "source", text };
}

/** A call of a function; of a constructor where `callee` begins with `new`, awaited where it begins with `await`. */
export function call(callee: string, given: Node[]): Node {
  return { [MARK]: "call", function: callee, arguments: given, options: {} };
}

/** Bytes. */
export function octets(data: Uint8Array): Node {
  return { [MARK]: "bytes", base64: Buffer.from(data).toString("base64") };
}

/** An object of data, also one that has a member like `$` itself. */
export function mapping(members: [string, Node][]): Node {
  return members.some(([key]) => key === MARK) ? { [MARK]: "object", members } : Object.fromEntries(members);
}
