/**
 * A large graph before anything is fused, in sections: what one line of the snippet computes at a time.
 * They follow one another as the operations do, so that no two read each other.
 */
import { plural } from "../lib/format";
import type { CapturedOp } from "../wire";
import type { IrGraph, Operation } from "./irtext";
import type { Grouping, Hull } from "./parts";

/** More would be as slow to lay out, and as long to read, as the operations themselves. */
export const MOST_SECTIONS = 250;

interface Section {
  lines: readonly number[];
  operations: readonly Operation[];
}

export function sectionGrouping(graph: IrGraph, captured: readonly CapturedOp[]): Grouping {
  const lineOf = new Map(captured.map(({ id, line }) => [id, line]));
  const sections = joined(byLine(graph.operations, lineOf));
  const home = new Map(
    sections.flatMap(({ operations }, at) => operations.map((each) => [each, idOf(at)] as const)),
  );
  return {
    hulls: sections.map(hullOf),
    of: (operation) => [home.get(operation)].filter((id) => id !== undefined),
    refused: [],
  };
}

/** An operation that no line is known of belongs to what is before it. */
function byLine(
  operations: readonly Operation[],
  lineOf: ReadonlyMap<number, number | null>,
): Section[] {
  const found: { lines: number[]; operations: Operation[] }[] = [];
  for (const operation of operations) {
    const line = operation.nodes.map((node) => lineOf.get(node) ?? null).find((l) => l !== null);
    const last = found.at(-1);
    if (last && (line === undefined || last.lines[0] === line)) last.operations.push(operation);
    else found.push({ lines: line === undefined ? [] : [line], operations: [operation] });
  }
  return found;
}

/** Neighbours as one, as many at a time as it takes. */
function joined(sections: readonly Section[]): Section[] {
  const size = Math.ceil(sections.length / MOST_SECTIONS);
  if (size <= 1) return [...sections];
  const starts = [...sections.keys()].filter((at) => at % size === 0);
  return starts.map((start) => {
    const parts = sections.slice(start, start + size);
    return {
      lines: [...new Set(parts.flatMap(({ lines }) => lines))].sort((a, b) => a - b),
      operations: parts.flatMap(({ operations }) => operations),
    };
  });
}

const idOf = (at: number): string => `section/${at}`;

function hullOf({ lines, operations }: Section, at: number): Hull {
  const where = lines.length === 0 ? "no line" : `line ${lines.join(", ")}`;
  const size = plural(operations.length, "operation");
  return {
    id: idOf(at),
    label: `${where} · ${size}`,
    title: `${where}: ${size}`,
    hue: null,
    nodes: [...new Set(operations.flatMap(({ nodes }) => nodes))],
    parent: null,
    isFrame: false,
  };
}
