// A call of a door.

import type { Node } from "./nodes.js";
import type { DoorModule } from "./modules.js";

/** A door that was gone through: its name, the arguments as expressions, and what came out. */
export interface DoorCall {
  door: Door;
  arguments: Node[];
  result?: any;
  /** In which model call it was gone through, from 1. */
  modelCall: number;
  /** Whether it called the provider. */
  asked: boolean;
  /** Whether it threw. */
  raised: boolean;
  /** Whether its result is awaited. */
  awaited: boolean;
}

/** What a module of doors exports under a name: a function of ours, or a function or class of the library. */
export interface Door {
  name: string;
  module: DoorModule;
  isClass: boolean;
}
