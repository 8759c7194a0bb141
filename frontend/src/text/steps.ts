/** Things that are made in steps: all at once, or a task a step, between which the page hears keys and
 * draws what was typed. */

/** What has been made at each step; null at those that only lead to the next. */
export type Steps<T> = Generator<T | null, void>;

export const atOnce = <T>(steps: Steps<T>): T[] => [...steps].filter((made) => made !== null);

/** What comes after it is a task of its own. */
export const task = () => new Promise((begun) => setTimeout(begun));

/** Null as soon as nobody wants it any more. */
export async function inTasks<T>(steps: Steps<T>, isWanted: () => boolean): Promise<T[] | null> {
  const found: T[] = [];
  for (const made of steps) {
    if (made !== null) found.push(made);
    await task();
    if (!isWanted()) return null;
  }
  return found;
}
