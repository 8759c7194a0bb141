/** What is repeated at once in a row: the blocks of a model, launch by launch or line by line. */

/** Things from `first` on that come `times` times, each time `length` of them. */
export interface Run {
  first: number;
  length: number;
  times: number;
}

// Two of a kind are no repetition that anybody would have to be spared.
export const FEWEST = 3;

// Comparisons that are worth it: of 20,000 lines, blocks of up to 2,500.
const MOST_COMPARED = 5e7;

/** The parts of a row of words that are repeated at once, the longest first found, without overlap. */
export function runsOf(words: readonly string[]): Run[] {
  const numbers = new Map<string, number>();
  const known = words.map(
    (word) => numbers.get(word) ?? (numbers.set(word, numbers.size), numbers.size - 1),
  );
  return within(Int32Array.from(known), 0, words.length);
}

function within(words: Int32Array, from: number, to: number): Run[] {
  const best = longest(words, from, to);
  if (best === null) return [];
  const end = best.first + best.length * best.times;
  return [...within(words, from, best.first), best, ...within(words, end, to)];
}

function longest(words: Int32Array, from: number, to: number): Run | null {
  let best: Run | null = null;
  const most = Math.min((to - from) / FEWEST, MOST_COMPARED / (to - from));
  for (let length = 1; length <= most; length++) {
    let equal = 0;
    for (let at = from; at + length <= to; at++) {
      const goesOn = at + length < to && words[at] === words[at + length];
      equal = goesOn ? equal + 1 : equal;
      if (goesOn) continue;
      const times = Math.floor(equal / length) + 1;
      const covered = times * length;
      if (times >= FEWEST && covered > (best ? best.length * best.times : 0))
        best = { first: at - equal, length, times };
      equal = 0;
    }
  }
  return best;
}
