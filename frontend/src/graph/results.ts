/** The results of one box as one box: the forward graph of a training step has one for each value that
 * it keeps for the backward graph. */
import { plural, repeats } from "../lib/format";
import { groupBy } from "../lib/group";
import { shortened } from "./collapse";
import type { Box, Drawing, Line } from "./parts";

export function resultsTogether(drawing: Drawing): Drawing {
  const sources = new Map(drawing.lines.map(({ from, to }) => [to, from]));
  const outputs = drawing.boxes.filter(({ kind }) => kind === "output");
  const rows = [...groupBy(outputs, ({ id }) => sources.get(id))].filter(
    ([source, own]) => source !== undefined && own.length > 1,
  );
  if (rows.length === 0) return drawing;
  const stands = new Map(rows.flatMap(([, own]) => own.map(({ id }) => [id, own[0]!.id])));
  const together = new Map(rows.map(([, own]) => [own[0]!.id, asOne(own)]));
  const isLeft = (id: string) => (stands.get(id) ?? id) !== id;
  const bytesTo = groupBy(drawing.lines, ({ to }) => stands.get(to));
  return {
    ...drawing,
    boxes: drawing.boxes.filter(({ id }) => !isLeft(id)).map((box) => together.get(box.id) ?? box),
    lines: drawing.lines
      .filter(({ to }) => !isLeft(to))
      .map((line) =>
        together.has(line.to) ? { ...line, bytes: sumOf(bytesTo.get(line.to) ?? []) } : line,
      ),
  };
}

const sumOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

const asOne = (own: readonly Box[]): Box => ({
  ...own[0]!,
  label: plural(own.length, "result"),
  detail: shortened(repeats(own.map(({ detail }) => detail))),
  nodes: [...new Set(own.flatMap(({ nodes }) => nodes))],
  value: null,
});
