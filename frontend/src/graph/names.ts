/**
 * What overrides call the values of a graph: `3.add` is the first `add` that the captured operation 3
 * has become, `3.add.2` the second. The twin of compiler_core/ir/naming.py.
 */
import type { Operation, Region } from "./irtext";

export function namesOf(graph: Region): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  return new Map(
    walk(graph).flatMap(({ op, nodes, results }) =>
      results.map(({ id }): [number, string] => {
        const stem = [...nodes.toSorted((a, b) => a - b).slice(0, 1), op].join(".");
        const count = (counts.get(stem) ?? 0) + 1;
        counts.set(stem, count);
        return [id, count === 1 ? stem : `${stem}.${count}`];
      }),
    ),
  );
}

/** Regions stand before the operation that runs them. */
const walk = ({ operations }: Region): Operation[] =>
  operations.flatMap((operation) => [...operation.regions.flatMap(walk), operation]);
