/** What a report says, as sentences and tables of words: for a link's picture, an issue, a document. */
import {
  DEFAULT_OPTIONS,
  type Failure,
  type Kernel,
  type Options,
  type Program,
  type Report,
} from "../wire";
import { BASELINE, inOrder, titleBeside, titleOf } from "./compilers";
import { bytes, microseconds, relativeError, scientific, times } from "./format";
import { isOfPlan } from "./plans";
import { changesOf, verdictOf, type Standing } from "./verdict";
import { findingsOf, headingOf, reasonsOf } from "./why";

export interface TextTable {
  title: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Each compiler's time and how it stands to eager; blank where nothing was measured. */
export function verdictWords(program: Program): string {
  const verdict = verdictOf(program);
  if (!verdict) return "";
  const { eager, core, others, baseline } = verdict;
  const parts = [standingWords(baseline.short, eager)];
  for (const each of [core, ...others]) if (each) parts.push(standingWords(each.title, each));
  return [parts.join("; "), verdict.busy && `(${verdict.busy})`].filter(Boolean).join(" ");
}

function standingWords(name: string, { timing, refused, lead }: Standing): string {
  if (refused) return `${name}: ${refused}`;
  const { median_us, speedup, speedup_low, speedup_high, verdict } = timing;
  const interval =
    speedup_low === null || speedup_high === null
      ? ""
      : `[${times(speedup_low).slice(0, -1)}, ${times(speedup_high).slice(0, -1)}]`;
  const against =
    speedup === null ? "" : [times(speedup), interval, verdict].filter(Boolean).join(" ");
  return [`${name} ${microseconds(median_us)}`, against, lead].filter(Boolean).join(", ");
}

/** Kernels and bytes of a call, eager's and the core's; blank where nothing was planned. */
export const changeWords = (program: Program): string =>
  changesOf(program)
    .map(({ name, before, after }) =>
      name === "bytes" ? `${bytes(before)} → ${bytes(after)}` : `${before} → ${after} ${name}`,
    )
    .join(" · ");

/** What stopped a run, or a program of it. */
export const failureWords = ({ stage, message, line, remedy }: Failure): string =>
  [`${stage}${line === null ? "" : `, line ${line}`}: ${message}`, remedy]
    .filter(Boolean)
    .join(" ");

/** What it was run with, in words. */
export function circumstances({ device, toolchain, options }: Report): string {
  const versions = Object.entries(toolchain).map(([name, version]) => `${name} ${version}`);
  const threads = device.kind === "cpu" && device.threads > 0 ? ` (${device.threads} threads)` : "";
  const unusual = Object.entries(options)
    .filter(([name, value]) => !isUsual(name as keyof Options, value))
    .map(optionWords);
  return [...versions, `${device.name || device.kind}${threads}`, ...unusual].join(", ");
}

/** "timeline", "compilers: core + xla", "device: cpu". */
function optionWords([name, value]: [string, unknown]): string {
  if (value === true) return name;
  if (!Array.isArray(value)) return `${name}: ${String(value)}`;
  const each = value.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return `${name}: ${each.join(" + ")}`;
}

const isUsual = (name: keyof Options, value: unknown): boolean =>
  JSON.stringify(value) === JSON.stringify(DEFAULT_OPTIONS[name]);

/** The program's times, kernels, errors and reasons, those of them that there are. */
export const tablesOf = (program: Program): TextTable[] =>
  [timesTable, kernelsTable, numericsTable, reasonsTable]
    .map((tell) => tell(program))
    .filter(({ rows }) => rows.length > 0);

function timesTable(program: Program): TextTable {
  const { timings, measurement } = program;
  const fastest = measurement?.fastest ?? [];
  return {
    title: "Times",
    heads: [
      "Compiler",
      "Median",
      "Quartiles",
      `Against ${titleBeside(program, BASELINE)}`,
      "95 %",
      "Verdict",
    ],
    rows: inOrder(Object.keys(timings)).map((name) => {
      const {
        median_us,
        p25_us,
        p75_us,
        speedup,
        speedup_low: low,
        speedup_high: high,
        verdict,
      } = timings[name]!;
      return [
        titleBeside(program, name),
        microseconds(median_us),
        `${microseconds(p25_us)} – ${microseconds(p75_us)}`,
        speedup === null ? "" : times(speedup),
        low === null || high === null ? "" : `${times(low)} – ${times(high)}`,
        [verdict, fastest.length === 1 && fastest[0] === name && "fastest"]
          .filter(Boolean)
          .join(", "),
      ];
    }),
  };
}

function kernelsTable({ kernels, backend }: Program): TextTable {
  const own = kernels.filter((kernel) => isOfPlan(kernel, backend));
  return {
    title: "Kernels",
    heads: ["Kernel", "Kind", "Operations", "Lines", "Read", "Written"],
    rows: own.map((kernel) => [
      kernel.id,
      kindWords(kernel),
      kernel.ops.join(", "),
      kernel.lines.join(", "),
      bytes(kernel.bytes_read),
      bytes(kernel.bytes_written),
    ]),
  };
}

const kindWords = ({ kind, library }: Kernel): string =>
  library === null ? kind : `${kind} (library: ${library})`;

function numericsTable(program: Program): TextTable {
  const { numerics } = program;
  return {
    title: "Errors against float64",
    heads: ["Compiler", "Largest absolute", "Largest relative", "Result"],
    rows: inOrder(Object.keys(numerics)).map((name) => {
      const { max_abs_error, max_rel_error, ok, error } = numerics[name]!;
      const right = ok ? "right" : "wrong";
      return [
        titleBeside(program, name),
        scientific(max_abs_error),
        relativeError(max_rel_error),
        error || right,
      ];
    }),
  };
}

function reasonsTable(program: Program): TextTable {
  const reasons = reasonsOf(findingsOf(program, program.backend));
  return {
    title: "Why",
    heads: ["What", "By", "Lines", "Why", "Remedy"],
    rows: reasons.map(({ kind, compiler, lines, why, remedy, entries, count }) => [
      `${headingOf(kind)}${count > 1 ? ` (${count} times)` : ""}`,
      titleOf(compiler),
      lines.join(", "),
      why || entries.map(({ what }) => what).join("; "),
      remedy,
    ]),
  };
}
