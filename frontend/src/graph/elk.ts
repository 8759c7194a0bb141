/** The layout library, in a worker of its own: the page goes on while it computes. */
import ELK from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Drawing } from "./parts";
import { fromElk, toElk, type Placed } from "./layout";

let elk: InstanceType<typeof ELK> | null = null;

const library = () => (elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) }));

/** Places for what is drawn. Raises what the library raises. */
export async function placed(drawing: Drawing): Promise<Placed> {
  return fromElk(await library().layout(toElk(drawing)));
}
