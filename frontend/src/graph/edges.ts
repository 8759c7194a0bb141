/** What may be decided of a line of the drawing: whether its ends are to share a kernel. */
import { LITERALS, VIEWS } from "../wire";
import type { Box, Drawing, Line } from "./parts";

/** What no kernel computes by itself: there is nothing to keep apart, or to fuse. */
const IS_NO_STEP: ReadonlySet<string> = new Set([...VIEWS, ...LITERALS]);

/** A line by the names of its ends. */
export interface Edge {
  from: string;
  to: string;
  /** Whether both are in one kernel now. */
  isFused: boolean;
}

/** What overrides call the two ends of a line; null where one of them is in no kernel. */
export function edgeOf(
  { boxes }: Drawing,
  { from, to }: Line,
  names: ReadonlyMap<number, string>,
): Edge | null {
  const ends = [from, to].map((end) => boxes.find(({ id }) => id === end));
  const [source, target] = ends.map((box) => (box && isStep(box) ? box : null));
  if (!source || !target) return null;
  const [first, last] = [source, target].map(({ value }) => names.get(value ?? -1));
  if (first === undefined || last === undefined) return null;
  return { from: first, to: last, isFused: source.hull !== null && source.hull === target.hull };
}

const isStep = ({ kind, label }: Box): boolean =>
  kind === "operation" && !IS_NO_STEP.has(label.split(" ")[0]!);
