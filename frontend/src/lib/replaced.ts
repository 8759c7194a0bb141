/** Whether a text was edited, or another is there in its place. */

/** Whether fewer than half of a text's lines that say something stand in `now`, wherever and however far
 * in. */
export function isReplaced(text: string, now: string): boolean {
  const left = new Set(linesOf(now));
  const lines = linesOf(text);
  return 2 * lines.filter((line) => left.has(line)).length < lines.length;
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
