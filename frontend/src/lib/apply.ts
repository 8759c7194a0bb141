/** Folds events into a report: the twin of `apply` in compiler_core/report/apply.py. */
import {
  EMPTY_PROGRAM,
  ROOT_GRAPH,
  type Event,
  type Facts,
  type Program,
  type Report,
} from "../wire";

type Handlers = {
  [K in Event["type"]]: (report: Report, event: Extract<Event, { type: K }>) => Report;
};

const HANDLERS: Handlers = {
  started: (report, { snippet, toolchain, device, options }) => ({
    ...report,
    snippet,
    toolchain,
    device,
    options,
  }),
  printed: (report, { stream, text }) => ({
    ...report,
    output: { ...report.output, [stream]: report.output[stream] + text },
  }),
  noticed: (report, { notice }) => ({ ...report, notices: [...report.notices, notice] }),
  snippet_failed: (report, { error, candidates }) => ({ ...report, error, candidates }),
  program_found: (report, event) => {
    const { program, name, framework, entry, inputs, backend, assumed = "", called = "" } = event;
    if (program !== report.programs.length) {
      throw new RangeError(`program ${program} announced out of order`);
    }
    const graphs = [{ ...ROOT_GRAPH, name, line: entry.line }];
    const own = { name, framework, entry, inputs, backend, assumed, called, graphs };
    const found = { ...EMPTY_PROGRAM, ...own };
    return { ...report, programs: [...report.programs, found] };
  },
  stage_began: (report) => report,
  stage_done: (report, { program, stage }) =>
    changeProgram(report, program, (p) => ({ ...p, stages: [...p.stages, stage] })),
  facts: (report, event) =>
    changeProgram(report, event.program, (p) => ({ ...p, ...known(p, event) })),
  program_failed: (report, { program, error }) =>
    changeProgram(report, program, (p) => ({ ...p, status: "failed", error })),
  finished: (report, { protocol }) => ({ ...report, protocol }),
};

/** `report` with `event` applied; nothing that was passed is changed. */
export function apply(report: Report, event: Event): Report {
  const handle = HANDLERS[event.type] as (report: Report, event: Event) => Report;
  return handle(report, event);
}

/** What lists may be restricted to: entries of other graphs, plans and compilers stay. */
type Scope = Pick<Facts, "graph" | "backend" | "compiler">;

function known(program: Program, event: Facts): Partial<Program> {
  const { type: _type, program: _program, ...scoped } = event;
  const { graph = null, backend = null, compiler = null, ...facts } = scoped;
  const entries = Object.entries(facts).filter(([, value]) => value !== null);
  const kept = (name: string) => {
    const before = program[name as keyof Program] as unknown as Scope[];
    return before.filter((entry) => !isMeant(entry, { graph, backend, compiler }));
  };
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      Array.isArray(value) ? [...kept(name), ...value] : value,
    ]),
  ) as Partial<Program>;
}

/** Whether `entry` is one of those that the event's lists replace. */
function isMeant(entry: Scope, { graph, backend, compiler }: Scope): boolean {
  const is = (wanted: Scope["graph"], own: Scope["graph"]) =>
    wanted === null || (own ?? wanted) === wanted;
  return is(graph, entry.graph) && is(backend, entry.backend) && is(compiler, entry.compiler);
}

function changeProgram(report: Report, index: number, change: (p: Program) => Program): Report {
  const program = report.programs[index];
  if (!program) throw new RangeError(`program ${index} was not announced`);
  return { ...report, programs: report.programs.with(index, change(program)) };
}
