/** The layout library, in workers of its own: the page goes on while it computes. */
import ELK from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Drawing } from "./parts";
import { fromElk, toElk, type Placed } from "./layout";

type Library = InstanceType<typeof ELK>;

/** Those that lay nothing out: to begin one takes a third of a second. */
const idle: Library[] = [];

const begun = (): Library => new ELK({ workerFactory: () => new Worker(workerUrl) });

/**
 * Places for what is drawn. Raises what the library raises. It cannot be told to stop: where `signal`
 * says that nobody waits any longer its worker ends, and nothing comes of the promise.
 */
export async function placed(drawing: Drawing, signal?: AbortSignal): Promise<Placed> {
  const library = idle.pop() ?? begun();
  const end = () => library.terminateWorker();
  signal?.addEventListener("abort", end, { once: true });
  const back = () => {
    signal?.removeEventListener("abort", end);
    idle.push(library);
  };
  return fromElk(await library.layout(toElk(drawing)).finally(back));
}
