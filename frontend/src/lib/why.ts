/**
 * The why-list: what compilers did otherwise than a person may have hoped, and why. It has what was
 * found by looking into others, and what the run knows by itself.
 */
import type { Failure, Finding, FusionRefusal, Kernel, Program, Stage } from "../wire";
import { inOrder, isEnd, titleOf } from "./compilers";
import { plural } from "./format";
import { ownModelOf, runsOf } from "./launchtimes";
import { sumOf } from "./numbers";
import { isOfPlan } from "./plans";
import { ownReason, refusalKind } from "./refusals";
import { gapAfter, partOf, segmentAt, timed } from "./whytimes";

/** Who traces a program before the core has it, and tells of what cannot be. */
const TRACERS: readonly string[] = ["dynamo", "jax"];

/** What each kind of entry is called, in the order that kinds of unknown cost have: what stops a
 * program first. */
const HEADINGS: Record<Finding["kind"], string> = {
  failed: "Failed",
  "graph break": "Graph breaks",
  recompile: "Compiled again",
  "traced again": "Traced again",
  "host sync": "Waits for the device",
  unrolled: "Loops written out",
  "not compiled": "Not compiled",
  "not fused": "Not fused",
  "library call": "Library calls",
  "kept for backward": "Kept for the backward pass",
  resharded: "Divided otherwise on the way",
  replicated: "Held whole by every device",
  "layout copy": "Copies into another layout",
  precision: "Changes of precision",
  // Last, for it costs nothing until a call brings others.
  specialised: "Holds for these sizes or values alone",
};

const KINDS = Object.keys(HEADINGS);

/** Of the option trials_first (compiler_core/report/options.py). */
const MOST_FIRST = 100;

/** Kinds before this one cost more than a memory moves, even where nobody has measured it. */
const FIRST_OF_OTHERS = KINDS.indexOf("not compiled" satisfies Finding["kind"]);

/** A kind as a heading; one that the page does not know as it stands. */
export const headingOf = (kind: string): string =>
  HEADINGS[kind as Finding["kind"]] ?? kind.charAt(0).toUpperCase() + kind.slice(1);

/** An entry, whether its time is a model's estimate, and what its reason says of it alone. */
export type Entry = Finding & { estimated?: boolean; own?: string };

/** Entries with one reason, of one compiler and kind. */
export interface Reason {
  key: string;
  kind: string;
  compiler: string;
  why: string;
  remedy: string;
  entries: readonly Entry[];
  /** How often it happened, over all entries. */
  count: number;
  lines: readonly number[];
  /** What it costs where that is known: bytes and microseconds a call, milliseconds of compiling. */
  bytes: number | null;
  us: number | null;
  /** Whether a part of the microseconds is a model's estimate. */
  estimated: boolean;
  compileMs: number | null;
}

/** Everything that the report knows, as entries of the list; of the core that of one plan. */
export function findingsOf(program: Program, plan: string): Entry[] {
  const known = knownOf(program);
  return [
    ...failuresOf(program),
    ...breaksOf(program),
    ...program.findings.map((finding) => timed(program, finding)),
    ...program.fusion_refusals
      .filter((refusal) => isOfPlan(refusal, plan))
      .map((refusal) => refused(known, refusal)),
    ...program.kernels
      .filter((kernel) => kernel.library !== null && isOfPlan(kernel, plan))
      .map((kernel) => called(program, kernel)),
  ];
}

/** The entries by kind and reason; first what has a remedy to be taken over, then what costs most, of
 * kinds as of the reasons of each. What stops the program comes before all. */
export function reasonsOf(findings: readonly Entry[]): Reason[] {
  const all = [...grouped(findings, keyOf)].map(([key, entries]) => reasonOf(key, entries));
  const kinds = [...grouped(all, ({ kind }) => kind)].map(([kind, reasons]) => ({
    rank: kind === KINDS[0] ? 0 : Math.min(...reasons.map(rankOf)),
    weight: weightOf(kind, reasons),
    place: (KINDS.indexOf(kind) + KINDS.length + 1) % (KINDS.length + 1),
    reasons: reasons.sort(
      (a, b) => rankOf(a) - rankOf(b) || costOf(b) - costOf(a) || b.count - a.count,
    ),
  }));
  return kinds
    .sort(
      (a, b) =>
        a.rank - b.rank || (a.weight === b.weight ? a.place - b.place : b.weight - a.weight),
    )
    .flatMap(({ reasons }) => reasons);
}

/** Before what nothing is to be done about stands what has a changed snippet that was tried. */
const rankOf = ({ entries }: Reason): number =>
  entries.some(({ trial }) => trial?.source) ? 1 : 2;

/** What a kind of entry costs in all. Of unknown cost, or time, stand first those that the program
 * itself meets, behind all that is known those that keep one compiler from it, and last the others. */
function weightOf(kind: string, reasons: readonly Reason[]): number {
  const place = KINDS.indexOf(kind);
  const stops = place >= 0 && place < FIRST_OF_OTHERS;
  const timed = reasons.some(({ us, compileMs }) => (us ?? compileMs) !== null);
  const known = timed || reasons.some(({ bytes }) => bytes !== null);
  if (kind === KINDS[0] || (stops && !timed)) return Infinity;
  if (known) return reasons.reduce((sum, reason) => sum + costOf(reason), 0);
  return place === FIRST_OF_OTHERS ? 0 : -1;
}

/** The compilers and kinds that a list has, to choose from. */
export const compilersOf = (reasons: readonly Reason[]): string[] =>
  inOrder(reasons.map(({ compiler }) => compiler));

export const kindsOf = (reasons: readonly Reason[]): string[] => [
  ...new Set(reasons.map(({ kind }) => kind)),
];

/** The lines of those remedies that there was no time for, as many as a run may be asked to begin with. */
export const linesLeftOut = (reasons: readonly Reason[]): number[] =>
  [
    ...new Set(
      reasons
        .filter(({ entries }) => entries.some(({ trial }) => trial?.left_out))
        .flatMap(({ lines }) => lines),
    ),
  ].slice(0, MOST_FIRST);

/** For each line of the snippet what happened there, for a mark beside it. */
export function whyByLine(reasons: readonly Reason[]): ReadonlyMap<number, string> {
  const pairs = reasons.flatMap(({ lines, kind }) => lines.map((line) => [line, kind] as const));
  const texts = [...grouped(pairs, ([line]) => line)].map(([line, found]) => {
    const kinds = [...new Set(found.map(([, kind]) => headingOf(kind)))];
    return [line, kinds.join(", ")] as const;
  });
  return new Map(texts);
}

function grouped<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const own = groups.get(key(item));
    if (own) own.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

/** Entries with one reason are one, but for those with remedies of their own. */
const keyOf = ({ kind, compiler, why, what, trial }: Entry): string =>
  [kind, compiler, why || what, trial ? trial.source || trial.summary : ""].join("\n");

function reasonOf(key: string, entries: readonly Entry[]): Reason {
  const [{ kind, compiler, why, remedy }] = entries as readonly [Entry, ...Entry[]];
  return {
    key,
    kind,
    compiler,
    why,
    remedy,
    entries,
    count: entries.reduce((sum, { count }) => sum + count, 0),
    lines: [...new Set(entries.map(({ line }) => line).filter((line) => line !== null))],
    bytes: sumOf(entries.map(({ bytes }) => bytes)),
    us: sumOf(entries.map(({ us }) => us)),
    estimated: entries.some(({ estimated }) => estimated),
    compileMs: sumOf(entries.map(({ compile_ms }) => compile_ms)),
  };
}

// To put entries in order only: a second that is lost weighs more than what a memory moves in one.
const costOf = ({ us, bytes, compileMs }: Reason): number =>
  (us ?? 0) + (bytes ?? 0) / 1e5 + (compileMs ?? 0);

// -- what the run knows by itself ---------------------------------------------------------------

const entry = (
  kind: Finding["kind"],
  compiler: string,
  what: string,
  more: Partial<Finding>,
): Finding => ({
  kind,
  compiler,
  category: "",
  what,
  why: "",
  remedy: "",
  line: null,
  column: null,
  stack: [],
  nodes: [],
  bytes: null,
  us: null,
  compile_ms: null,
  count: 1,
  raw: "",
  trial: null,
  graph: "whole",
  ...more,
});

/** The stages that an entry is made of: another compiler that failed, or was left out. */
export const tellingStages = (stages: readonly Stage[]): Stage[] =>
  stages.filter((stage) => isEnd(stage) && stage.status !== "ok");

function failuresOf({ error, stages, findings }: Program): Finding[] {
  const isListed = error !== null && findings.some((each) => isOf(error, each));
  const { message = "", line = null, remedy = "" } = error ?? {};
  return [
    ...(error && !isListed ? [entry("failed", "core", message, { line, remedy })] : []),
    ...tellingStages(stages)
      .filter((stage) => !follows(error, stage) && !findings.some((each) => tellsOf(stage, each)))
      .map(({ status, compiler, summary }) =>
        entry(
          status === "failed" ? "failed" : "not compiled",
          compiler,
          summary || `${titleOf(compiler)} ${status === "failed" ? "failed" : "was left out"}`,
          {},
        ),
      ),
  ];
}

/** Whether a compiler was left out because the program failed, as it says itself: once is enough. */
const follows = (error: Failure | null, { status, summary }: Stage): boolean =>
  error !== null && status === "skipped" && summary.includes(error.message);

/** Whether a finding says why a stage's compiler could not take the program. */
const tellsOf = ({ compiler, summary }: Stage, { kind, why, compiler: of }: Finding): boolean =>
  kind === "not compiled" && of === compiler && why !== "" && summary.startsWith(why);

/** Whether an entry tells of the program's own failure: in its words, or in those of who traced it. */
const isOf = ({ message, line }: Failure, { kind, what, compiler, line: at }: Finding): boolean =>
  kind === "failed" &&
  (what === message || (line !== null && at === line && TRACERS.includes(compiler)));

/** Breaks of the graph that nobody who looked into TorchDynamo has explained better. */
function breaksOf(program: Program): Finding[] {
  const { graph_breaks, findings } = program;
  const listed = new Set(findings.filter(tellsOfBreak).map(({ line }) => line));
  return graph_breaks
    .filter(({ line }) => !listed.has(line))
    .map(({ reason, line, remedy }) =>
      entry("graph break", "dynamo", "the graph breaks here: Python runs this line itself", {
        why: reason,
        remedy,
        line,
        bytes: segmentAt(program, reason, line)?.bytes ?? null,
        us: gapAfter(program, reason, line),
      }),
    );
}

/** With fullgraph=True, torch.compile raises where the graph would break. */
const tellsOfBreak = ({ kind, compiler }: Finding): boolean =>
  kind === "graph break" || (kind === "failed" && TRACERS.includes(compiler));

/** What hundreds of refusals are looked up in. */
interface Known {
  /** Of each operation its line, and its place among those that have one. */
  lines: ReadonlyMap<number, { at: number; line: number }>;
  /** Bytes of each buffer, by `placeOf` it. */
  bytes: ReadonlyMap<string, number>;
}

const placeOf = (name: string, { graph, backend }: Pick<FusionRefusal, "graph" | "backend">) =>
  [name, graph, backend].join("\n");

const knownOf = ({ nodes, buffers }: Program): Known => ({
  lines: new Map(
    nodes.flatMap(({ id, line }, at) => (line === null ? [] : [[id, { at, line }] as const])),
  ),
  bytes: new Map(buffers.map((buffer) => [placeOf(buffer.name, buffer), buffer.bytes])),
});

function refused(known: Known, refusal: FusionRefusal): Entry {
  const { from, to, nodes, graph } = refusal;
  const kind = refusalKind(refusal);
  const line = firstLine(known, nodes);
  const bytes = bytesOf(known, refusal);
  const found = entry("not fused", "core", `${from} → ${to}`, {
    ...kind,
    nodes,
    graph,
    line,
    bytes,
  });
  const own = ownReason(refusal);
  return own === "" ? found : { ...found, own };
}

/** The size of the value that goes from one launch to the other through memory. */
const bytesOf = ({ bytes }: Known, refusal: FusionRefusal): number | null =>
  bytes.get(placeOf(`b${/^%(\w+)/.exec(refusal.from)?.[1]}`, refusal)) ?? null;

function called(program: Program, kernel: Kernel): Entry {
  const { id, kind, library, reason, nodes, lines, graph } = kernel;
  const us = partOf(program, "core", sumOf(runsOf(program, kernel)));
  const model = ownModelOf(kernel);
  return {
    ...entry(
      "library call",
      "core",
      `${id} is ${library === kind ? "a library" : library}'s ${kind}`,
      {
        why: reason,
        nodes,
        graph,
        line: lines[0] ?? null,
        bytes: kernel.bytes_read + kernel.bytes_written,
        us: us ?? model,
      },
    ),
    estimated: us === null && model !== null,
  };
}

/** The line of the operation that was captured first, of those that have one. */
function firstLine({ lines }: Known, nodes: readonly number[]): number | null {
  const found = nodes.flatMap((id) => lines.get(id) ?? []);
  return found.sort((a, b) => a.at - b.at)[0]?.line ?? null;
}

/** "3 times, in 2 lines": how often something of one reason happened, where that was more than once. */
export const oftenOf = ({ count }: Reason): string => (count > 1 ? plural(count, "time") : "");
