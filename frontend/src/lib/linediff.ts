/** The difference of two texts by whole lines. */
import { diff, type Change } from "@codemirror/merge";

// Above the controls, and with room for 50 000 different lines below the surrogates.
const FIRST_LETTER = 0x100;

/** What to change of `before` to have `after`; places are indices of lines. */
export function lineChanges(before: string[], after: string[]): readonly Change[] {
  const letters = new Map<string, string>();
  const letter = (line: string) => {
    const known = letters.get(line) ?? String.fromCharCode(FIRST_LETTER + letters.size);
    letters.set(line, known);
    return known;
  };
  // A letter for each line, equal where the lines are: their diff is by lines.
  return diff(before.map(letter).join(""), after.map(letter).join(""));
}
