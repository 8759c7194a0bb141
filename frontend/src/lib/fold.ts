/** Folds events into a report: the twin of `apply` in compiler_core/report/apply.py. */
import { EMPTY_PROGRAM, type Event, type Facts, type Program, type Report } from "../wire";

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
  program_found: (report, { program, name, framework, entry, inputs }) => {
    if (program !== report.programs.length) {
      throw new RangeError(`program ${program} announced out of order`);
    }
    const found: Program = { ...EMPTY_PROGRAM, name, framework, entry, inputs };
    return { ...report, programs: [...report.programs, found] };
  },
  stage_began: (report) => report,
  stage_done: (report, { program, stage }) =>
    changeProgram(report, program, (p) => ({ ...p, stages: [...p.stages, stage] })),
  facts: (report, event) =>
    changeProgram(report, event.program, (p) => ({ ...p, ...known(event) })),
  program_failed: (report, { program, error }) =>
    changeProgram(report, program, (p) => ({ ...p, status: "failed", error })),
  finished: (report, { protocol }) => ({ ...report, protocol }),
};

/** `report` with `event` folded in; nothing that was passed is changed. */
export function apply(report: Report, event: Event): Report {
  const handle = HANDLERS[event.type] as (report: Report, event: Event) => Report;
  return handle(report, event);
}

function known({ type: _type, program: _program, ...facts }: Facts): Partial<Program> {
  const entries = Object.entries(facts).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Partial<Program>;
}

function changeProgram(report: Report, index: number, change: (p: Program) => Program): Report {
  const program = report.programs[index];
  if (!program) throw new RangeError(`program ${index} was not announced`);
  return { ...report, programs: report.programs.with(index, change(program)) };
}
