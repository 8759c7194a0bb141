/** Parts of the page that are fetched when they are wanted, and again where they could not be had. */

/** A browser keeps in mind, by its address, that a module could not be had; it says which it was. */
export const addressIn = (error: unknown): string | null =>
  /https?:\/\/\S+\.js/.exec(String(error))?.[0] ?? null;

const importAt = (address: string): Promise<unknown> => import(/* @vite-ignore */ address);

/** What `load` gives. After it has failed, the same module is asked for by an address of which nothing
 * is remembered. */
export function fetching<M>(load: () => Promise<M>, at = importAt): () => Promise<M> {
  let missed: string | null = null;
  let times = 0;
  return async () => {
    try {
      return missed === null ? await load() : ((await at(`${missed}?again=${++times}`)) as M);
    } catch (error) {
      missed ??= addressIn(error);
      throw error;
    }
  };
}
