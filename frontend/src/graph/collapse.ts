/** A drawing with some of its hulls as one box each: a large program is read kernel by kernel. */
import { repeats } from "../lib/format";
import { groupBy } from "../lib/group";
import type { Box, Drawing, Hull, Line } from "./parts";

/** Beyond so many boxes, kernels are closed until they are asked for. */
export const MOST_BOXES = 500;

/** Beyond so many, a drawing begins with the blocks of its model closed. */
export const MOST_OPEN = 60;

/** Whether all is closed at first: it is more than can be read, or has blocks that say more at once. */
export const isLarge = ({ boxes, hulls }: Drawing, hasBlocks = hulls.some(isFrame)): boolean =>
  boxes.length > (hasBlocks ? MOST_OPEN : MOST_BOXES);

const isFrame = (hull: Hull): boolean => hull.isFrame;

export function collapsed(drawing: Drawing, isClosed: (hull: string) => boolean): Drawing {
  const outermost = closedIn(drawing.hulls, isClosed);
  if (outermost.size === 0) return drawing;
  const stands = new Map(
    drawing.boxes.flatMap(({ id, hull }) => {
      const closed = hull === null ? undefined : outermost.get(hull);
      return closed === undefined ? [] : [[id, closed] as const];
    }),
  );
  const inside = groupBy(drawing.boxes, ({ id }) => stands.get(id));
  const within = groupBy(drawing.hulls, ({ id }) => outermost.get(id));
  const closed = drawing.hulls.filter(({ id }) => outermost.get(id) === id);
  const boxes = [
    ...closed.map((hull) => closedBox(hull, within.get(hull.id) ?? [], inside.get(hull.id) ?? [])),
    ...drawing.boxes.filter(({ id }) => !stands.has(id)),
  ];
  const hulls = drawing.hulls.filter(({ id }) => !outermost.has(id));
  return { boxes, lines: joined(drawing.lines, stands), hulls };
}

/** For each hull that is not seen the closed one that stands for it: itself, or what it is in. */
function closedIn(
  hulls: readonly Hull[],
  isClosed: (hull: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map(
    hulls.flatMap(({ id, parent }) => {
      const closed = [parent, id].find((each) => each !== null && isClosed(each));
      return closed == null ? [] : [[id, closed] as const];
    }),
  );
}

function closedBox(hull: Hull, within: readonly Hull[], inside: readonly Box[]): Box {
  const { id, label, nodes, hue, parent, isFrame } = hull;
  const parts = isFrame
    ? within.filter((other) => other !== hull).map(({ name }) => name)
    : inside.map(({ label }) => label.split(" ")[0]!);
  return {
    id,
    kind: "hull",
    label,
    detail: shortened(repeats(parts)),
    hull: parent,
    nodes,
    value: null,
    isAgain: false,
    hue,
  };
}

const LONGEST = 46;

export const shortened = (text: string): string =>
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
