/** A drawing with some of its hulls as one box each: a large program is read kernel by kernel. */
import { repeats } from "../lib/format";
import { groupBy } from "../lib/group";
import type { Box, Drawing, Hull, Line } from "./parts";

/** Beyond so many boxes, kernels are closed until they are asked for. */
export const MOST_BOXES = 500;

export function collapsed(drawing: Drawing, isClosed: (hull: string) => boolean): Drawing {
  const closed = drawing.hulls.filter(({ id, isFrame }) => !isFrame && isClosed(id));
  if (closed.length === 0) return drawing;
  const inside = groupBy(drawing.boxes, ({ hull }) => hull);
  const stands = new Map<string, string>();
  for (const { id } of closed) for (const box of inside.get(id) ?? []) stands.set(box.id, id);
  const boxes = [
    ...closed.map((hull) => closedBox(hull, inside.get(hull.id) ?? [])),
    ...drawing.boxes.filter(({ id }) => !stands.has(id)),
  ];
  const hulls = drawing.hulls.filter(({ id, isFrame }) => isFrame || !isClosed(id));
  return { boxes, lines: joined(drawing.lines, stands), hulls };
}

const closedBox = ({ id, label, nodes, hue, parent }: Hull, inside: readonly Box[]): Box => ({
  id,
  kind: "hull",
  label,
  detail: shortened(repeats(inside.map(({ label }) => label.split(" ")[0]!))),
  hull: parent,
  nodes,
  value: null,
  isAgain: false,
  hue,
});

const LONGEST = 46;

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/,? [^ ]*$/, "")}…` : text;

/** Lines between what stands for their ends; several between two are one. A value that a kernel reads
 * more than once is counted once. */
function joined(lines: readonly Line[], stands: ReadonlyMap<string, string>): Line[] {
  const ends = (line: Line) => ({
    from: stands.get(line.from) ?? line.from,
    to: stands.get(line.to) ?? line.to,
  });
  const outside = lines.filter((line) => ends(line).from !== ends(line).to);
  const groups = groupBy(outside, (line) => {
    const { from, to } = ends(line);
    return `${from}${line.isApart ? "⇢" : "→"}${to}`;
  });
  return [...groups].map(([id, parts]) => {
    const sizes = new Map(parts.map(({ from, bytes }) => [from, bytes ?? 0]));
    const [first] = parts as [Line];
    return {
      ...first,
      ...ends(first),
      id,
      bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
      through: [...new Set(parts.flatMap(({ through }) => through))],
      reasons: [...new Set(parts.flatMap(({ reasons }) => reasons))],
    };
  });
}
