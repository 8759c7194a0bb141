/**
 * The texts that were looked at, and what is known of those that are on their way.
 *
 * A text is fetched when a pane looks at it. Texts are known by their hash, whichever run they are
 * of; the last ones looked at are kept, up to a limit, so that going back and forth asks nobody.
 */
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { getText, type Text } from "../net/texts";
import type { StoredText } from "../wire";

export type Fetched =
  | { state: "coming"; fraction: number }
  | { state: "here"; text: Text }
  | { state: "failed"; error: string };

/** About what the texts that are kept may weigh, in bytes of memory: some thirty of a large program.
 * The browser has the others on its disk, since a hash is of one text for ever. */
export const MOST_BYTES = 8 * 2 ** 20;

export const COMING: Fetched = { state: "coming", fraction: 0 };

// In the order in which they were last looked at.
const known = new Map<string, Signal<Fetched>>();

/** What is known of a text; asks for it where nobody has yet. */
export function fetched(run: string, stored: StoredText): ReadonlySignal<Fetched> {
  const { sha256 } = stored;
  const found = known.get(sha256);
  const entry = found ?? signal(COMING);
  known.delete(sha256);
  known.set(sha256, entry);
  if (!found) void ask(run, stored, entry);
  return entry;
}

/** Asks again for a text that could not be had. */
export function retry(run: string, stored: StoredText): void {
  const entry = known.get(stored.sha256);
  if (entry?.peek().state === "failed") void ask(run, stored, entry);
}

async function ask(run: string, stored: StoredText, entry: Signal<Fetched>): Promise<void> {
  entry.value = COMING;
  const answer = await getText(run, stored.sha256, (bytes) => {
    // Its line map and its escapes come with it: the fraction is a little more than what is there.
    entry.value = { state: "coming", fraction: Math.min(1, bytes / stored.bytes) };
  });
  entry.value = answer.ok
    ? { state: "here", text: answer.value }
    : { state: "failed", error: answer.error };
  forget();
}

/** Drops those that were looked at longest ago, and never the last one. */
function forget(): void {
  let bytes = [...known.values()].reduce((sum, entry) => sum + weight(entry.peek()), 0);
  for (const [sha256, entry] of [...known].slice(0, -1)) {
    if (bytes <= MOST_BYTES) return;
    if (entry.peek().state !== "here") continue;
    bytes -= weight(entry.peek());
    known.delete(sha256);
  }
}

const weight = (entry: Fetched): number =>
  entry.state === "here" ? 2 * entry.text.text.length + 64 * entry.text.nodes.length : 0;

/** For tests: as if nothing had been looked at. */
export const forgetAll = (): void => known.clear();
