/**
 * What each compiler made of every edge of the captured graph: in one kernel, or not and why; and what
 * each came to in all.
 */
import type {
  CapturedOp,
  Column,
  CompilerSummary,
  Figure,
  FusionDecision,
  Kernel,
  Program,
  Read,
  Row,
  Table,
} from "../wire";
import { inOrder, isInside, titleBeside, titleOf } from "./compilers";
import { milliseconds, scientific } from "./format";
import { isOfPlan } from "./plans";
import type { ExplainedRow } from "./table";

/** Of an edge that several units of a compiler's stand for, some may be fused and others not. */
export type State = "fused" | "not fused" | "partly fused";

export interface Verdict {
  state: State;
  /** The compiler's own reason, or the kind of the fusion. */
  reason: string;
}

/** One captured operation reads what another made. */
export interface Edge {
  from: number;
  to: number;
  /** Bytes of what goes from one to the other; null where that is not known. */
  bytes: number | null;
  /** By compiler; one that says nothing of the edge is left out. */
  verdicts: ReadonlyMap<string, Verdict>;
}

/** The compilers that say what they fused: the core first. */
export const judges = ({ fusion_decisions }: Program): string[] =>
  inOrder(["core", ...fusion_decisions.map(({ compiler }) => compiler)]);

/** The edges of the captured graph, each with what the compilers made of it; of the core it is what
 * the plan of `backend` made. What would save most comes first: edges that some did not fuse. */
export function edgesOf(program: Program, backend: string): Edge[] {
  const core = coreOf(program, backend);
  const others = othersOf(program.fusion_decisions.filter((each) => isOfPlan(each, backend)));
  const sources = pastViews(program.nodes);
  const edges = program.nodes.flatMap(({ id: to }) =>
    sources(to).map(({ node: from, bytes }) => {
      const decisions = others(from, to);
      const own = core(from, to);
      const sizes = [bytes, ...decisions.map(({ decision }) => decision.bytes)];
      const verdicts = verdictsOf(decisions);
      if (own) verdicts.set("core", own);
      return { from, to, bytes: sizes.find((size) => size !== null) ?? null, verdicts };
    }),
  );
  return edges.sort((a, b) => savedBy(b) - savedBy(a) || (b.bytes ?? 0) - (a.bytes ?? 0));
}

/**
 * What an operation reads, past views: these move nothing, and who reads what one shows reads what was
 * computed. A view itself reads nothing; one of an input, which nobody computes, is read as it is.
 */
function pastViews(nodes: readonly CapturedOp[]): (id: number) => readonly Read[] {
  const reads = new Map(nodes.map((node) => [node.id, node.reads]));
  const isView = (id: number) => {
    const own = reads.get(id) ?? [];
    return own.length > 0 && own.every(({ bytes }) => bytes === 0);
  };
  const made = ({ node, bytes }: Read): Read[] =>
    isView(node)
      ? (reads.get(node) ?? []).flatMap((read) => made({ node: read.node, bytes }))
      : [{ node, bytes }];
  const largest = (every: readonly Read[]) => {
    const found = new Map<number, Read>();
    for (const read of every) {
      if ((found.get(read.node)?.bytes ?? -1) < (read.bytes ?? 0)) found.set(read.node, read);
    }
    return [...found.values()];
  };
  return (id) => (isView(id) ? [] : largest((reads.get(id) ?? []).flatMap(made)));
}

/** Bytes that would not go through memory if all compilers fused the edge as well. */
export const savedBy = ({ bytes, verdicts }: Edge): number =>
  [...verdicts.values()].some(({ state }) => state !== "fused") ? (bytes ?? 0) : 0;

/** Whether not all that speak of the edge made the same of it. */
export const isDisputed = ({ verdicts }: Edge): boolean =>
  new Set([...verdicts.values()].map(({ state }) => state)).size > 1;

// -- the core: from its kernels and refusals ------------------------------------------------------

function coreOf(program: Program, backend: string) {
  const kernels = program.kernels.filter((kernel) => isOfPlan(kernel, backend));
  const refusals = program.fusion_refusals.filter((refusal) => isOfPlan(refusal, backend));
  const runIn = byNode(kernels, ({ nodes }) => nodes);
  const refusedAt = byNode(refusals, ({ nodes }) => nodes);
  return (from: number, to: number): Verdict | null => {
    const [makers, readers] = [runIn.get(from) ?? [], runIn.get(to) ?? []];
    const both = makers.find((kernel) => readers.includes(kernel));
    if (both) return { state: "fused", reason: kernelName(both) };
    const [maker, reader] = [makers[0], readers[0]];
    // A view, or what was folded away: there is nothing to fuse.
    if (!maker || !reader) return null;
    const refusal = refusedAt.get(from)?.find(({ nodes }) => nodes.includes(to));
    const apart = `${kernelName(maker)}, then ${kernelName(reader)}`;
    return { state: "not fused", reason: refusal?.reason ?? apart };
  };
}

const kernelName = ({ id, library }: Kernel): string =>
  library === null ? id : `${id} (${library})`;

// -- the others: from their decisions -------------------------------------------------------------

interface Decided {
  decision: FusionDecision;
  fused: boolean;
}

/** What the decisions say of an edge. Two operations on one side are one unit of work. */
function othersOf(decisions: readonly FusionDecision[]) {
  const sides = decisions.map((decision) => ({
    decision,
    from: new Set(decision.from_nodes),
    to: new Set(decision.to_nodes),
  }));
  const speaking = byNode(sides, ({ from, to }) => new Set([...from, ...to]));
  return (a: number, b: number): Decided[] => {
    const about = speaking.get(a) ?? [];
    const across = about.filter(
      ({ from, to }) => (from.has(a) && to.has(b)) || (from.has(b) && to.has(a)),
    );
    const found = across.map(({ decision }) => ({ decision, fused: decision.fused }));
    const known = new Set(found.map(({ decision }) => decision.compiler));
    const within = about.filter(
      ({ decision, from, to }) =>
        !known.has(decision.compiler) && ((from.has(a) && from.has(b)) || (to.has(a) && to.has(b))),
    );
    return [...found, ...within.map(({ decision }) => ({ decision, fused: true }))];
  };
}

function verdictsOf(decisions: readonly Decided[]): Map<string, Verdict> {
  const compilers = new Set(decisions.map(({ decision }) => decision.compiler));
  return new Map(
    [...compilers].map((compiler) => {
      const own = decisions.filter(({ decision }) => decision.compiler === compiler);
      const refused = own.filter(({ fused }) => !fused);
      const state =
        refused.length === 0 ? "fused" : refused.length < own.length ? "partly fused" : "not fused";
      const reason = (refused[0] ?? own[0]!).decision.reason;
      return [compiler, { state, reason }] as const;
    }),
  );
}

function byNode<T>(items: readonly T[], nodesOf: (item: T) => Iterable<number>): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const item of items) {
    for (const node of nodesOf(item)) {
      const known = found.get(node);
      if (known) known.push(item);
      else found.set(node, [item]);
    }
  }
  return found;
}

// -- as tables ------------------------------------------------------------------------------------

/** Why a compiler has nothing to say of an edge. */
const SILENT =
  "no unit of its work has both operations: one is a view or a constant, became something else before, or is in another graph";

/** One row an edge, one column a compiler. On a phone the compilers stand right beside the edge. */
export function agreement(
  program: Program,
  edges: readonly Edge[],
  onPhone = false,
): Table & { rows: ExplainedRow[] } {
  const compilers = judges(program);
  const nodes = new Map(program.nodes.map((node) => [node.id, node]));
  const name = (id: number) => nodes.get(id)?.op ?? `%${id}`;
  const ends = onPhone ? [EDGE] : [FROM, TO];
  const ordered = <T>(edge: T[], sizes: T[], verdicts: T[]) =>
    onPhone ? [...edge, ...verdicts, ...sizes] : [...edge, ...sizes, ...verdicts];
  return {
    name: "fusions",
    about:
      "Each operation with one that reads its result: in one kernel, or not and why. What would save most comes first. " +
      (onPhone ? "A row says all when it is tapped." : "A dash says why when it is pointed at."),
    columns: ordered(
      ends,
      SIZES,
      compilers.map((id) => column(titleOf(id))),
    ),
    rows: edges.map((edge): ExplainedRow => {
      const { from, to, bytes, verdicts } = edge;
      const cells = compilers.map((id) => cellOf(verdicts.get(id)));
      const names = [name(from), name(to)];
      return {
        cells: ordered<Row["cells"][number]>(
          onPhone ? [names.join(" → ")] : names,
          [bytes, savedBy(edge)],
          cells,
        ),
        why: ordered(
          ends.map(() => ""),
          SIZES.map(() => ""),
          cells.map((cell) => (cell === null ? SILENT : "")),
        ),
        nodes: [from, to],
        line: nodes.get(to)?.line ?? null,
      };
    }),
  };
}

const column = (title: string, about = "", unit: Column["unit"] = ""): Column => ({
  title,
  unit,
  about,
});
const FROM = column("From", "what makes the value");
const TO = column("To", "what reads it");
const EDGE = column("Edge", "what makes a value, and what reads it");
const SIZES = [
  column("Bytes", "of the value: through memory where not fused", "bytes"),
  column("Would save", "if all compilers fused the two", "bytes"),
];

const cellOf = (verdict: Verdict | undefined): string | null =>
  verdict ? [verdict.state, verdict.reason].filter(Boolean).join(": ") : null;

/** One row a compiler: what it came to. */
export function compared(
  program: Program,
  edges: readonly Edge[],
): Table & { rows: ExplainedRow[] } {
  const { timings, numerics, stages } = program;
  const looked = stages.filter(isInside).map(({ compiler }) => compiler);
  const compilers = inOrder([
    ...Object.keys(timings),
    ...Object.keys(numerics),
    ...judges(program),
    ...program.compilers.map(({ compiler }) => compiler),
    ...looked,
    ...stages
      .filter(({ compiler, name }) => name !== "" && name === compiler)
      .map(({ name }) => name),
  ]);
  return {
    name: "compilers",
    about: "What each compiler made of the whole program; a dash says why when it is pointed at.",
    columns: [
      { title: "Compiler", unit: "", about: "" },
      { title: "Run", unit: "us", about: "the median of a call" },
      { title: "Error", unit: "", about: "the largest against float64" },
      { title: "Compile", unit: "ms", about: "from the captured graph on" },
      ...FIGURES.map(([, title, unit, about]) => ({ title, unit, about })),
      { title: "Edges fused", unit: "", about: "of those that it speaks of" },
      { title: "Not fused", unit: "", about: "wholly or partly" },
      { title: "Phases", unit: "", about: "of compiling" },
    ],
    rows: compilers.flatMap((id): ExplainedRow[] => {
      const states = edges.map(({ verdicts }) => verdicts.get(id)?.state);
      const fused = states.filter((state) => state === "fused").length;
      const spoken = states.filter((state) => state !== undefined).length;
      const own = figuresOf(program, id);
      const measured = [
        timings[id]?.median_us ?? null,
        numerics[id] ? scientific(numerics[id].max_abs_error) : null,
        timings[id]?.compile_ms ?? null,
      ];
      const cells = [
        ...measured,
        ...own.map(({ value }) => value),
        spoken > 0 ? fused : null,
        spoken > 0 ? spoken - fused : null,
        phasesOf(program, id),
      ];
      const refused = refusalOf(program, id);
      if (refused === "" && cells.every((cell) => cell === null)) return [];
      const why = own.map((figure) => refused || figure.why);
      const before = measured.map(() => refused);
      const after = Array<string>(cells.length - why.length - before.length).fill(refused);
      return [
        {
          cells: [titleBeside(program, id), ...cells],
          why: ["", ...before, ...why, ...after],
          nodes: [],
          line: null,
        },
      ];
    }),
  };
}

type FigureName = Exclude<keyof CompilerSummary, "compiler" | "phases">;

const FIGURES: readonly [FigureName, string, "" | "bytes", string][] = [
  ["graphs", "Graphs", "", "pieces that the program was compiled as"],
  ["breaks", "Breaks", "", "places where the graph breaks and Python runs by itself"],
  ["kernels", "Kernels", "", "different generated ones"],
  ["launches", "Launches", "", "in a call, library calls among them"],
  ["library_calls", "Library calls", "", "of the launches"],
  ["bytes", "Traffic", "bytes", "that launches read and write in a call"],
  ["peak_bytes", "Peak", "bytes", "held at once in a call, inputs left out"],
];

/** The figures of a compiler. Breaks that a look has found are counted where nobody tells them. */
function figuresOf(program: Program, id: string): Figure[] {
  const figures = program.compilers.find(({ compiler }) => compiler === id);
  const breaks = program.findings.filter(
    ({ compiler, kind }) => compiler === id && kind === "graph break",
  ).length;
  const none: Figure = { value: null, why: "nobody tells it of this compiler" };
  return FIGURES.map(([name]) => {
    const figure = figures?.[name] ?? none;
    return name === "breaks" && figure.value === null && breaks > 0
      ? { value: breaks, why: "" }
      : figure;
  });
}

/** Why a compiler that was asked for did not run the program; blank where it did, or was not asked. */
const refusalOf = ({ stages }: Program, id: string): string =>
  stages.find(({ compiler, name, status }) => compiler === id && name === id && status !== "ok")
    ?.summary ?? "";

const phasesOf = ({ compilers }: Program, id: string): string | null =>
  compilers
    .find(({ compiler }) => compiler === id)
    ?.phases.map(({ name, ms }) => `${name} ${milliseconds(ms)}`)
    .join(", ") || null;
