/** Entries of one reason that say the same of other values: once for each block of a model, or once for
 * each line of a snippet. */
import { groupBy } from "./group";
import type { Entry } from "./why";

export interface Alike {
  /** The first of them, in whose words all are told. */
  first: Entry;
  all: readonly Entry[];
  /** Ids of the captured operations that they are about. */
  nodes: readonly number[];
}

/** Entries as few as they are when numbers of values and kernels tell none apart, in their order. */
export function alikeOf(entries: readonly Entry[]): Alike[] {
  return [...groupBy(entries, sayingOf).values()].map((all) => ({
    first: all[0]!,
    all,
    nodes: [...new Set(all.flatMap(({ nodes }) => nodes))],
  }));
}

const NUMBERED = /%\d+|\b(k|b|out)\d+(?=_|\b)/g;

/** What an entry says; who led to it is a part of that. */
const sayingOf = ({ what, own, stack, nodes }: Entry): string =>
  [what, own ?? "", stack.join(), nodes.length > 0].join("\n").replace(NUMBERED, "$1");
