/** What a program's measurement comes to, in one line: eager, the core, who is fastest. */
import { COMPILERS, type CompilerInfo, type Measurement, type Program, type Timing } from "../wire";
import { BASELINE, inOrder, titleBeside } from "./compilers";
import { group } from "./format";
import { isOfPlan } from "./plans";

export interface Standing {
  compiler: string;
  title: string;
  timing: Timing;
  /** Its place among all: alone at the front, there with others, or not. */
  lead: "fastest" | "among the fastest" | "";
  /** Why its figure is none; blank where it is one. */
  refused: "wrong result" | "below the physical floor" | "not compiled" | "";
  /** The reason, as the why-list has it, of what is not compiled; blank where none is known. */
  why: string;
}

export interface Verdict {
  eager: Standing;
  core: Standing | null;
  /** Whoever else was measured: the core's figure never stands without theirs. */
  others: Standing[];
  /** What eager is, in a few words and in full. */
  baseline: { short: string; full: string };
  /** What others took of the machine meanwhile, where that was much; blank otherwise. */
  busy: string;
}

const REFUSED = ["wrong result", "below the physical floor", "not compiled"] as const;

type Role = CompilerInfo["role"];

const roleOf = (compiler: string): Role =>
  COMPILERS.find(({ id }) => id === compiler)?.role ?? "reference";

/** Null where eager was not measured. */
export function verdictOf(program: Program): Verdict | null {
  const { timings, measurement } = program;
  const all = inOrder(Object.keys(timings)).map((name) => standing(name, program));
  const of = (role: Role) => all.filter(({ compiler }) => roleOf(compiler) === role);
  const [eager] = of("baseline");
  if (!eager) return null;
  return {
    eager,
    core: of("own")[0] ?? null,
    others: of("reference"),
    baseline: {
      short: titleBeside(program, BASELINE),
      full: measurement?.baseline ?? "",
    },
    busy: measurement ? busyness(measurement) : "",
  };
}

function standing(compiler: string, program: Program): Standing {
  const { timings, numerics, measurement } = program;
  const timing = timings[compiler]!;
  const wrong = numerics[compiler]?.ok === false ? "wrong result" : timing.verdict;
  const refused = REFUSED.find((reason) => reason === wrong) ?? "";
  return {
    compiler,
    title: titleBeside(program, compiler),
    timing,
    lead: leadOf(compiler, measurement?.fastest ?? [], Object.keys(timings).length),
    refused,
    why: refused === "not compiled" ? whyPython(program) : "",
  };
}

/** The first reason why Python runs a program. */
const whyPython = ({ graph_breaks, python }: Program): string =>
  [...graph_breaks, ...python].find(({ reason }) => reason !== "")?.reason ?? "";

/** Nobody leads where nothing tells any of them apart. */
function leadOf(compiler: string, fastest: readonly string[], all: number): Standing["lead"] {
  if (!fastest.includes(compiler) || (all > 1 && fastest.length === all)) return "";
  return fastest.length === 1 ? "fastest" : "among the fastest";
}

function busyness({ busy, others, processors }: Measurement): string {
  if (!busy) return "";
  return `machine busy: others took ${(others ?? 0).toFixed(1)} of ${processors} processors`;
}

/** A count before and after, as shares of the larger. */
export interface Change {
  name: string;
  before: number;
  after: number;
  /** How what is listed comes to so many; blank where that is seen. */
  note: string;
}

/** Launches and bytes of a call, of eager and of the core; none where nothing was planned. */
export function changesOf(program: Program): Change[] {
  const { launches_eager, launches_core, bytes_eager, bytes_core } = program.summary;
  if (launches_core === 0) return [];
  const note = launchesRepeated(program);
  return [
    { name: "launches", before: launches_eager, after: launches_core, note },
    { name: "bytes", before: bytes_eager, after: bytes_core, note: "" },
  ];
}

const LOOPS = ["scan", "while"];
/** Kinds of what launches nothing itself: what is in it is listed beside it. */
const CONTROL = [...LOOPS, "case", "call"];

/** Of a loop each launch is listed once, and counted at every turn. */
function launchesRepeated({ kernels, backend, summary }: Program): string {
  const own = kernels.filter((kernel) => isOfPlan(kernel, backend));
  const listed = own.filter(({ kind }) => !CONTROL.includes(kind)).length;
  if (!own.some(({ kind }) => LOOPS.includes(kind)) || summary.launches_core <= listed) return "";
  return `${group(listed)} in the code, those in a loop at each turn`;
}
