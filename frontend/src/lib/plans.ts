/** The plans of a program, one a backend, and the sections that entries of several fall into. */
import type { Graph, Program } from "../wire";
import { isDivided, type Place } from "./graphs";

/** In place of a backend: all plans at once. */
export const ALL = "all";

const ORDER = ["cpu", "gpu"];

const LABELS: Readonly<Record<string, string>> = { cpu: "CPU", gpu: "GPU" };

/** A backend as a person reads it; one that the page does not know as it stands. */
export const labelOf = (backend: string): string => LABELS[backend] ?? backend;

/** The backends that the program has plans for, the one that it runs on first. */
export function backendsOf({ backend: runs, stages, kernels, buffers }: Program): string[] {
  const all = [...stages, ...kernels, ...buffers].map(({ backend }) => backend);
  const place = (name: string) => (name === runs ? -1 : (ORDER.indexOf(name) + 3) % 3);
  return [...new Set(all)].filter((name) => name !== "").sort((a, b) => place(a) - place(b));
}

/** Whether an entry belongs to a plan; one that names no backend belongs to each. */
export const isOfPlan = ({ backend }: Pick<Place, "backend">, plan: string): boolean =>
  plan === ALL || backend === "" || backend === plan;

/** Whether the plan of `backend` was run, as far as the report says. */
export function hasRun({ backend: runs, numerics, timings }: Program, backend: string): boolean {
  return backend !== "" && backend === runs && ("core" in numerics || "core" in timings);
}

/** Entries of one graph in one plan. */
export interface Section<T> {
  key: string;
  /** Null where the program is one graph: then there is nothing to tell apart. */
  graph: Graph | null;
  /** Blank where the program has one plan. */
  backend: string;
  entries: T[];
}

/** `entries` by graph, in the program's order, and within a graph by plan. */
export function sectionsOf<T extends Place>(program: Program, entries: readonly T[]): Section<T>[] {
  const divided = isDivided(program);
  const backends = backendsOf(program);
  const plans = backends.length > 1 ? [...backends, ""] : [null];
  const known = new Set(program.graphs.map(({ id }) => id));
  const graphs = divided ? program.graphs : [null];
  const isIn = (entry: T, graph: Graph | null) =>
    graph === null ||
    entry.graph === graph.id ||
    (graph.parent === null && !known.has(entry.graph));
  return graphs
    .flatMap((graph) =>
      plans.map((plan) => ({
        key: `${graph?.id ?? ""}/${plan ?? ""}`,
        graph,
        backend: plan ?? "",
        entries: entries.filter((e) => isIn(e, graph) && (plan === null || e.backend === plan)),
      })),
    )
    .filter((section) => section.entries.length > 0);
}

const NUMBERED = /^k(\d+)(?:_|$)/;
const IN_REGION = /_k\d+_/;

/** The steps of a graph's plan, as `k0`, that no launch has the number of: a launch that stands for
 * several is numbered as the last of them, and what nobody reads is not launched. */
export function withoutLaunch(launches: readonly { id: string }[]): string[] {
  const found = launches.map(({ id }) => (IN_REGION.test(id) ? null : NUMBERED.exec(id)));
  const numbers = new Set(found.map((match) => Number(match?.[1] ?? NaN)));
  if (numbers.has(NaN)) return [];
  const all = Array.from({ length: Math.max(0, ...numbers) }, (_, number) => number);
  return all.filter((number) => !numbers.has(number)).map((number) => `k${number}`);
}
