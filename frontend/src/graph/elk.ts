/** The layout library, in workers of its own: the page goes on while it computes. */
import ELK from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Drawing } from "./parts";
import { fromElk, toElk, type Placed } from "./layout";

type Library = InstanceType<typeof ELK>;

interface Begun {
  library: Library;
  /** Raises where its worker could not be loaded, of which the library says nothing. */
  lost: Promise<never>;
}

/** Those that lay nothing out: to begin one takes a third of a second. */
const idle: Begun[] = [];

function begun(): Begun {
  const worker = new Worker(workerUrl);
  const lost = new Promise<never>((_, reject) => {
    worker.addEventListener("error", () => reject(new Error("its program could not be loaded")));
  });
  lost.catch(() => undefined);
  return { library: new ELK({ workerFactory: () => worker }), lost };
}

/**
 * Places for what is drawn. Raises what the library raises. It cannot be told to stop: where `signal`
 * says that nobody waits any longer its worker ends, and nothing comes of the promise.
 */
export async function placed(drawing: Drawing, signal?: AbortSignal): Promise<Placed> {
  const own = idle.pop() ?? begun();
  const end = () => own.library.terminateWorker();
  signal?.addEventListener("abort", end, { once: true });
  const back = () => {
    signal?.removeEventListener("abort", end);
    // Its answer may be on its way when its worker ends.
    if (!signal?.aborted) idle.push(own);
  };
  const laid = own.library.layout(toElk(drawing)).finally(back);
  return fromElk(await Promise.race([laid, own.lost]));
}
