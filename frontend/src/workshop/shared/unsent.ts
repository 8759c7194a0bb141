/** What was written into a shared text and is not known to be on the server: the browser keeps it, so that
 * it outlives the tab. Each copy of the text has an entry of its own, which whoever sits at the same seat
 * merges, in whatever tab; that of changes which are on the server already changes nothing. */
import { fromBase64, toBase64 } from "lib0/buffer";
import { entries, read, write } from "../../store/storage";

const ALL = "fuselab.shared.";
// As long as a workshop that nobody comes back to.
const DAYS_30_MS = 30 * 24 * 3600e3;
// Of one copy, in base64: a browser gives a site some 5 MB for everything.
const MOST = 2 ** 21;

interface Entry {
  written: number;
  update: string;
}

export class Unsent {
  private readonly of: string;
  /** What other copies left, as it was read. */
  private readonly found: ReadonlyMap<string, string>;

  constructor(code: string, seat: number) {
    this.of = `${ALL}${code}.${seat}.`;
    forgetOld();
    this.found = new Map(entries("localStorage", this.of));
  }

  /** What copies before this one have left. */
  left(): Uint8Array[] {
    return [...this.found.values()].map((text) => fromBase64(entry(text).update));
  }

  /** The server has what was left; what another tab has written there meanwhile stays. */
  forgetLeft(): void {
    for (const [key, text] of this.found)
      if (read("localStorage", key) === text) write("localStorage", key, null);
  }

  /** Keeps what this copy has, null if all of it is on the server. Returns whether it is safe. */
  keep(copy: number, all: Uint8Array | null): boolean {
    const key = `${this.of}${copy}`;
    const update = all && toBase64(all);
    if (update === null || update.length > MOST) {
      write("localStorage", key, null);
      return update === null;
    }
    const text = JSON.stringify({ written: Date.now(), update } satisfies Entry);
    write("localStorage", key, text);
    return read("localStorage", key) === text;
  }
}

function forgetOld(): void {
  for (const [key, text] of entries("localStorage", ALL))
    if (!(entry(text).written > Date.now() - DAYS_30_MS)) write("localStorage", key, null);
}

/** Nothing of what is no entry. */
function entry(text: string): Entry {
  try {
    return JSON.parse(text) as Entry;
  } catch {
    return { written: 0, update: "" };
  }
}
