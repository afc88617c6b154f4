import { Adapter } from "./adapter.js";
import { serve } from "./protocol.js";

await serve(new Adapter());
