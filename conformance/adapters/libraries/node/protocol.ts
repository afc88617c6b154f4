// The scaffold's own protocol: the shims speak it like any other adapter in TypeScript.

export * from "../../../scaffolds/typescript/src/protocol.js";
