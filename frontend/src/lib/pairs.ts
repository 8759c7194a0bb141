/** The texts of two programs, each beside the other's that does the same. */
import type { Shown } from "./artifacts";
import { groupBy } from "./group";

export interface TextPair {
  key: string;
  label: string;
  a: Shown | null;
  b: Shown | null;
  /** Whether they are known to differ. */
  differ: boolean;
}

/** Texts of one name of one stage belong together; of those left, kernels say, the first of a kind in
 * a stage and the first in the other, and so on. */
export function paired(a: readonly Shown[], b: readonly Shown[]): TextPair[] {
  const named = matched(a, b, ({ key }) => key);
  const [restA, restB] = [a.filter((x) => !named.has(x)), without(b, named)];
  const like = matched(restA, restB, ({ stage, artifact }) =>
    [stage.compiler, stage.graph, stage.backend, stage.parent, stage.name, artifact.kind].join("/"),
  );
  const partner = (x: Shown) => named.get(x) ?? like.get(x) ?? null;
  const pairs = a.map((x) => made(x, partner(x)));
  const alone = without(restB, like).map((x) => made(null, x));
  return [...pairs, ...alone];
}

function without(b: readonly Shown[], taken: ReadonlyMap<Shown, Shown>): Shown[] {
  const known = new Set(taken.values());
  return b.filter((x) => !known.has(x));
}

/** Each of `a` with the one of `b` that has its key and its place among those. */
function matched(
  a: readonly Shown[],
  b: readonly Shown[],
  keyOf: (x: Shown) => string,
): Map<Shown, Shown> {
  const waiting = groupBy(b, keyOf);
  const found = new Map<Shown, Shown>();
  for (const x of a) {
    const next = waiting.get(keyOf(x))?.shift();
    if (next) found.set(x, next);
  }
  return found;
}

function made(a: Shown | null, b: Shown | null): TextPair {
  const { key, stage, label } = (a ?? b)!;
  const names = [...new Set([a?.label ?? label, b?.label ?? label])].join(" | ");
  return { key, label: [stage.name, names].join(" · "), a, b, differ: differ(a, b) };
}

function differ(a: Shown | null, b: Shown | null): boolean {
  if (a === null || b === null) return true;
  const [one, other] = [a.artifact, b.artifact];
  if (one.stored && other.stored) return one.stored.sha256 !== other.stored.sha256;
  return one.text !== other.text;
}
