/** What a text in the editor is called in a list: the first thing that it defines or does. */

const DEFINES = /^(?:async\s+)?(?:def|class)\s+(\w+)/;
const SKIPPED = /^(?:import |from |#|@|"""|'''|"|')/;

export function titleOfSource(source: string): string {
  const lines = source.split("\n");
  const defined = lines.flatMap((line) => DEFINES.exec(line)?.[1] ?? []);
  if (defined.length > 0) return defined.slice(0, 3).join(", ");
  const first = lines.map((line) => line.trim()).find((line) => line && !SKIPPED.test(line));
  return (first ?? "A snippet").slice(0, 60);
}
