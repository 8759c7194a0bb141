/** Deciding in the compiler's stead: what an override speaks of, in words, and what came of it. */
import type { Kernel, Program, ScheduleCandidate } from "../wire";
import { modelOf } from "./launchtimes";
import { isSame, type Override } from "./overrides";
import { isOfPlan } from "./plans";

export type Overridden = Program["overrides"][number];

/** Two that speak of the same thing: of both only the later one can stand. */
export const aboutTheSame = (a: Override, b: Override): boolean => subject(a) === subject(b);

/** What an override speaks of: a pass, a kernel of a plan, an edge. */
function subject(of: Override): string {
  switch (of.type) {
    case "without":
      return `pass ${of.name}`;
    case "schedule":
      return `kernel ${of.program} ${of.backend} ${of.kernel}`;
    case "forbid":
    case "force":
      return `edge ${of.program} ${of.from} ${of.to}`;
  }
}

/** With `one`, in place of what speaks of the same. */
export const withOne = (all: readonly Override[], one: Override): Override[] => [
  ...all.filter((other) => !aboutTheSame(other, one)),
  one,
];

export const withoutOne = (all: readonly Override[], one: Override): Override[] =>
  all.filter((other) => !isSame(other, one));

/** "Apart: 0.divide → 1.dot_general". A schedule is said by its kernel and by what it is, where one of the
 * programs has them: both have short names for the address, which stay when a program is compiled otherwise. */
export function inWords(override: Override, programs: readonly Program[] = []): string {
  switch (override.type) {
    case "without":
      return `Without ${override.name}`;
    case "forbid":
    case "force":
      return `${override.type === "forbid" ? "Apart" : "Fused"}: ${override.from} → ${override.to}`;
    case "schedule": {
      const plan = override.backend ? ` (${override.backend.toUpperCase()})` : "";
      return scheduleInWords(override, programs[override.program]) + plan;
    }
  }
}

type OfKernel = Extract<Override, { type: "schedule" }>;

function scheduleInWords(override: OfKernel, program: Program | undefined): string {
  const ways = (program?.kernels ?? [])
    .filter(({ backend }) => isOfPlan(override, backend))
    .flatMap(({ id, result, candidates }) =>
      candidates.map((candidate) => ({ id, result, candidate })),
    )
    .filter(({ id, result, candidate }) => (candidate.of || result || id) === override.kernel);
  // A product that a library computes may leave the writing to another kernel, which has other ways.
  const way = ways.find(({ candidate }) => candidate.name === override.candidate);
  const made = ways.find(({ candidate }) => isMadeOf(way?.candidate, override, candidate));
  const [strategy, place] = override.candidate.split(".");
  const how = way?.candidate.strategy ?? (place ? `${strategy}, its candidate ${place}` : strategy);
  const values = { ...staying(way?.candidate, override), ...made?.candidate.parameters };
  const set = Object.entries({ ...values, ...override.parameters });
  const told = [how, ...set.map(([name, value]) => `${name} ${value}`)].join(", ");
  return `${way?.id ?? `the kernel of ${override.kernel}`}: ${told}`;
}

/** Whether `other` is what `of` became with the parameters that are set, and is run. */
function isMadeOf(
  of: ScheduleCandidate | undefined,
  { parameters }: OfKernel,
  other: ScheduleCandidate,
) {
  const set = Object.entries(parameters);
  const isSame = set.every(([name, value]) => other.parameters[name] === value);
  return set.length > 0 && isSame && other.chosen && other.strategy === of?.strategy;
}

/** What a candidate's parameters still are when some are set: others than the free ones may follow from those. */
function staying(of: ScheduleCandidate | undefined, { parameters }: OfKernel) {
  const all = Object.entries(of?.parameters ?? {});
  const isAsEver = Object.keys(parameters).length === 0;
  return Object.fromEntries(all.filter(([name]) => isAsEver || name in (of?.free ?? {})));
}

/** What became of an override, over all plans. */
export function outcomeOf(program: Program | null, override: Override): readonly Overridden[] {
  return (program?.overrides ?? []).filter((each) => isSame(each.override, override));
}

// -- before and after

export interface Figure {
  name: string;
  before: number;
  after: number;
  unit: "launches" | "bytes" | "us";
}

export interface PlanChange {
  plan: string;
  figures: readonly Figure[];
}

/** Those of the plans that one of the overrides speaks of; one that names none speaks of each. */
export function plansOf(overrides: readonly Override[], plans: readonly string[]): string[] {
  const named: string[] = overrides.map((each) => (each.type === "schedule" ? each.backend : ""));
  return plans.filter((plan) => named.length === 0 || named.includes("") || named.includes(plan));
}

/** The figures of each of the plans, but for those in which nothing changed while it did in another: all of
 * them where it did in none, the first alone. */
export function plansChanged(
  before: Program,
  after: Program,
  plans: readonly string[],
): PlanChange[] {
  const all = plans.map((plan) => ({ plan, figures: figuresOf(before, after, plan) }));
  const changed = all.filter(({ figures }) => figures.some((each) => each.before !== each.after));
  return changed.length > 0 ? changed : all.slice(0, 1);
}

/** Launches of a program's plan, the bytes that they move, and what the cost model says of them where it
 * says it of each. */
export function figuresOf(before: Program, after: Program, plan: string): Figure[] {
  const of = (program: Program) => program.kernels.filter((k) => isOfPlan(k, plan));
  const [old, now] = [of(before), of(after)];
  return [
    { name: "launches", before: old.length, after: now.length, unit: "launches" },
    { name: "traffic", before: moved(old), after: moved(now), unit: "bytes" },
    ...(isModelled(after, plan) && isModelled(before, plan) ? modelled(old, now) : []),
  ];
}

/** Whether nobody has set a parameter by hand: what that costs the model does not know. */
const isModelled = ({ overrides }: Program, plan: string): boolean =>
  !overrides.some(
    ({ override }) =>
      override.type === "schedule" &&
      isOfPlan(override, plan) &&
      Object.keys(override.parameters).length > 0,
  );

function modelled(old: readonly Kernel[], now: readonly Kernel[]): Figure[] {
  const [before, after] = [modelOfAll(old), modelOfAll(now)];
  if (before === null || after === null) return [];
  return [{ name: "by the model", before, after, unit: "us" }];
}

/** A choice of several launches has one cost, which each of them has. */
function modelOfAll(kernels: readonly Kernel[]): number | null {
  const costs = kernels
    .filter(({ id, chosen_with }) => chosen_with.length === 0 || chosen_with[0] === id)
    .map(modelOf);
  if (costs.length === 0) return null;
  return costs.reduce((sum, us) => (sum === null || us === null ? null : sum + us), 0);
}

const moved = (kernels: readonly Kernel[]): number =>
  kernels.reduce((sum, { bytes_read, bytes_written }) => sum + bytes_read + bytes_written, 0);

export interface TimeChange {
  before: number;
  after: number;
  /** "1.32× slower", "same within noise" */
  verdict: string;
}

/** The core's median before and after; null where one of them was not measured. Two runs are not
 * measured in turn: medians whose middle halves meet are called the same. */
export function timeChange(before: Program, after: Program): TimeChange | null {
  const [a, b] = [before.timings.core, after.timings.core];
  if (!a || !b || a.median_us <= 0) return null;
  const ratio = b.median_us / a.median_us;
  const meets = a.p25_us <= b.p75_us && b.p25_us <= a.p75_us;
  const factor = Math.max(ratio, 1 / ratio).toFixed(2);
  const verdict = meets ? "same within noise" : `${factor}× ${ratio > 1 ? "slower" : "faster"}`;
  return { before: a.median_us, after: b.median_us, verdict };
}
