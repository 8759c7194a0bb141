/** Where the time of a call goes: the part of it that is seen, events in rows, and as a table. */
import type { Program, Table, Timeline, TimelineEvent } from "../wire";
import { titleBeside } from "./compilers";
import { microseconds } from "./format";

export type EventKind = TimelineEvent["kind"];

/** What each kind of event is called. */
export const KINDS: Record<EventKind, string> = {
  kernel: "generated kernel",
  library: "library call",
  python: "Python between graphs",
  guards: "guard checks",
  overhead: "a runtime's own work",
};

/** The part of the calls that is seen, in microseconds since they began. */
export interface Extent {
  from: number;
  to: number;
}

/** All of the longest call. */
export const whole = (lanes: readonly Timeline[]): Extent => ({
  from: 0,
  to: Math.max(1e-3, ...lanes.map(({ total_us }) => total_us)),
});

/** The shortest part that is shown. */
const LEAST_US = 0.5;

/** A part `factor` times as long, with `at` where it was; within `all`. */
export function zoomed({ from, to }: Extent, factor: number, at: number, all: Extent): Extent {
  const length = Math.min(all.to - all.from, Math.max(LEAST_US, (to - from) * factor));
  const share = (at - from) / (to - from);
  return within({ from: at - share * length, to: at - share * length + length }, all);
}

/** The same length, further on by `us`; within `all`. */
export const panned = ({ from, to }: Extent, us: number, all: Extent): Extent =>
  within({ from: from + us, to: to + us }, all);

function within({ from, to }: Extent, all: Extent): Extent {
  const back = Math.max(0, to - all.to);
  const start = Math.max(all.from, from - back);
  return { from: start, to: start + (to - from) };
}

/** A part in which an event can be seen. */
export function revealing(shown: Extent, event: TimelineEvent, all: Extent): Extent {
  const end = event.start_us + event.duration_us;
  if (event.start_us >= shown.from && end <= shown.to) return shown;
  const middle = (event.start_us + end) / 2;
  const length = Math.max(shown.to - shown.from, event.duration_us * 1.5);
  return within({ from: middle - length / 2, to: middle + length / 2 }, all);
}

/** The row of each event of a lane: those that overlap have different ones. */
export function rowsOf(events: readonly TimelineEvent[]): number[] {
  const ends: number[] = [];
  return events.map(({ start_us, duration_us }) => {
    const free = ends.findIndex((end) => end <= start_us + 1e-6);
    const row = free === -1 ? ends.length : free;
    ends[row] = start_us + duration_us;
    return row;
  });
}

/** Microseconds in which some event goes on; what runs at once counts once. */
export function busy(events: readonly TimelineEvent[]): number {
  let [total, until] = [0, 0];
  for (const { start_us, duration_us } of events) {
    const end = start_us + duration_us;
    total += Math.max(0, end - Math.max(until, start_us));
    until = Math.max(until, end);
  }
  return total;
}

/** What the same call takes without the profiler. */
export const unprofiled = ({ plain_us }: Timeline): string =>
  `${microseconds(plain_us)} unprofiled`;

export const spoken = (event: TimelineEvent): string =>
  [
    event.name,
    KINDS[event.kind],
    `${microseconds(event.duration_us)} from ${microseconds(event.start_us)} on`,
    event.line === null ? "" : `line ${event.line}`,
  ]
    .filter(Boolean)
    .join(", ");

/** Every event of every lane, one row each. */
export const asTable = (program: Program): Table => ({
  name: "timeline",
  about: "",
  columns: [
    { title: "Compiler", unit: "", about: "" },
    { title: "What", unit: "", about: "by the compiler's own name" },
    { title: "Kind", unit: "", about: "" },
    { title: "Begins", unit: "us", about: "after the call" },
    { title: "Takes", unit: "us", about: "" },
  ],
  rows: program.timelines.flatMap(({ compiler, events }) =>
    events.map(({ name, kind, start_us, duration_us, nodes, line }) => ({
      cells: [titleBeside(program, compiler), name, KINDS[kind], start_us, duration_us],
      nodes,
      line,
    })),
  ),
});

/** The lanes in the trace event format of Chrome, which Perfetto opens: a process a compiler.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export const chromeTrace = (program: Program): string => {
  const { timelines } = program;
  const named = (lane: Timeline) => titleBeside(program, lane.compiler);
  const traceEvents = timelines.flatMap((lane, pid) => traced(lane, named(lane), pid));
  return JSON.stringify({ displayTimeUnit: "ns", traceEvents });
};

function traced({ total_us, plain_us, events }: Timeline, title: string, pid: number): object[] {
  const at = { pid, tid: 0 };
  const rows = rowsOf(events);
  return [
    { ph: "M", name: "process_name", ...at, args: { name: title } },
    { ph: "X", name: "call", cat: "call", ...at, ts: 0, dur: total_us, args: { plain_us } },
    ...events.map(({ name, kind, start_us, duration_us, line, nodes, kernel }, index) => ({
      ph: "X",
      name,
      cat: kind,
      pid,
      tid: rows[index]! + 1,
      ts: start_us,
      dur: duration_us,
      args: { line, nodes, kernel },
    })),
  ];
}
