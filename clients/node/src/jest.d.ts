import type { RecordOptions, Recordings, ServeOptions, StartOptions, StrictServer } from "./index.js";

/** A strict provider for the tests of this file. Its members can be used inside of tests. */
export function useServer(options?: ServeOptions): StrictServer;
/** A recorder for the tests of this file. */
export function useRecording(folder: string, options: RecordOptions): Recordings;
/** A player for the tests of this file. */
export function useReplay(folder: string, options?: StartOptions): Recordings;
