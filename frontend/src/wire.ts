// Generated from compiler_core/report/ by frontend/generate_wire.py. Do not edit.

/** Everything that is known about a run. */
export interface Report {
  schema: number;
  snippet: Snippet;
  toolchain: Record<string, string>;
  device: Device;
  output: Output;
  notices: Notice[];
  programs: Program[];
  error: Failure | null;
  candidates: Candidate[];
  protocol: string;
  options: Options;
}

/** Two reports beside one another; `about` are snippets, options, devices and versions. */
export interface Comparison {
  about: ComparedLine[];
  programs: ProgramComparison[];
}

/** A compiler's id, its title, and a short description. */
export interface CompilerInfo {
  id: "core" | "eager" | "inductor" | "inductor:dynamic" | "inductor:max-autotune" | "inductor:reduce-overhead" | "iree" | "tvm" | "xla";
  title: string;
  about: string;
  role: "baseline" | "own" | "reference";
  install: string;
  usual: ("jax" | "torch")[];
}

/**
 * An inside's id, its title, a short description, and the frameworks whose programs it exists
 * for; for some programs of these it is skipped, and the stage says why.
 */
export interface InsideInfo {
  id: "aot" | "dynamo" | "export" | "inductor" | "iree" | "jax" | "ladder" | "sharding" | "stablehlo" | "tensorflow" | "torchscript" | "tvm" | "xla";
  title: string;
  about: string;
  frameworks: ("jax" | "torch")[];
  imported: string;
  install: string;
  of_graph: boolean;
}

/** The text that was run, and its SHA-256 in hexadecimal. */
export interface Snippet {
  sha256: string;
  source: string;
}

/** The device that programs ran on: `kind` is `cpu` or `cuda`, `threads` those of the CPU. */
export interface Device {
  kind: string;
  name: string;
  threads: number;
}

/** What the snippet printed. A runner limits its length, and says so in a notice. */
export interface Output {
  stdout: string;
  stderr: string;
}

/** The options of a run. Every field has a default. */
export interface Options {
  inputs: string;
  seed: number | null;
  device: "auto" | "cpu" | "cuda";
  devices: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | "auto";
  target: "auto" | "gfx942" | "none" | "sm_100" | "sm_120" | "sm_80" | "sm_86" | "sm_89" | "sm_90";
  compilers: ("core" | "inductor" | "inductor:dynamic" | "inductor:max-autotune" | "inductor:reduce-overhead" | "iree" | "tvm" | "xla")[] | "auto";
  measure: boolean;
  insides: ("aot" | "dynamo" | "export" | "inductor" | "iree" | "jax" | "ladder" | "sharding" | "stablehlo" | "tensorflow" | "torchscript" | "tvm" | "xla")[];
  trials: boolean;
  trials_first: number[];
  toolchain: string;
  overrides: (WithoutPass | ForbiddenEdge | ForcedEdge | WantedSchedule)[];
  timeline: boolean;
}

/**
 * The first event of a run: the snippet, the versions by package name, the device, the
 * options.
 */
export interface Started {
  type: "started";
  snippet: Snippet;
  toolchain: Record<string, string>;
  device: Device;
  options: Options;
}

/** Text that the snippet printed. */
export interface Printed {
  type: "printed";
  stream: "stderr" | "stdout";
  text: string;
}

/** A remark on the run that is not an error. */
export interface Noticed {
  type: "noticed";
  notice: Notice;
}

/**
 * The snippet failed, or has no program. `candidates` are the functions and modules that it
 * defines and for which no inputs were found.
 */
export interface SnippetFailed {
  type: "snippet_failed";
  error: Failure;
  candidates: Candidate[];
}

/** A program was found. Programs are numbered from 0 in this order. */
export interface ProgramFound {
  type: "program_found";
  program: number;
  name: string;
  framework: "jax" | "torch";
  entry: Entry;
  inputs: string[];
  backend: string;
  assumed: string;
  called: string;
}

/**
 * Progress only: the stage that began, and the fraction of it that is done, from 0 to 1. It
 * leaves no trace in the report.
 */
export interface StageBegan {
  type: "stage_began";
  program: number;
  name: string;
  detail: string;
  fraction: number | null;
}

/** A stage of a program ended, successfully or not. */
export interface StageDone {
  type: "stage_done";
  program: number;
  stage: Stage;
}

/**
 * Fields of a program, replaced as they become known; None leaves a field as it is.
 *
 * Where `graph`, `backend` or `compiler` is given, a list replaces only the entries of that graph,
 * that backend's plan or that compiler, so that one plan's kernels can be emitted without knowing
 * another's.
 */
export interface Facts {
  type: "facts";
  program: number;
  graph_breaks?: GraphBreak[] | null;
  kernels?: Kernel[] | null;
  fusion_refusals?: FusionRefusal[] | null;
  summary?: Summary | null;
  numerics?: Record<string, Numerics> | null;
  timings?: Record<string, Timing> | null;
  outputs?: Record<string, Sample[][]> | null;
  nodes?: CapturedOp[] | null;
  resources?: Resources[] | null;
  buffers?: Buffer[] | null;
  graphs?: Graph[] | null;
  python?: PythonSegment[] | null;
  inputs?: string[] | null;
  kernel_errors?: KernelError[] | null;
  findings?: Finding[] | null;
  fusion_decisions?: FusionDecision[] | null;
  compilers?: CompilerSummary[] | null;
  fusion_groups?: FusionGroup[] | null;
  timelines?: Timeline[] | null;
  measurement?: Measurement | null;
  together?: Trial | null;
  overrides?: Overridden[] | null;
  graph?: string | null;
  backend?: string | null;
  compiler?: string | null;
}

/** A program failed; the next one is compiled nevertheless. */
export interface ProgramFailed {
  type: "program_failed";
  program: number;
  error: Failure;
}

/**
 * The last event of a run, unless the run was cut off; `protocol` says how times were
 * measured.
 */
export interface Finished {
  type: "finished";
  protocol: string;
}

/** A remark on the run, with a line of the snippet, 1-based, if it concerns one. */
export interface Notice {
  level: "error" | "info" | "warning";
  text: string;
  line: number | null;
  by_service: boolean;
}

/** One compiled call of the snippet. */
export interface Program {
  name: string;
  framework: "jax" | "torch";
  entry: Entry;
  status: "failed" | "ok";
  error: Failure | null;
  graph_breaks: GraphBreak[];
  stages: Stage[];
  kernels: Kernel[];
  fusion_refusals: FusionRefusal[];
  summary: Summary;
  numerics: Record<string, Numerics>;
  timings: Record<string, Timing>;
  outputs: Record<string, Sample[][]>;
  nodes: CapturedOp[];
  resources: Resources[];
  buffers: Buffer[];
  inputs: string[];
  graphs: Graph[];
  python: PythonSegment[];
  backend: string;
  overrides: Overridden[];
  kernel_errors: KernelError[];
  assumed: string;
  called: string;
  findings: Finding[];
  together: Trial | null;
  fusion_decisions: FusionDecision[];
  compilers: CompilerSummary[];
  fusion_groups: FusionGroup[];
  timelines: Timeline[];
  measurement: Measurement | null;
}

/**
 * Why a stage failed: one sentence, the line of the snippet, 1-based, and what to do about
 * it.
 */
export interface Failure {
  stage: string;
  message: string;
  line: number | null;
  remedy: string;
  traceback: string;
  by_service: boolean;
}

/**
 * A function or module at `line`, 1-based, for which no inputs were found; `inputs` is the
 * guess with which its run came furthest.
 */
export interface Candidate {
  name: string;
  line: number;
  parameters: string[];
  inputs: string;
}

/** Where a program is in the snippet: the line of its function or call, 1-based. */
export interface Entry {
  line: number | null;
}

/**
 * One stage or pass, and the milliseconds that it took. A pass that changed nothing has
 * `changed` false and no artifacts; one that changed the IR has the artifacts "before" and
 * "after", of which the former equals the previous pass's "after".
 */
export interface Stage {
  name: string;
  status: "failed" | "ok" | "skipped";
  ms: number;
  artifacts: Artifact[];
  kind: string;
  changed: boolean;
  summary: string;
  rewrites: Rewrite[];
  graph: string;
  backend: string;
  compiler: string;
  parent: string;
  tables: Table[];
  placement: Placement | null;
  added: number | null;
  removed: number | null;
}

/**
 * One thing as both reports say it, in words; `change` is from the first to the second. What
 * was measured in one of them alone does not differ: `change` says in which.
 */
export interface ComparedLine {
  what: string;
  a: string;
  b: string;
  differs: boolean;
  change: string;
}

/**
 * A program in both reports, or in one; `at` are its places in them. Times are medians in
 * microseconds.
 */
export interface ProgramComparison {
  name: string;
  at: [number | null, number | null];
  figures: ComparedLine[];
  times: ComparedLine[];
  stages: StageDifference[];
}

/**
 * Counts over the whole program for eager and for the core; bytes are what launches read and
 * write.
 */
export interface Summary {
  ops_captured: number;
  ops_final: number;
  launches_eager: number;
  launches_core: number;
  bytes_eager: number;
  bytes_core: number;
  native_share: number;
  launches_outside: number;
}

/** How the timings of a program were taken, and what they come to. */
export interface Measurement {
  baseline: string;
  fastest: string[];
  rounds: number;
  blocks: number;
  seconds: number;
  threads: number;
  processors: number;
  others: number | null;
  busy: boolean;
  floor_us: number;
  floor_by: string;
  bandwidth: number;
  flops: number;
  notes: string[];
}

/**
 * A remedy that was tried: `source` is the text of the whole snippet with it. It is blank if
 * the remedy is not offered; the summary then says why: the text cannot be changed so, the changed
 * program failed, or its results differ.
 */
export interface Trial {
  source: string;
  speedup: number | null;
  summary: string;
  times: TrialTime[];
  before: TrialCounts;
  after: TrialCounts;
  left_out: boolean;
}

/** A place where TorchDynamo ends the graph and Python continues, and why. */
export interface GraphBreak {
  reason: string;
  line: number | null;
  remedy: string;
}

/**
 * One launch: a generated kernel, or a call of the library that `library` names. A loop or a
 * branch (`kind` while, scan, case or call) is followed by the launches of its regions, which are
 * named after it: k2_scan, k2_body_k0_tanh. The numbers in ids are those of the plan's steps. They
 * have gaps: a launch for several steps has the number of the last, and a step whose result is not
 * read is not launched.
 */
export interface Kernel {
  id: string;
  kind: string;
  library: string | null;
  ops: string[];
  bytes_read: number;
  bytes_written: number;
  lines: number[];
  nodes: number[];
  flops: number;
  reason: string;
  graph: string;
  backend: string;
  schedule: Schedule | null;
  candidates: ScheduleCandidate[];
  chosen_with: string[];
  same_as: string;
  values: number[];
  result: string;
}

/**
 * An edge between two operations, or a pair that reads the same value, that was not fused, and
 * why, with the cost model's numbers.
 */
export interface FusionRefusal {
  from: string;
  to: string;
  reason: string;
  nodes: number[];
  graph: string;
  backend: string;
  from_value: number | null;
  to_value: number | null;
  named: Record<string, number[]>;
  kind: "across memory" | "also computes" | "attention kept" | "deterministic" | "forbidden" | "in another launch" | "kernel between" | "library call" | "needed elsewhere" | "no affine view" | "no attention" | "no elements" | "no loop" | "not possible as one" | "other axes" | "other extents" | "other shapes" | "own kernels" | "repeated work" | "result" | "scan loop" | "scattered write" | "several readers" | "size not known" | "slower as one" | "takes in nothing" | "too large" | "total of all" | "two operands" | "";
}

/**
 * The largest error over all outputs against the same program in float64; None where it is not
 * finite: an infinity or a NaN that only one of the two has.
 */
export interface Numerics {
  max_abs_error: number | null;
  max_rel_error: number | null;
  ok: boolean;
  rule: string;
  error: string;
}

/**
 * The times of one compiler, from interleaved samples: `_us` in microseconds, `_ms` in
 * milliseconds.
 */
export interface Timing {
  median_us: number;
  p25_us: number;
  p75_us: number;
  samples: number;
  capture_ms: number | null;
  compile_ms: number | null;
  first_call_ms: number | null;
  speedup: number | null;
  speedup_low: number | null;
  speedup_high: number | null;
  verdict: "" | "below the physical floor" | "faster" | "not compiled" | "same within noise" | "slower" | "wrong result";
  pays_after_calls: number | null;
  samples_us: number[];
  device_us: number | null;
}

/**
 * A captured operation: its id, which every line map refers to, and its line and column in the
 * snippet, both 1-based. Ids are unique in a program, over all its graphs.
 */
export interface CapturedOp {
  id: number;
  op: string;
  line: number | null;
  column: number | null;
  graph: string;
  reads: Read[];
  scope: string;
  end: number | null;
}

/**
 * What offline compilation reports for one Triton kernel on one target. Registers are per
 * thread, spills in registers per thread, shared memory in bytes per block.
 */
export interface Resources {
  kernel: string;
  target: string;
  registers: number | null;
  spills: number | null;
  shared_bytes: number | null;
  num_warps: number | null;
  estimate_us: number | null;
  graph: string;
  backend: string;
}

/**
 * One buffer of a memory plan, live from step `first` to step `last`, both inclusive, at
 * `offset` bytes of the workspace; `offset` is None for inputs, results and constants, which the
 * plan does not place.
 */
export interface Buffer {
  name: string;
  type: string;
  bytes: number;
  offset: number | null;
  first: number;
  last: number;
  nodes: number[];
  graph: string;
  backend: string;
  compiler: string;
  over: string;
}

/**
 * One graph of a program. The graphs are a tree in the order in which they run.
 *
 * The first is always the root, "whole": the program itself. Where the program was captured as one
 * graph, the root is that graph and the only one. Else the root's children are the pieces between
 * graph breaks, or the forward and the backward graph; the regions of an operation (the branches
 * of a condition, the body of a loop) are children of the graph that contains the operation.
 *
 * Stages, kernels, refusals, buffers, resources and captured operations name their graph's `id`.
 * Entries that concern all graphs (numerics, measuring) name the root.
 */
export interface Graph {
  id: string;
  name: string;
  role: "backward" | "body" | "branch" | "forward" | "joint" | "piece" | "whole";
  line: number | null;
  parent: string | null;
  saved: Saved[];
  held_eager: number[];
  given_bytes: number | null;
  weight_bytes: number | null;
}

/** Lines of the snippet that Python runs, before, between or after compiled graphs. */
export interface PythonSegment {
  after: string | null;
  first_line: number | null;
  last_line: number | null;
  text: string;
  reason: string;
  bytes: number | null;
}

/** What became of one override. */
export interface Overridden {
  override: WithoutPass | ForbiddenEdge | ForcedEdge | WantedSchedule;
  state: "applied" | "refused";
  reason: string;
  backend: string;
  graph: string;
}

/**
 * The error against float64 of one value that a launch writes to memory. `own` is the error
 * that this launch adds: its result against the same operations in float64 on the inputs that it
 * read. `accumulated` includes the errors of all launches before it in its graph. `eager_own` and
 * `eager_accumulated` are the same for eager, which runs operation by operation; None where eager
 * has no such value, or lacks one that the launch reads.
 */
export interface KernelError {
  kernel: string;
  buffer: string;
  type: string;
  own: ErrorSize;
  accumulated: ErrorSize;
  eager_own: ErrorSize | null;
  eager_accumulated: ErrorSize | null;
  eager_node: number | null;
  graph: string;
  backend: string;
}

/** One entry of the why-list: what happened at a line, why in plain words, what to do. */
export interface Finding {
  kind: "failed" | "graph break" | "host sync" | "kept for backward" | "layout copy" | "library call" | "not compiled" | "not fused" | "precision" | "recompile" | "replicated" | "resharded" | "specialised" | "traced again" | "unrolled";
  compiler: string;
  what: string;
  why: string;
  remedy: string;
  line: number | null;
  column: number | null;
  stack: number[];
  nodes: number[];
  bytes: number | null;
  us: number | null;
  compile_ms: number | null;
  count: number;
  raw: string;
  category: string;
  trial: Trial | null;
  graph: string;
}

/** Whether one compiler fused two of its nodes into one kernel, and why or why not. */
export interface FusionDecision {
  compiler: string;
  from: string;
  to: string;
  fused: boolean;
  reason: string;
  from_nodes: number[];
  to_nodes: number[];
  bytes: number | null;
  graph: string;
  backend: string;
}

/**
 * What one compiler made of the program for the device that it ran on. The times of calls and
 * of the whole compilation are in the program's `timings`, and the errors in its `numerics`.
 */
export interface CompilerSummary {
  compiler: string;
  graphs: Figure;
  breaks: Figure;
  kernels: Figure;
  launches: Figure;
  library_calls: Figure;
  bytes: Figure;
  peak_bytes: Figure;
  phases: Phase[];
}

/** A unit that one compiler runs as a whole: a kernel that it generated, or a library call. */
export interface FusionGroup {
  compiler: string;
  name: string;
  kind: string;
  nodes: number[];
  bytes: number | null;
  graph: string;
  backend: string;
}

/**
 * One call of the program by one compiler: of several profiled calls the one with the median
 * duration. Time that no event covers is not known to be anything: Python, dispatch, waiting.
 * Events may overlap if several threads run.
 */
export interface Timeline {
  compiler: string;
  total_us: number;
  plain_us: number;
  calls: number;
  events: TimelineEvent[];
  about: string;
  left_out: number;
}

/** A pass that is not run, in any program. */
export interface WithoutPass {
  type: "without";
  name: string;
}

/** Two values that no kernel computes both of. */
export interface ForbiddenEdge {
  type: "forbid";
  from: string;
  to: string;
  program: number;
}

/** Two values that one kernel computes, where there is such a kernel, whatever it costs. */
export interface ForcedEdge {
  type: "force";
  from: string;
  to: string;
  program: number;
}

/** How a kernel is run: one of its candidates, with some of its parameters set by hand. */
export interface WantedSchedule {
  type: "schedule";
  kernel: string;
  candidate: string;
  parameters: Record<string, number | string>;
  backend: "" | "cpu" | "gpu";
  program: number;
}

/**
 * One text that a stage produced.
 *
 * `nodes` is the line map: for each line of `text` what the line comes from, the selection key of
 * every pane. Ids from 0 on are captured operations; those below 0 are values of the core's IR, as
 * the complement of their number: -13 is `%12`. It is empty if the text has no map.
 */
export interface Artifact {
  name: string;
  kind: string;
  language: "aten" | "base64" | "c" | "fuselab" | "jaxpr" | "llvm" | "mlir" | "ptx" | "python" | "sass" | "stablehlo" | "text";
  text: string;
  nodes: number[][];
  kernel: string | null;
  stored: StoredText | null;
}

/**
 * One application of a rewrite rule: the rule's name, the law that it states, the text before
 * and after, and the ids of the captured operations.
 */
export interface Rewrite {
  rule: string;
  law: string;
  before: string;
  after: string;
  nodes: number[];
}

/** One table of a stage. */
export interface Table {
  name: string;
  columns: Column[];
  rows: Row[];
  about: string;
}

/** The shardings of a program's arguments and results on a mesh. */
export interface Placement {
  mesh: Mesh;
  holdings: Holding[];
}

/** What compilers made of a program before or after a remedy; None where it is not known. */
export interface TrialCounts {
  graphs: number | null;
  breaks: number | null;
  kernels: number | null;
  compilations: number | null;
  compile_ms: number | null;
}

/**
 * A stage that is not the same in both: what it said, which of its texts differ and by how many
 * lines; and its places among the stages of its program, None where one has it not.
 */
export interface StageDifference {
  name: string;
  words: string;
  texts: string[];
  at: [number | null, number | null];
}

/**
 * The error of a value's elements x against `exact`, the same in float64. A number is None
 * where it is not finite: an infinity or a NaN that only one of the two has. For integers and
 * bools, `max_rel` and `max_ulps` are 0 if no element differs, and None otherwise.
 */
export interface ErrorSize {
  max_abs: number | null;
  max_rel: number | null;
  max_ulps: number | null;
  differing: number;
  index: number[];
  got: number | null;
  exact: number | null;
  of_terms: number | null;
}

/**
 * A count or a number of bytes; where it is None, `why` says why it is not known, or why there
 * is none.
 */
export interface Figure {
  value: number | null;
  why: string;
}

/** A grid of devices: `devices` are their ids in row-major order, the last axis fastest. */
export interface Mesh {
  axes: MeshAxis[];
  devices: number[];
}

/**
 * The times of one compiler before and after a remedy, measured interleaved: the median and the
 * quartiles, in microseconds, of one call. With `first_calls`, they are of the snippet's different
 * calls together, each compiled anew.
 */
export interface TrialTime {
  compiler: string;
  before_us: number;
  before_p25_us: number;
  before_p75_us: number;
  after_us: number;
  after_p25_us: number;
  after_p75_us: number;
  speedup: number;
  speedup_low: number;
  speedup_high: number;
  verdict: "faster" | "same within noise" | "slower";
  samples: number;
  first_calls: boolean;
}

/** The strategy by which a launch covers its iteration space, and why it was chosen. */
export interface Schedule {
  strategy: string;
  parameters: Record<string, number | string>;
  reason: string;
}

/** A schedule that was considered for a launch, with the cost model's estimate. */
export interface ScheduleCandidate {
  strategy: string;
  parameters: Record<string, number | string>;
  cost_us: number | null;
  chosen: boolean;
  reason: string;
  name: string;
  free: Record<string, (number | string)[]>;
  of: string;
}

/**
 * The shape of an output, and some of its elements as numbers: "1.5", "nan", "-inf". A complex
 * number is two numbers; true is 1. `sums` cover all elements: the output is divided into as many
 * parts, and each part is summed with random signs and divided by the square root of its size, so
 * that its error is of the size of an element's.
 */
export interface Sample {
  shape: number[];
  values: string[];
  sums: string[];
}

/**
 * An edge of the captured graph: the operation `node` whose result is read, and the bytes of
 * that value at the sizes of the call.
 */
export interface Read {
  node: number;
  bytes: number;
}

/** One value that a forward graph saves for its backward graph. */
export interface Saved {
  name: string;
  type: string;
  bytes: number;
  lines: number[];
  nodes: number[];
}

/** A part of the compilation, in milliseconds; those of one compiler do not overlap. */
export interface Phase {
  name: string;
  ms: number;
}

/**
 * One event of a call, with its start since the call began and its duration, in
 * microseconds.
 */
export interface TimelineEvent {
  start_us: number;
  duration_us: number;
  kind: "guards" | "kernel" | "library" | "overhead" | "python";
  name: string;
  nodes: number[];
  line: number | null;
  kernel: string;
  graph: string;
}

/** A text that is stored apart from the report, and its sizes. */
export interface StoredText {
  sha256: string;
  bytes: number;
  lines: number;
  spans: [number, number][];
}

/** A column's title and the unit of its numbers; blank for text and for counts. */
export interface Column {
  title: string;
  unit: "" | "bytes" | "flops" | "ms" | "ratio" | "us";
  about: string;
}

/** One cell for each column; None where there is no value. */
export interface Row {
  cells: (string | number | number | boolean | null)[];
  nodes: number[];
  line: number | null;
}

/**
 * The sharding of one argument or result of the program; `bytes` are those of the whole
 * array.
 */
export interface Holding {
  name: string;
  role: "argument" | "result";
  type: string;
  shape: number[];
  spec: string;
  shard_shape: number[];
  bytes: number;
  device_bytes: number;
  copies: number;
  shards: Shard[];
}

/** One axis of a mesh: its name in the snippet, and its size in devices. */
export interface MeshAxis {
  name: string;
  size: number;
}

/**
 * The part of an array on one device: in each dimension the indices from `begin` up to,
 * without, `end`.
 */
export interface Shard {
  device: number;
  begin: number[];
  end: number[];
}

export type Event = Started | Printed | Noticed | SnippetFailed | ProgramFound | StageBegan | StageDone | Facts | ProgramFailed | Finished;

export const SCHEMA: number = 2;

export const MAX_SOURCE_BYTES: number = 262144;

export const EMPTY_REPORT: Report = {"schema":2,"snippet":{"sha256":"","source":""},"toolchain":{},"device":{"kind":"cpu","name":"","threads":1},"output":{"stdout":"","stderr":""},"notices":[],"programs":[],"error":null,"candidates":[],"protocol":"","options":{"inputs":"","seed":null,"device":"auto","devices":"auto","target":"auto","compilers":"auto","measure":true,"insides":[],"trials":false,"trials_first":[],"toolchain":"","overrides":[],"timeline":false}};

export const ROOT_GRAPH: Graph = {"id":"whole","name":"","role":"whole","line":null,"parent":null,"saved":[],"held_eager":[],"given_bytes":null,"weight_bytes":null};

export const EMPTY_PROGRAM: Program = {"name":"","framework":"torch","entry":{"line":null},"status":"ok","error":null,"graph_breaks":[],"stages":[],"kernels":[],"fusion_refusals":[],"summary":{"ops_captured":0,"ops_final":0,"launches_eager":0,"launches_core":0,"bytes_eager":0,"bytes_core":0,"native_share":0.0,"launches_outside":0},"numerics":{},"timings":{},"outputs":{},"nodes":[],"resources":[],"buffers":[],"inputs":[],"graphs":[],"python":[],"backend":"","overrides":[],"kernel_errors":[],"assumed":"","called":"","findings":[],"together":null,"fusion_decisions":[],"compilers":[],"fusion_groups":[],"timelines":[],"measurement":null};

export const EMPTY_MEASUREMENT: Measurement = {"baseline":"","fastest":[],"rounds":0,"blocks":0,"seconds":0.0,"threads":0,"processors":0,"others":null,"busy":false,"floor_us":0.0,"floor_by":"","bandwidth":0.0,"flops":0.0,"notes":[]};

export const DEFAULT_OPTIONS: Options = {"inputs":"","seed":null,"device":"auto","devices":"auto","target":"auto","compilers":"auto","measure":true,"insides":[],"trials":false,"trials_first":[],"toolchain":"","overrides":[],"timeline":false};

export const COMPILERS: readonly CompilerInfo[] = [{"id":"eager","title":"eager","about":"the framework itself, operation by operation","role":"baseline","install":"","usual":[]},{"id":"core","title":"core","about":"Fuselab's own compiler","role":"own","install":"","usual":["torch","jax"]},{"id":"inductor","title":"TorchInductor","about":"torch.compile in its default mode","role":"reference","install":"","usual":[]},{"id":"inductor:reduce-overhead","title":"TorchInductor reduce-overhead","about":"torch.compile(mode='reduce-overhead'): CUDA graphs, where there is a GPU","role":"reference","install":"","usual":[]},{"id":"inductor:max-autotune","title":"TorchInductor max-autotune","about":"torch.compile(mode='max-autotune'): times the kernels that it could take","role":"reference","install":"","usual":[]},{"id":"inductor:dynamic","title":"TorchInductor dynamic","about":"torch.compile(dynamic=True): one compilation for every size","role":"reference","install":"","usual":[]},{"id":"xla","title":"XLA","about":"jax.jit","role":"reference","install":"","usual":["jax"]},{"id":"iree","title":"IREE","about":"iree-compile for this processor","role":"reference","install":"make toolchain NAME=iree","usual":[]},{"id":"tvm","title":"TVM","about":"Relax, not tuned","role":"reference","install":"make toolchain NAME=tvm","usual":[]}];

export const INSIDES: readonly InsideInfo[] = [{"id":"tensorflow","title":"TensorFlow","about":"of a snippet of its own: what it gives XLA, and its result; shown unasked","frameworks":["jax"],"imported":"tensorflow","install":"make toolchain NAME=tensorflow","of_graph":false},{"id":"dynamo","title":"TorchDynamo","about":"graphs, graph breaks, guards, recompilations, sizes","frameworks":["torch"],"imported":"","install":"","of_graph":false},{"id":"aot","title":"AOTAutograd","about":"joint, forward, backward; what is saved between","frameworks":["torch"],"imported":"","install":"","of_graph":false},{"id":"inductor","title":"TorchInductor","about":"passes, fusions, C++, Triton","frameworks":["torch","jax"],"imported":"","install":"","of_graph":false},{"id":"ladder","title":"Back ends","about":"torch.compile's, one by one: which fails or differs first; seconds for Inductor's C++","frameworks":["torch"],"imported":"","install":"","of_graph":false},{"id":"export","title":"torch.export","about":"one graph or why not, its signature, sizes; the .pt2, AOTInductor's C++","frameworks":["torch"],"imported":"","install":"","of_graph":false},{"id":"torchscript","title":"TorchScript","about":"script and trace, and what the trace froze","frameworks":["torch"],"imported":"","install":"","of_graph":false},{"id":"jax","title":"JAX","about":"jaxpr, what transformations made, why it traced again","frameworks":["jax"],"imported":"","install":"","of_graph":false},{"id":"xla","title":"XLA","about":"HLO pass by pass, fusions, buffers, code","frameworks":["torch","jax"],"imported":"","install":"","of_graph":true},{"id":"iree","title":"IREE","about":"phases, dispatch regions, executables","frameworks":["torch","jax"],"imported":"","install":"make toolchain NAME=iree","of_graph":true},{"id":"tvm","title":"TVM","about":"Relax pass by pass, fusions, code","frameworks":["torch","jax"],"imported":"","install":"make toolchain NAME=tvm","of_graph":false},{"id":"stablehlo","title":"StableHLO","about":"the captured graphs, to be taken elsewhere","frameworks":["torch","jax"],"imported":"","install":"","of_graph":true},{"id":"sharding","title":"Sharding","about":"on a mesh: who holds what, the partitioned HLO, what is sent","frameworks":["jax"],"imported":"","install":"","of_graph":false}];

export const DEVICE_COUNTS: readonly Exclude<Options["devices"], "auto">[] = [1,2,3,4,5,6,7,8];

export const INPUT_TYPES: readonly string[] = ["f64","f32","f16","bf16","c64","i64","i32","i16","i8","u8","u16","u32","bool"];

export const VIEWS: readonly string[] = ["broadcast_in_dim","reshape","transpose","slice","reverse"];

export const LITERALS: readonly string[] = ["constant","iota"];
