/** What entries of the why-list take of one call, in microseconds. A call that is profiled takes longer
 * than one that is not, so that each time in it counts as its part of the call as that is measured. */
import type { Finding, Program } from "../wire";
import { sumOf } from "./numbers";

/** Kinds of entries that are something that runs. */
const THAT_RUN: readonly string[] = [
  "library call",
  "layout copy",
  "unrolled",
] satisfies Finding["kind"][];

/** An entry with the time that it took in the call that was profiled: what runs, and what breaks. */
export function timed<T extends Finding>(program: Program, finding: T): T {
  if (finding.kind === "graph break") {
    const { why, line } = finding;
    const bytes = finding.bytes ?? segmentAt(program, why, line)?.bytes ?? null;
    return { ...finding, bytes, us: finding.us ?? gapAfter(program, why, line) };
  }
  if (!THAT_RUN.includes(finding.kind) || finding.us !== null) return finding;
  const own = new Set(finding.nodes);
  const events = eventsOf(program, finding.compiler).filter(
    ({ nodes }) => nodes.length > 0 && nodes.every((node) => own.has(node)),
  );
  const us = sumOf(events.map(({ duration_us }) => duration_us));
  return { ...finding, us: partOf(program, finding.compiler, us) };
}

/** What Python runs at a break; undefined where another reason of the line has it. */
export const segmentAt = ({ python }: Program, reason: string, line: number | null) =>
  python.find(
    ({ reason: own, first_line: first, last_line: last }) =>
      own === reason && line !== null && first !== null && first <= line && line <= (last ?? first),
  );

/**
 * What a call takes from the end of the graph that breaks to the beginning of the next, in
 * microseconds; null where none was profiled, or another reason of the line has it.
 */
export function gapAfter(program: Program, reason: string, line: number | null): number | null {
  const segment = segmentAt(program, reason, line);
  const events = eventsOf(program, "core").filter(({ kernel }) => kernel !== "");
  const last = events.findLastIndex(({ graph }) => graph === segment?.after);
  const [ended, next] = [events[last], events[last + 1]];
  const gap = ended && next ? next.start_us - ended.start_us - ended.duration_us : null;
  return partOf(program, "core", gap);
}

/** What so many microseconds of a compiler's profiled call are of one that nobody profiles. */
export function partOf(program: Program, compiler: string, us: number | null): number | null {
  const lane = laneOf(program, compiler);
  if (us === null || !lane) return us;
  const call = program.timings[compiler]?.median_us ?? lane.plain_us;
  return us * Math.min(1, call / lane.total_us);
}

const laneOf = ({ timelines }: Program, compiler: string) =>
  timelines.find((lane) => lane.compiler === compiler);

const eventsOf = (program: Program, compiler: string) => laneOf(program, compiler)?.events ?? [];
