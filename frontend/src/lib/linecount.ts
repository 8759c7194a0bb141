/** Lines that a pass added and removed, of reports that were stored before stages said it: these have
 * their texts in them. A file of its own, for it needs what compares texts. */
import type { Stage } from "../wire";
import { sidesOf } from "./artifacts";
import { inCommon } from "./lcs";
import type { LineCount } from "./stages";

const counted = new WeakMap<Stage, LineCount>();

/** Null where there is nothing to compare. */
export function countLines(stage: Stage): LineCount | null {
  const known = counted.get(stage);
  if (known) return known;
  const sides = sidesOf(stage);
  if (!sides?.before) return null;
  const found = compare(sides.before.text, sides.after.text);
  counted.set(stage, found);
  return found;
}

function compare(before: string, after: string): LineCount {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const kept = inCommon(old, now).length;
  return { added: now.length - kept, removed: old.length - kept };
}
