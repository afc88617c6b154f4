// A server for the tests of a file: started before the first, ended after the last.

import { record, replay, serve } from "./index.js";

/** Helpers for a test runner that has `beforeAll` and `afterAll`. */
export function helpers({ beforeAll, afterAll }, timeout) {
  const during = (starting) => {
    let server;
    beforeAll(async () => {
      server = await starting();
    }, timeout);
    afterAll(async () => {
      await server?.stop();
    }, timeout);
    return new Proxy({}, { get: (_, name) => member(server, name) });
  };
  return {
    useServer: (options) => during(() => serve(options)),
    useRecording: (folder, options) => during(() => record(folder, options)),
    useReplay: (folder, options) => during(() => replay(folder, options)),
  };
}

function member(server, name) {
  if (server === undefined) throw new Error("the server is not there yet: ask for it inside of a test");
  const found = server[name];
  return typeof found === "function" ? found.bind(server) : found;
}
