import { afterAll, beforeAll } from "vitest";

import { helpers } from "./hooks.js";

export const { useServer, useRecording, useReplay } = helpers({ beforeAll, afterAll }, 90_000);
